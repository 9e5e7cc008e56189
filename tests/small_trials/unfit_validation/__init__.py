from model_def import make_data_loaders, Net
