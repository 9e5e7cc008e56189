"""The innermost reason is found in the messages of Keras and TensorFlow, recorded here."""

from __future__ import annotations

import pytest

from pedl2det_runtime.errors.trial_code import Reason, one_line, reason_in

LAYER = """\
in user code:

    File "/env/tf_keras/src/engine/training.py", line 1439, in train_function  *
        for _ in tf.range(self._steps_per_execution):

    ValueError: 'outputs' must be defined before the loop
    Note: AutoGraph tried to define it automatically, but ran into a ValueError: Exception \
encountered when calling layer 'lstm' (type LSTM).
    
    Unrolling requires a fixed number of timesteps.
    
    Call arguments received by layer 'lstm' (type LSTM):
      • inputs=tf.Tensor(shape=(None, None, 1), dtype=float32)
      • mask=None
      • training=True
"""  # noqa: W293 - as it was printed
TRACED_IN_A_LAYER = """\
Exception encountered when calling layer "scale" (type Scale).

in user code:

    File "/trial/model_def.py", line 11, in call  *
        return tf.matmul(x, self.w)

    ValueError: Dimensions must be equal, but are 8 and 7 for '{{node scale/MatMul}} = MatMul\
[T=DT_FLOAT, grad_a=false, transpose_b=false](Placeholder, scale/MatMul/ReadVariableOp)' with \
input shapes: [?,8], [7,2].


Call arguments received by layer "scale" (type Scale):
  • x=tf.Tensor(shape=(None, 8), dtype=float32)
"""
NAMED_LAYER = """\
Exception encountered when calling layer 'sequential' (type Sequential).

Input 0 of layer "conv2d" is incompatible with the layer: expected min_ndim=4, found ndim=2.

Call arguments received by layer 'sequential' (type Sequential):
  • inputs=tf.Tensor(shape=(None, 3), dtype=float32)
"""
OPERATION = """\
Graph execution error:

Detected at node while/mean_squared_error/SquaredDifference defined at (most recent call last):
  File "/trial/run.py", line 110, in _fit

  File "/env/keras/src/losses.py", line 1706, in mean_squared_error

Incompatible shapes: [4,2] vs. [4,3]
\t [[{{node while/mean_squared_error/SquaredDifference}}]] [Op:__inference_train_function_1145]
"""
IN_A_LOOP = OPERATION.replace("while/mean", "while/body/_1/while/StatefulPartitionedCall/mean")
OLDER_OPERATION = """\
Graph execution error:

Detected at node 'gradient_tape/mean_squared_error/BroadcastGradientArgs' defined at (most recent \
call last):
    File "/trial/train.py", line 9, in <module>
      model.fit(x, y)
Node: 'gradient_tape/mean_squared_error/BroadcastGradientArgs'
2 root error(s) found.
  (0) INVALID_ARGUMENT:  Incompatible shapes: [4,2] vs. [4,3]
\t [[{{node gradient_tape/mean_squared_error/BroadcastGradientArgs}}]]
  (1) CANCELLED:  Function was cancelled before it was started
0 successful operations.
0 derived errors ignored. [Op:__inference_train_function_1099]
"""
PY_FUNCTION = """\
Graph execution error:

Detected at node EagerPyFunc defined at (most recent call last):
<stack traces unavailable>
KeyError: 1
Traceback (most recent call last):

  File "/env/tensorflow/python/ops/script_ops.py", line 268, in __call__
    return func(device, token, args)
           ^^^^^^^^^^^^^^^^^^^^^^^^^

  File "/trial/model_def.py", line 7, in parse
    return {}[1]
           ~~^^^

KeyError: 1


\t [[{{node EagerPyFunc}}]]
\t [[while/body/_1/while/IteratorGetNext]] [Op:__inference_train_function_2691]
"""
EAGER = (
    "{{function_node __wrapped__SquaredDifference_device_/job:localhost/replica:0/task:0/device:"
    "CPU:0}} Incompatible shapes: [4,2] vs. [4,3] [Op:SquaredDifference] name: "
)
MAP = (
    "Error in user-defined function passed to MapDataset:1 transformation with iterator: "
    "Iterator::Root::Map: Need minval < maxval, got 3 >= 3\n\t [[{{node random_uniform}}]]"
)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        pytest.param(
            LAYER,
            Reason(
                "ValueError",
                "Unrolling requires a fixed number of timesteps.",
                "in LSTM layer 'lstm', inputs (None, None, 1)",
            ),
            id="layer",
        ),
        pytest.param(
            TRACED_IN_A_LAYER,
            Reason(
                "ValueError",
                "Dimensions must be equal, but are 8 and 7 for scale/MatMul with input shapes: "
                "[?,8], [7,2].",
                "in Scale layer 'scale', inputs (None, 8)",
            ),
            id="code-in-a-layer",
        ),
        pytest.param(
            NAMED_LAYER,
            Reason(
                "",
                'Input 0 of layer "conv2d" is incompatible with the layer: expected min_ndim=4, '
                "found ndim=2.",
                "",
            ),
            id="named-layer",
        ),
        pytest.param(
            OPERATION,
            Reason(
                "",
                "Incompatible shapes: [4,2] vs. [4,3]",
                "at mean_squared_error/SquaredDifference",
            ),
            id="operation",
        ),
        pytest.param(
            IN_A_LOOP,
            Reason(
                "",
                "Incompatible shapes: [4,2] vs. [4,3]",
                "at mean_squared_error/SquaredDifference",
            ),
            id="operation-in-a-loop",
        ),
        pytest.param(
            OLDER_OPERATION,
            Reason(
                "",
                "Incompatible shapes: [4,2] vs. [4,3]",
                "at mean_squared_error/BroadcastGradientArgs",
            ),
            id="older-operation",
        ),
        pytest.param(PY_FUNCTION, Reason("KeyError", "1", ""), id="py-function"),
        pytest.param(EAGER, Reason("", "Incompatible shapes: [4,2] vs. [4,3]", ""), id="eager"),
        pytest.param(MAP, Reason("", "Need minval < maxval, got 3 >= 3", ""), id="dataset"),
        pytest.param("no rows:\n  see the log", Reason("", "no rows: see the log", ""), id="own"),
        pytest.param("", Reason("", "", ""), id="empty"),
    ],
)
def test_the_innermost_reason(message: str, reason: Reason) -> None:
    assert reason_in(message) == reason


def test_an_exception_is_shown_with_its_cause() -> None:
    error = RuntimeError("cannot load the data")
    error.__cause__ = FileNotFoundError(2, "No such file or directory", "train.npy")
    assert one_line(error) == (
        "RuntimeError: cannot load the data; because of FileNotFoundError: [Errno 2] No such file "
        "or directory: 'train.npy'"
    )
