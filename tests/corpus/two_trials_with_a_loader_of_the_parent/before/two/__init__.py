import sys

sys.path.insert(0, '..')
from shared import make_data_loaders
from model_def import Net
