from model_def import DigitsKerasTrial
from data import make_data_loaders
