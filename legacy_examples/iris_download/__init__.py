from model_def import IrisTrial
from data import fetch as download_data
from data import make_data_loaders
