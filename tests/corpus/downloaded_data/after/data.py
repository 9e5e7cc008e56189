import functools
import os

from rows import fetch, rows


def download_data(context):
    return fetch(context.get_data_config()["url"])


@functools.lru_cache(maxsize=None)
def download_data_dir(context):
    """What download_data returned, which is called once on each machine."""
    distributed = context.distributed
    directory = download_data(context) if distributed.get_local_rank() == 0 else None
    return distributed.broadcast_local(directory)


def make_data_loaders(context):
    directory = download_data_dir(context)
    return rows(os.path.join(directory, "train")), rows(os.path.join(directory, "test"))
