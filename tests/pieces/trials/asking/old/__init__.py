"""A trial that asks for its run at import, downloads, and says how its data are read."""

from data import download_data, make_data_loaders
from model_def import AskingTrial
