import functools

from rows import rows


def make_data_loaders(context):
    return rows("train", context.get_per_slot_batch_size()), rows("test", context.get_per_slot_batch_size())


def fetch(context):
    return context.get_data_config()["dir"]


@functools.lru_cache(maxsize=None)
def download_data_dir(context):
    """What fetch returned, which is called once on each machine."""
    distributed = context.distributed
    directory = fetch(context) if distributed.get_local_rank() == 0 else None
    return distributed.broadcast_local(directory)
