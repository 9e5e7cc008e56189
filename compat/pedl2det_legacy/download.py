"""`download_data` of PEDL, and what it asks of an address."""

import urllib.parse

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


def is_valid_url(url):
    """Tell whether a text has the form of an address; nothing is fetched."""
    parts = urllib.parse.urlsplit(url)
    return bool(parts.scheme and parts.netloc)
