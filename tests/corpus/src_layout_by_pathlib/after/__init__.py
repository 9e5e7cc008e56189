import sys
from pathlib import Path

from model_def import Net, make_data_loaders
