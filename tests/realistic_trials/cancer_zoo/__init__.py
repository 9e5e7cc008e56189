from zoo_trial import ZooTrial
from zoo_data import make_data_loaders
