import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "src"))

from model_def import Net, make_data_loaders
