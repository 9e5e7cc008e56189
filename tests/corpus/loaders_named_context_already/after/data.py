from rows import rows


def make_data_loaders(det_context):
    context = det_context.get_hparam('units')
    print(context)
    return (
        rows("train", det_context.get_per_slot_batch_size()),
        rows("test", det_context.get_per_slot_batch_size()),
    )
