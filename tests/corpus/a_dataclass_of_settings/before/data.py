from dataclasses import dataclass

from rows import rows


@dataclass(frozen=True)
class Settings:
    size: int
    file: str = "rows.csv"


def make_data_loaders(experiment_config, hparams):
    settings = Settings(hparams["batch_size"], experiment_config["data"]["file"])
    return rows("train", settings), rows("test", settings)
