from rows import rows

import legacy_keras


def make_data_loaders():
    train = legacy_keras.KerasDataAdapter(rows('train'), workers=2)
    print(len(train))
    return train, rows('test')
