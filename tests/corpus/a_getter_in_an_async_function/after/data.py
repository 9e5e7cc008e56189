import asyncio

from rows import rows


async def fetch(context, part):
    return rows(part, context.get_per_slot_batch_size())


def make_data_loaders(context):
    return asyncio.run(fetch(context, "train")), asyncio.run(fetch(context, "test"))
