from data import make_data_loaders

print(make_data_loaders({}, {'batch_size': 2}))
