"""Names of ``tf.contrib``, which was removed in TensorFlow 2."""

from __future__ import annotations

from pedl2det_names.name import TENSORFLOW_2, Name, gone, table

CONTRIB = "tensorflow.contrib"
_GONE = "it was removed in TensorFlow 2; implement it with tf.keras"

#: Names that moved out of ``tf.contrib`` unchanged: the old module, the new one, the names.
_MOVED = (
    (
        *("data", "data.experimental"),
        "AUTOTUNE TFRecordWriter bucket_by_sequence_length dense_to_sparse_batch enumerate_dataset "
        "group_by_window ignore_errors map_and_batch parallel_interleave parse_example_dataset "
        "prefetch_to_device rejection_resample scan shuffle_and_repeat unbatch unique",
    ),
    (
        *("data", "compat.v1.data.experimental"),
        "Counter CsvDataset choose_from_datasets make_batched_features_dataset make_csv_dataset "
        "sample_from_datasets",
    ),
    ("data", "experimental", "Optional"),
    ("distribute", "distribute", "MirroredStrategy OneDeviceStrategy"),
    (
        *("rnn", "compat.v1.nn.rnn_cell"),
        "BasicLSTMCell BasicRNNCell DropoutWrapper GRUCell LSTMCell LSTMStateTuple MultiRNNCell "
        "RNNCell",
    ),
    (
        *("signal", "signal"),
        "frame linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms stft",
    ),
)

#: Names without a successor that support pieces implement.
_SUPPORTED = (
    *("layers.l1_regularizer", "layers.l2_regularizer", "layers.variance_scaling_initializer"),
    *("layers.xavier_initializer", "layers.xavier_initializer_conv2d", "training.HParams"),
)

ROWS = table(
    *(
        Name(f"{CONTRIB}.{old}.{name}", f"tensorflow.{new}.{name}", TENSORFLOW_2)
        for old, new, names in _MOVED
        for name in names.split()
    ),
    Name(f"{CONTRIB}.framework.nest", "tensorflow.nest", TENSORFLOW_2),
    *(
        gone(f"{CONTRIB}.{old}", "", old.partition(".")[2], since=TENSORFLOW_2)
        for old in _SUPPORTED
    ),
    gone(f"{CONTRIB}.opt.AdamWOptimizer", "use tf.keras.optimizers.AdamW", since=TENSORFLOW_2),
    gone(CONTRIB, _GONE, since=TENSORFLOW_2),
)


def lookup(dotted: str) -> Name | None:
    """Return the row of a name of ``tf.contrib``; every name of it has one."""
    if row := ROWS.get(dotted):
        return row
    if not dotted.startswith(f"{CONTRIB}."):
        return None
    return gone(dotted, _GONE, since=TENSORFLOW_2)
