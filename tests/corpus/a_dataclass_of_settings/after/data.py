from dataclasses import dataclass

from rows import rows


@dataclass(frozen=True)
class Settings:
    size: int
    file: str = "rows.csv"


def make_data_loaders(context):
    settings = Settings(
        context.get_per_slot_batch_size(), context.get_data_config()["file"]
    )
    return rows("train", settings), rows("test", settings)
