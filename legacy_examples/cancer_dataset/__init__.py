from model_def import CancerTrial
from data import make_data_loaders
