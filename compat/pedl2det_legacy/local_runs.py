"""A context where no experiment runs."""

import determined.keras


def local_context(hparams=None):
    """Return a context to try a trial's methods with, where no experiment runs."""
    hparams = dict(hparams or {})
    hparams["global_batch_size"] = hparams.pop("batch_size", 1)
    config = {"hyperparameters": hparams}
    return determined.keras.TFKerasTrialContext.from_config(config)
