import asyncio

from rows import rows


async def fetch(part, size):
    await asyncio.sleep(0)
    return rows(part, size)


def make_data_loaders(context):
    return tuple(
        asyncio.run(fetch(part, context.get_per_slot_batch_size()))
        for part in ('train', 'test')
    )
