from rows import rows


def make_data_loaders(context):
    context.configure_fit(use_multiprocessing=True, workers=4, max_queue_size=20)
    return rows('train'), rows('test')
