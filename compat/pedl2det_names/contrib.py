"""Names of ``tf.contrib``, which was removed in TensorFlow 2."""

from __future__ import annotations

from pedl2det_names.name import TENSORFLOW_2, Name, table

CONTRIB = "tensorflow.contrib"
_GONE = "it was removed in TensorFlow 2; implement it with tf.keras"

#: Names that moved out of ``tf.contrib`` unchanged, and their names below ``tensorflow``.
_MOVED = {
    "data.AUTOTUNE": "data.experimental.AUTOTUNE",
    "data.Counter": "compat.v1.data.experimental.Counter",
    "data.CsvDataset": "compat.v1.data.experimental.CsvDataset",
    "data.Optional": "experimental.Optional",
    "data.TFRecordWriter": "data.experimental.TFRecordWriter",
    "data.bucket_by_sequence_length": "data.experimental.bucket_by_sequence_length",
    "data.choose_from_datasets": "compat.v1.data.experimental.choose_from_datasets",
    "data.dense_to_sparse_batch": "data.experimental.dense_to_sparse_batch",
    "data.enumerate_dataset": "data.experimental.enumerate_dataset",
    "data.group_by_window": "data.experimental.group_by_window",
    "data.ignore_errors": "data.experimental.ignore_errors",
    "data.make_batched_features_dataset": "compat.v1.data.experimental."
    "make_batched_features_dataset",
    "data.make_csv_dataset": "compat.v1.data.experimental.make_csv_dataset",
    "data.map_and_batch": "data.experimental.map_and_batch",
    "data.parallel_interleave": "data.experimental.parallel_interleave",
    "data.parse_example_dataset": "data.experimental.parse_example_dataset",
    "data.prefetch_to_device": "data.experimental.prefetch_to_device",
    "data.rejection_resample": "data.experimental.rejection_resample",
    "data.sample_from_datasets": "compat.v1.data.experimental.sample_from_datasets",
    "data.scan": "data.experimental.scan",
    "data.shuffle_and_repeat": "data.experimental.shuffle_and_repeat",
    "data.unbatch": "data.experimental.unbatch",
    "data.unique": "data.experimental.unique",
    "distribute.MirroredStrategy": "distribute.MirroredStrategy",
    "distribute.OneDeviceStrategy": "distribute.OneDeviceStrategy",
    "framework.nest": "nest",
    "rnn.BasicLSTMCell": "compat.v1.nn.rnn_cell.BasicLSTMCell",
    "rnn.BasicRNNCell": "compat.v1.nn.rnn_cell.BasicRNNCell",
    "rnn.DropoutWrapper": "compat.v1.nn.rnn_cell.DropoutWrapper",
    "rnn.GRUCell": "compat.v1.nn.rnn_cell.GRUCell",
    "rnn.LSTMCell": "compat.v1.nn.rnn_cell.LSTMCell",
    "rnn.LSTMStateTuple": "compat.v1.nn.rnn_cell.LSTMStateTuple",
    "rnn.MultiRNNCell": "compat.v1.nn.rnn_cell.MultiRNNCell",
    "rnn.RNNCell": "compat.v1.nn.rnn_cell.RNNCell",
    "signal.frame": "signal.frame",
    "signal.linear_to_mel_weight_matrix": "signal.linear_to_mel_weight_matrix",
    "signal.mfccs_from_log_mel_spectrograms": "signal.mfccs_from_log_mel_spectrograms",
    "signal.stft": "signal.stft",
}

#: Names without a successor, and what to write instead.
_WRITE = {
    "layers.l1_regularizer": "write tf.keras.regularizers.l1(scale)",
    "layers.l2_regularizer": "write tf.keras.regularizers.l2(0.5 * scale)",
    "layers.variance_scaling_initializer": "write tf.keras.initializers.VarianceScaling(2.0)",
    "layers.xavier_initializer": "write tf.keras.initializers.GlorotUniform()",
    "layers.xavier_initializer_conv2d": "write tf.keras.initializers.GlorotUniform()",
    "opt.AdamWOptimizer": "use tf.keras.optimizers.AdamW",
    "training.HParams": "use a dict or a dataclass",
}

ROWS = table(
    *(Name(f"{CONTRIB}.{old}", f"tensorflow.{new}", TENSORFLOW_2) for old, new in _MOVED.items()),
    *(Name(f"{CONTRIB}.{old}", None, TENSORFLOW_2, False, write) for old, write in _WRITE.items()),
    Name(CONTRIB, None, TENSORFLOW_2, False, _GONE),
)


def lookup(dotted: str) -> Name | None:
    """Return the row of a name of ``tf.contrib``; every name of it has one."""
    if row := ROWS.get(dotted):
        return row
    if not dotted.startswith(f"{CONTRIB}."):
        return None
    return Name(dotted, None, TENSORFLOW_2, False, _GONE)
