from model_def import MaxTrial, make_data_loaders
