from pedl.frameworks.keras.data import KerasDataAdapter
from rows import rows

make_data_loaders = lambda config, hparams: (KerasDataAdapter(rows("train")), rows("test"))
