from model_def import WineTrial
from data import make_data_loaders
