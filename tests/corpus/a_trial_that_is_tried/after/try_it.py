import legacy_keras
from model_def import Net

print(Net(legacy_keras.local_context({'units': 4})).build_model())
