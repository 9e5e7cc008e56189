from model_def import Net, make_data_loaders
