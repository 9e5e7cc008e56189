import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), 'src'))

from model_def import Net, make_data_loaders
