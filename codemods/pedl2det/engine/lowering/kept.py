"""What a trial keeps of a plain call of ``fit``: its model, its data, its callbacks, its settings.

The old harness trained for as long as the config says, in the order of the data: ``epochs``,
``shuffle`` and ``verbose`` had no effect there, and are gone.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from pedl2det.analysis.callbacks import may_act_by_epoch
from pedl2det.analysis.trial import Trial
from pedl2det.engine.lowering.data import Data, data_of, is_hyperparameter, number, records_in_batch
from pedl2det.engine.lowering.fit_call import arguments_of, model_of
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.lowered import Facts
from pedl2det.findings import Kind

_ARRAYS = Data.ARRAYS
_KERAS_BATCH = 32  # what Keras took where fit named no batch size
_SETTINGS = ("class_weight", "workers", "use_multiprocessing", "max_queue_size")
#: Settings that say what Determined does anyway.
_DEFAULTS = {"workers": 1, "use_multiprocessing": False, "max_queue_size": 10}

_SPLIT = (
    "validation_split is done before the training: the last {} of the records are for validation"
)
_OWN_BATCHES = (
    "the data are batches already, of {records}; global_batch_size, {size}, says how many records "
    "count as one batch, where a length is in records or epochs"
)
_UNSEEN = "a number of records that only a run shows"
_ONE_THREAD = "a generator is drawn from by one thread: workers and processes are left out"
_LARGE = "arrays given to fit hold at least one batch, which Determined asks for"


@dataclass
class Kept:
    """The statements in the place of a call of ``fit``.

    Attributes:
        lines: templates of statements.
        support: the pieces of ``legacy_keras`` that they use.
        batch_size: what the configs must say, if they say nothing.
        said: what there is to say about the call.
        epoch: what says how many batches an epoch has; empty if no callback counts them.
    """

    lines: list[str] = field(default_factory=list)
    support: list[str] = field(default_factory=list)
    batch_size: int | None = None
    said: list[tuple[Kind, str]] = field(default_factory=list)
    epoch: str = ""

    def keep(self, attribute: str, code: str) -> None:
        """Keep a value on the trial."""
        self.lines.append(f"self.{attribute} = {code}")

    def piece(self, name: str, *arguments: str) -> str:
        """A call of a piece of ``legacy_keras``."""
        self.support.append(name)
        return f"legacy_keras.{name}({', '.join(one for one in arguments if one)})"


class Keeper:
    """Reads one call.

    Args:
        fits: the trainings of the project.
        call: the call, whose arguments can all be seen.
        facts: what is known beside the script.
    """

    def __init__(self, fits: Fits, call: ast.Call, facts: Facts) -> None:
        self._fits, self._facts = fits, facts
        self._given = arguments_of(call)
        self.holes = {"model": model_of(call), **self._given}
        self._size, self._size_code = self._batch_size(self._given.get("batch_size"))
        self._made = Kept()

    def kept(self) -> Kept:
        """The statements in the place of the call."""
        made = self._made
        made.keep("model", "{model}")
        if not self._facts.has_batch_size and self._size != "hyperparameter":
            made.batch_size = self._size_of_batches() or self._size or _KERAS_BATCH  # type: ignore
        self._data()
        if "callbacks" in self._given:
            made.keep("callbacks", "{callbacks}")
            trial = Trial(self._facts.path.parent, self._fits.modules)
            if may_act_by_epoch(trial, self._given["callbacks"]):
                made.epoch = "self.training_data"
                if "steps_per_epoch" in self._given:
                    made.epoch = "self.batches_per_epoch"
                    made.keep("batches_per_epoch", "{steps_per_epoch}")
        self._settings()
        return made

    def _batch_size(self, node: ast.expr | None) -> tuple[int | str | None, str]:
        """The records in a batch: a number, the hyperparameter, or None; and its code."""
        if node is None:
            return _KERAS_BATCH, str(_KERAS_BATCH)
        if is_hyperparameter(self._fits, node, "batch_size"):
            return "hyperparameter", "self.context.get_per_slot_batch_size()"
        value = number(self._fits, node)
        return (None, "") if value is None else (int(value), str(int(value)))

    def _size_of_batches(self) -> int | None:
        """The records in a batch that the data have already, where no arrays are cut."""
        given = self._given
        if {"y", "batch_size"} & given.keys() or "x" not in given:
            return None
        if "validation_data" in given and data_of(self._fits, given["validation_data"]) is _ARRAYS:
            return None
        return records_in_batch(self._fits, given["x"])

    def _data(self) -> None:
        made, given = self._made, self._given
        weights = ", {sample_weight}" if "sample_weight" in given else ""
        arrays = f"({{x}}, {{y}}{weights})"
        if "y" in given and "validation_data" not in given and "validation_split" in given:
            split = made.piece("split_arrays", arrays, "{validation_split}")
            made.lines.append(f"self.training_data, self.validation_data = {split}")
            for name in ("training_data", "validation_data"):
                if self._has_own_size():
                    made.keep(name, self._cut(f"self.{name}"))
            made.said.append((Kind.NOTE, _SPLIT.format(ast.unparse(given["validation_split"]))))
            return
        training = self._cut(arrays) if "y" in given else self._training()
        made.keep("training_data", training)
        if "validation_data" in given:
            made.keep("validation_data", self._validation(given["validation_data"]))

    def _has_own_size(self) -> bool:
        """Whether arrays are cut by another size than that of the config."""
        facts = self._facts
        other = facts.has_batch_size and facts.batch_size != self._size
        return self._size is None or (isinstance(self._size, int) and other)

    def _cut(self, code: str, batches: str = "", own: bool = False) -> str:
        """Arrays, which Determined cuts by the batch size of the config if it may."""
        if own or batches or self._has_own_size():
            size = "{validation_batch_size}" if own else self._size_code or "{batch_size}"
            return self._made.piece("ArrayBatches", code, size, batches)
        self._made.said.append((Kind.ASSUMPTION, _LARGE))
        return code

    def _training(self) -> str:
        if data_of(self._fits, self._given["x"]) is not Data.UNKNOWN:
            size, records = self._made.batch_size, records_in_batch(self._fits, self._given["x"])
            if size not in (None, records):
                of = f"{records} records" if records is not None else _UNSEEN
                message = _OWN_BATCHES.format(records=of, size=size)
                self._made.said.append((Kind.NOTE, message))
            return "{x}"
        steps = "{steps_per_epoch}" if "steps_per_epoch" in self._given else ""
        return self._made.piece(
            "batches", "{x}", f"default={steps or self._facts.batches_per_step}"
        )

    def _validation(self, node: ast.expr) -> str:
        kind = data_of(self._fits, node)
        steps = "{validation_steps}" if "validation_steps" in self._given else ""
        if kind is _ARRAYS:
            code = "{validation_data}"
            if isinstance(node, ast.List):
                self.holes |= {f"part_{at}": one for at, one in enumerate(node.elts)}
                code = f"({', '.join(f'{{part_{at}}}' for at in range(len(node.elts)))})"
            elif any(isinstance(one.node, ast.List) for one in self._fits.flow.origins(node)):
                code = "tuple({validation_data})"
            return self._cut(code, steps, own="validation_batch_size" in self._given)
        length = ast.unparse(self._given["validation_steps"]) if steps else ""
        if kind is Data.DATASET or (
            kind is Data.SEQUENCE and length in ("", f"len({ast.unparse(node)})")
        ):
            return "{validation_data}"
        piece = "FirstBatches" if kind is Data.SEQUENCE else "batches"
        return self._made.piece(piece, "{validation_data}", steps)

    def _settings(self) -> None:
        given, made = self._given, self._made
        wanted = [name for name in _SETTINGS if name in given and not self._is_default(name)]
        if "y" not in given and data_of(self._fits, given["x"]) is Data.UNKNOWN:
            kept = [name for name in wanted if name not in ("workers", "use_multiprocessing")]
            made.said += [(Kind.NOTE, _ONE_THREAD)] if kept != wanted else []
            wanted = kept
        if "validation_steps" in given and "validation_data" in given:
            is_dataset = data_of(self._fits, given["validation_data"]) is Data.DATASET
            wanted += ["validation_steps"] if is_dataset else []
        if wanted:
            settings = ", ".join(f"{name}={{{name}}}" for name in wanted)
            made.lines.append(f"self.context.configure_fit(shuffle=False, {settings})")

    def _is_default(self, name: str) -> bool:
        node = self._given[name]
        return isinstance(node, ast.Constant) and node.value == _DEFAULTS.get(name)
