from charlm import CharTrial
from corpus import make_data_loaders
