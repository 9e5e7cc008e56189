"""`download_data` of PEDL."""

_download_data_dir = None


def download_once(context, download):
    """Call `download()` once on each machine; return its directory on every process."""
    global _download_data_dir
    distributed = context.distributed
    directory = download() if distributed.get_local_rank() == 0 else None
    _download_data_dir = distributed.broadcast_local(directory)
    return _download_data_dir


def get_download_data_dir():
    """Return the directory that the download returned on this machine."""
    if _download_data_dir is None:
        raise RuntimeError("the trial has not downloaded its data, or to no directory")
    return _download_data_dir
