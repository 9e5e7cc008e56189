"""Capture the state of one rank for a checkpoint while a trial trains, and restore it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pedl2det_runtime.backends import graph_mode, graph_random, keras_versions, random_state
from pedl2det_runtime.checkpoint import model_files
from pedl2det_runtime.checkpoint.state import RankState
from pedl2det_runtime.checkpoint.untrusted_files import reading
from pedl2det_runtime.data.attribute_changes import AttributeChanges
from pedl2det_runtime.data.workers import own_on_epoch_end
from pedl2det_runtime.training.trial_setup import TrialSetup


class RankStateCapture:
    """Random states, and the state of data, callbacks and gradient sums of one rank.

    It must be created before the data of the trial are read.
    """

    def __init__(self, setup: TrialSetup) -> None:
        self._setup = setup
        self._attributes = {
            "training": AttributeChanges(setup.data.training),
            "validation": AttributeChanges(setup.data.validation),
        }

    def capture(self) -> RankState:
        """Return the state at the current batch."""
        return RankState(
            random=random_state.host_state(),
            callbacks=self._setup.callbacks.dump_states(),
            loaders={name: attributes.changes() for name, attributes in self._attributes.items()},
            layers=model_files.layer_states(self._setup.context.model),
            gradients=[variable.numpy() for variable in self._gradient_sums()],
            operations=graph_random.states(),
        )

    def may_repeat_validation(self, before: dict[str, Any]) -> bool:
        """Return whether a validation that stops now can be repeated after a resume.

        A resumed run loads its first training batch before the validation. So a validation must not
        be stopped if it has changed the random states since ``before``, or may do so at its end.
        Nor if its data have changed, or callbacks take part in it: they may count.
        """
        return not (
            random_state.host_state() != before
            or self._setup.callbacks.act_within_validations
            or own_on_epoch_end(self._setup.data.validation) is not None
            or self._attributes["validation"].changes()
        )

    def capture_within_workload(self) -> RankState:
        """Return the state with the sums of the metrics since the last report."""
        variables = keras_versions.metric_variables(self._setup.context.model)
        return replace(self.capture(), metrics=[graph_mode.value(sums) for sums in variables])

    def restore_metrics(self, own: RankState) -> None:
        """Restore the sums of the metrics of an interrupted workload."""
        variables = keras_versions.metric_variables(self._setup.context.model)
        if len(variables) != len(own.metrics):
            self._setup.run.say("the next report averages the metrics from the checkpoint on")
            return
        for variable, value in zip(variables, own.metrics, strict=True):
            graph_mode.assign(variable, value)

    def restore_data(self, own: RankState) -> None:
        """Restore the states of the data, and the random states, before the model is built."""
        for name, attributes in self._attributes.items():
            with reading(own.directory / "loaders.json"):
                attributes.restore(own.loaders[name])
        if not own.random:
            self._setup.run.say("the checkpoint holds no random states: they begin as in a new run")
        else:
            random_state.restore_host_state(own.random)

    def check_operations(self, own: RankState) -> None:
        """Report random operations of graph mode that are not restored; call it when all exist."""
        if not graph_mode.is_chosen():
            return
        others = graph_random.not_resumable(self._setup.context.model)
        if len(own.operations) != graph_random.count():
            others.append("the checkpoint holds states of other operations")
        if others:
            self._setup.run.say(
                f"random operations of graph mode start again ({', '.join(others)}): the results "
                "differ from those of an uninterrupted run"
            )

    def restore_built(self, own: RankState) -> None:
        """Restore random operations of graph mode, and the gradients since the last step."""
        if graph_mode.is_chosen():
            with reading(own.directory / "operations.npz"):
                graph_random.restore(own.operations)
        variables = self._gradient_sums()
        if len(variables) != len(own.gradients):
            self._setup.run.say(
                "the checkpoint and this run aggregate gradients differently "
                "(optimizations.aggregation_frequency, or slots): their sums start again at zero"
            )
            return
        with reading(own.directory / "gradients.npz"):
            for variable, value in zip(variables, own.gradients, strict=True):
                variable.assign(value)

    def _gradient_sums(self) -> list[Any]:
        return [variable for part in self._setup.accumulators for variable in part.variables]
