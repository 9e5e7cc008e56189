"""What the example of P015 has beside."""

AROUND = {
    "const.yaml": """\
entrypoint: {script: train.py}
hyperparameters: {batch_size: 8}
searcher: {name: single, metric: val_loss, max_steps: 1}
"""
}
