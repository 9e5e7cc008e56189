def units(context):
    return context.get_hparam("units")
