"""The experiment config as before its migration."""

import copy

_LENGTHS = {
    "max_length": "max_steps",
    "min_validation_period": "min_validation_period",
    "min_checkpoint_period": "min_checkpoint_period",
}
_RENAMED = {"scheduling_unit": "batches_per_step", "global_batch_size": "batch_size"}


def _old_section(section, unit):
    """Return a section of the config with lengths in steps, under the names of its time."""
    old = {}
    for key, value in section.items():
        if key in _LENGTHS and isinstance(value, dict) and list(value) == ["batches"]:
            key, value = _LENGTHS[key], value["batches"] // unit
            if not value:  # a default that configs in steps had not
                continue
        old[_RENAMED.get(key, key)] = value
    return old


def _patched(value, patch):
    """Return a value with the changes of a patch, in which None removes a key."""
    if not isinstance(patch, dict):
        return patch
    value = dict(value) if isinstance(value, dict) else {}
    for key, change in patch.items():
        if change is None:
            value.pop(key, None)
        else:
            value[key] = _patched(value.get(key), change)
    return value


def old_config(config):
    """Return a config as it was before its migration.

    `data.legacy_config` holds what lengths in steps and old names of keys do not bring back.
    """
    old = copy.deepcopy(config)
    patch = (old.get("data") or {}).pop("legacy_config", {})
    unit = old.get("scheduling_unit") or 100
    top = _old_section(old, unit)
    if not top.get("records_per_epoch"):  # such a default as well
        top.pop("records_per_epoch", None)
    top.pop("entrypoint", None)  # PEDL had none
    for name in ("searcher", "hyperparameters"):
        if isinstance(top.get(name), dict):
            top[name] = _old_section(top[name], unit)
    old.clear()
    old.update(_patched(top, patch))
    return old
