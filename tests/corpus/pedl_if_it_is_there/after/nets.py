def units(context):
    return context.get_hparam("units") if True else 8
