from data import *
from model_def import *
