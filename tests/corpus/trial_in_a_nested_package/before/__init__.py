from data import make_data_loaders
from nets import Net
