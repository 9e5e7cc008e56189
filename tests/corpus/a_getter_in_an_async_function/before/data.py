import asyncio

import pedl
from rows import rows


async def fetch(part):
    return rows(part, pedl.get_hyperparameter("batch_size"))


def make_data_loaders(experiment_config, hparams):
    return asyncio.run(fetch("train")), asyncio.run(fetch("test"))
