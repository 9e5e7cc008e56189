from model_def import Net

print(Net({'units': 4}).build_model({'units': 4}))
