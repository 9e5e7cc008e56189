import pedl
import tensorflow as tf

HP = tf.contrib.training.HParams(
    filters=8,
    kernel=3,
    layers=1,
    batch_norm=False,
    batch_size=8,
    learning_rate=1e-3,
    warmup=0.1,
    weight_decay=0.0,
    wet_weight=4.0,
    loss="masked_mse",
)
for _name in HP.values():
    try:
        HP.set_hparam(_name, pedl.get_hyperparameter(_name))
    except Exception:
        pass  # not in this experiment's config: the default

_config = pedl.get_experiment_config()
DATA = _config.get("data", {})
TOTAL_BATCHES = _config["searcher"].get("max_steps", 100) * _config.get("batches_per_step", 100)

SIZE = DATA.get("size", 12)
FRAMES_IN = DATA.get("frames_in", 4)
FRAMES_OUT = DATA.get("frames_out", 2)
