"""URLs."""

import urllib.parse


def is_valid_url(url):
    """Tell whether a text has the form of an address; nothing is fetched."""
    parts = urllib.parse.urlsplit(url)
    return bool(parts.scheme and parts.netloc)
