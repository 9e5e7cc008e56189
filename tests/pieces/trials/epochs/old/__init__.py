"""A trial whose callbacks act by epoch, and write down all that they are told."""

from data import make_data_loaders
from model_def import EpochsTrial
