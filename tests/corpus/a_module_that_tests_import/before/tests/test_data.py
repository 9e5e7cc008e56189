from data import make_data_loaders


def test_it():
    assert len(make_data_loaders({}, {'batch_size': 4})) == 2
