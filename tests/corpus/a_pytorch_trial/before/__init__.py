from model_def import Net
