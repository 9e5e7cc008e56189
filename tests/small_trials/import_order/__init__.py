from model_def import Net
from data import make_data_loaders
