"""Cases of P038."""

from __future__ import annotations

from rule_cases.cases import Case, migrated_pedl_trial, pedl_trial

_SPARSE = """\
from tensorflow.keras import losses, metrics
from tensorflow.keras.optimizers.legacy import SGD


def build(model):
    loss, sgd = losses.SparseCategoricalCrossentropy(True), SGD(0.1)
    model.compile(sgd, loss, metrics=[{metric}])
"""
_OF_CLASSES = """\
from tensorflow.keras.optimizers.legacy import SGD


def build(model):
    model.compile(SGD(), "categorical_crossentropy", metrics=["accuracy"])
"""
_WEIGHTED = """\
from tensorflow.keras.optimizers.legacy import SGD


def build(model):
    model.compile(SGD(), "binary_crossentropy", weighted_metrics=["accuracy"])
"""
_HIDDEN = """\
def build(model, optimizer, loss):
    model.compile(optimizer, loss, metrics=["acc"])
"""

_CHOSEN = """\
OWN = {"zero": lambda a, b: 0 * b}


def build(model, optimizer, names):
    metrics = [OWN.get(name, name) for name in names]
    model.compile(optimizer=optimizer, loss="binary_crossentropy", metrics=metrics)
"""
_SPLIT = """\
def build(model, optimizer, names):
    model.compile(optimizer, "binary_crossentropy", metrics=names.split(","))
"""
_OF_CLASSES_BY_NAME = """\
from tensorflow.keras import metrics

KINDS = {"auc": metrics.AUC, "hits": metrics.Metric}


def build(model, optimizer, names):
    model.compile(optimizer, "mse", metrics=[KINDS[name]() for name in names])
"""
CASES = (
    Case(
        pedl_trial(_SPARSE.format(metric='"acc"')),
        {
            "net.py": _SPARSE.format(metric='metrics.SparseCategoricalAccuracy(name="acc")'),
        },
    ),
    Case(pedl_trial(_OF_CLASSES), {"net.py": _OF_CLASSES}),
    Case(pedl_trial(_HIDDEN), migrated_pedl_trial("use_old_keras")),
    Case(pedl_trial(_WEIGHTED), migrated_pedl_trial("use_old_keras")),
    Case(pedl_trial(_CHOSEN), migrated_pedl_trial("use_old_keras")),
    Case(pedl_trial(_SPLIT), migrated_pedl_trial("use_old_keras")),
    Case(pedl_trial(_OF_CLASSES_BY_NAME), migrated_pedl_trial("use_old_keras")),
)
