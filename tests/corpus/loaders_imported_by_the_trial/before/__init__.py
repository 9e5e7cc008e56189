from model_def import *
