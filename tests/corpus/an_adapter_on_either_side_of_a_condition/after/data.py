from rows import rows


def make_data_loaders(context):
    if context.get_data_config()["fast"]:
        context.configure_fit(workers=4)
        return rows("train"), rows("test")
    context.configure_fit(workers=1)
    return rows("train"), rows("test")
