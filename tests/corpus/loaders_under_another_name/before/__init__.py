from data import load as make_data_loaders
from model_def import Net
