"""Getters of `pedl` for the running trial, and the experiment config as before its migration."""

import copy

import determined

from pedl2det_legacy.bound_context import _is_bound, context

_LENGTHS = {
    "max_length": "max_steps",
    "min_validation_period": "min_validation_period",
    "min_checkpoint_period": "min_checkpoint_period",
}
_RENAMED = {"scheduling_unit": "batches_per_step", "global_batch_size": "batch_size"}


def _old_section(section, unit, patch):
    """Return a section with lengths in steps and its old names, to which those of a patch belong."""
    old = {}
    for key, value in section.items():
        if key in _LENGTHS and isinstance(value, dict) and list(value) == ["batches"]:
            key, value = _LENGTHS[key], value["batches"] // unit
            if not value:  # a default that configs in steps had not
                continue
        old[key if key in patch else _RENAMED.get(key, key)] = value
    return old


def _patched(value, patch):
    """Return a value with the changes of a patch, in which None removes a key.

    A single value in place of a mapping was set later, as by a search: it stays.
    """
    if not isinstance(patch, dict):
        return patch
    if value is not None and not isinstance(value, dict):
        return value
    value = dict(value) if isinstance(value, dict) else {}
    for key, change in patch.items():
        if change is None:
            value.pop(key, None)
        else:
            value[key] = _patched(value.get(key), change)
    return value


def _before(config):
    """Return what a config holds of itself before its migration."""
    data = config.get("data")
    return data.get("legacy_config", {}) if isinstance(data, dict) else {}


def old_config(config):
    """Return a config as it was before its migration.

    `data.legacy_config` holds what lengths in steps and old names of keys do not bring back.
    Anything else that a YAML file may hold is returned as it is.
    """
    if not isinstance(config, dict) or "searcher" not in config:
        return config
    old = copy.deepcopy(config)
    patch = _before(old)
    if patch:
        del old["data"]["legacy_config"]
    unit = old.get("scheduling_unit") or 100
    top = _old_section(old, unit, patch)
    if not top.get("records_per_epoch"):  # such a default as well
        top.pop("records_per_epoch", None)
    top.pop("entrypoint", None)  # PEDL had none
    for name in ("searcher", "hyperparameters"):
        if isinstance(top.get(name), dict):
            top[name] = _old_section(top[name], unit, patch.get(name, {}))
    old.clear()
    old.update(_patched(top, patch))
    return old


def _cluster_info():
    """Return what is known of the trial while its modules are imported."""
    info = determined.get_cluster_info()
    if info is None:
        raise RuntimeError(
            "no trial is running, so nothing is known of it: start the experiment, or "
            "call legacy_keras.bind(context) first"
        )
    return info


def _config():
    is_bound = _is_bound()
    return (
        context().get_experiment_config() if is_bound else _cluster_info().trial._config
    )


def _of_trial(name):
    """Return what the context knows of the trial; during imports, what the cluster does."""
    if _is_bound():  # its class knows nothing of what `shared_hyperparameters` changes
        return getattr(type(context()), f"get_{name}")(context())
    return getattr(_cluster_info().trial, name)


def _slots():
    """Return the number of slots of the trial, while its modules are imported."""
    info = _cluster_info()
    try:
        return max(1, sum(info.container_slot_counts))
    except AssertionError:  # the containers have not met: there is one
        return max(1, len(info.slot_ids))


def get_hyperparameters():
    """Return all hyperparameters; `batch_size` is the batch size of one slot."""
    hparams = dict(_of_trial("hparams"))
    sizes = [hparams.pop(name, None) for name in ("batch_size", "global_batch_size")]
    before = _before(_config()).get("hyperparameters", {})
    if sizes == [None, None] or before.get("batch_size", 0) is None:  # it had none
        return hparams
    if not _is_bound():
        hparams["batch_size"] = (sizes[0] if sizes[1] is None else sizes[1]) // _slots()
    else:
        hparams["batch_size"] = _of_trial("per_slot_batch_size")
    return hparams


def get_hyperparameter(name):
    """Return one hyperparameter; `batch_size` is the batch size of one slot."""
    hparams = get_hyperparameters()
    if name not in hparams:
        known = ", ".join(sorted(hparams))
        raise KeyError(f"no hyperparameter {name!r}: the config has {known}")
    return hparams[name]


#: The hyperparameters that all methods share, and the context that they are of.
_shared_hyperparameters = {}


def shared_hyperparameters():
    """Return all hyperparameters: one dict, as PEDL gave it, which the context reads from then on.

    All callers and the context see what is changed in it.
    """
    owner = context() if _is_bound() else None
    if not _shared_hyperparameters or _shared_hyperparameters["owner"] is not owner:
        shared = get_hyperparameters()
        _shared_hyperparameters.update(owner=owner, dict=shared)
        if owner is not None:
            size = owner.get_per_slot_batch_size()
            owner.get_hparam, owner.get_hparams = shared.__getitem__, lambda: shared
            owner.get_per_slot_batch_size = lambda: shared.get("batch_size", size)
    return _shared_hyperparameters["dict"]


#: The config of the trial, which all of its functions share, and the context that it is of.
_shared_config = {}


def get_experiment_config():
    """Return the config as before the migration: one dict, which all callers share."""
    owner = context() if _is_bound() else None
    if not _shared_config or _shared_config["owner"] not in (None, owner):
        _shared_config["config"] = old_config(_config())
    _shared_config["owner"] = owner
    return _shared_config["config"]


def get_data_config():
    """Return the `data` section of the experiment config."""
    return get_experiment_config().get("data", {})


def get_trial_seed():
    """Return the seed of the trial."""
    return _of_trial("trial_seed")


def get_experiment_id():
    """Return the number of the experiment."""
    return _of_trial("experiment_id")


def get_trial_id():
    """Return the number of the trial."""
    return _of_trial("trial_id")


def get_rank():
    """Return the number of this process within the trial; 0 is the chief."""
    if _is_bound():
        return context().distributed.get_rank()
    if _slots() > 1:
        raise RuntimeError(
            "the rank is not known while modules are imported: ask for it in a function "
            "that the trial calls"
        )
    return 0


def get_container_gpus():
    """Return the GPUs of this machine that the trial may use."""
    info = determined.get_cluster_info()
    return [] if info is None else list(info.gpu_uuids)
