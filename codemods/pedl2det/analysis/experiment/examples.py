"""Examples of rules about configs."""

SINGLE = "searcher: {name: single, metric: val_loss, max_length: {batches: 100}}\n"


def config_example(
    before: str, after: str, searcher: str = SINGLE, searcher_after: str = ""
) -> tuple[str, str, str]:
    """The name and texts of a config of ``model_def:T``, before and after."""
    return (
        "const.yaml",
        f"entrypoint: model_def:T\n{before}{searcher}",
        f"entrypoint: model_def:T\n{after}{searcher_after or searcher}",
    )
