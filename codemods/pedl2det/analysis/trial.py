"""What rules see of one project: its trial classes, loaders, names, values, and the context."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

import pedl2det_names as names
from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.context import ConfigUses, ContextReach, entry_of
from pedl2det.analysis.flow import Flow
from pedl2det.analysis.flow.values import Function, by_position, has_decorator
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source

#: The base of a trial that trains a script of PEDL as it is; only `migrate` writes it (P015).
SCRIPT_TRIAL = "pedl.frameworks.keras.ScriptTrial"
_NEW_TRIAL = "determined.keras.TFKerasTrial"
_OLD_TRIALS = {old for old, row in names.harness.ROWS.items() if row.new == _NEW_TRIAL}
TRIALS = _OLD_TRIALS | {
    *(_NEW_TRIAL, "determined.keras._tf_keras_trial.TFKerasTrial", SCRIPT_TRIAL)
}
PEDL_TRIALS = {dotted for dotted in TRIALS if dotted.startswith(f"{names.harness.ROOT}.")}
DETERMINED_TRIALS = TRIALS - PEDL_TRIALS
#: Methods that the old harness called with the hyperparameters.
GIVEN_HPARAMS = ("__init__", "build_model", "session_config", "keras_callbacks")
#: A hyperparameter of today, which ``batch_size`` becomes.
NEW_SIZE = "global_batch_size"
CONFIG_GETTERS = ("pedl.get_experiment_config", "pedl.util.get_experiment_config")
#: Names of Determined 0.12 that no later release had.
_OF_0_12 = frozenset({"InMemorySequence", "KerasDataAdapter", "TFKerasContext"})
#: Methods of the context that no release before 0.13.8 had.
_SINCE_0_13 = frozenset({"configure_fit", "wrap_optimizer"})


class Generation(Enum):
    """The API that a trial was written for."""

    PEDL = "PEDL"
    EARLY = "Determined 0.12"  #: its config counts in steps, or it names what only 0.12 had
    CONTEXT = "context-based"  #: Determined 0.13 and later


@dataclass(frozen=True)
class Reference:
    """One use of an old name."""

    source: Source  #: the file
    #: The import alias, or the longest dotted expression that means the name.
    node: ast.expr | ast.alias
    dotted: str  #: what it means
    row: names.Name | None  #: its row in the table of names, if it has one

    @property
    def is_import(self) -> bool:
        """Whether this is an import rather than a use."""
        return isinstance(self.node, ast.alias)

    @property
    def is_in_annotation(self) -> bool:
        """Whether it is in an annotation."""
        return self.source.names.annotation_around(self.node) is not None

    @property
    def call(self) -> ast.Call | None:
        """The call of this function, if it is called."""
        parent = self.source.names.parents.get(self.node)
        return parent if isinstance(parent, ast.Call) and parent.func is self.node else None


@dataclass
class Trial:
    """One project with the trials in it, as rules see it."""

    directory: Path  #: the directory that its modules are imported from
    modules: Modules  #: its Python files
    configs: Sequence[tuple[Path, Mapping[str, Any]]] = ()  #: its experiment configs, as values
    counts_in_steps: bool = False  #: whether a config does, as in PEDL and 0.12
    #: What the configs name: ``trial_class``, ``data_loaders_function``,
    #: ``download_data_function``, or ``entrypoint``, each as ``module:object``.
    entry_names: Mapping[str, frozenset[str]] | None = None
    is_whole: bool = True  #: whether every module could be read
    leftovers: frozenset[Path] = frozenset()  #: the files that no training imports
    carried: bool = False  #: whether the methods of its trials stay as they are
    #: The lines that no proof has executed, by each file that one has imported; none without one.
    unseen: Mapping[Path, frozenset[int]] = field(default_factory=dict)

    @cached_property
    def roots(self) -> list[ast.ClassDef]:
        """The classes that derive directly from a trial class of PEDL or Determined."""
        classes = self.modules.of(ast.ClassDef)
        return [node for node in classes if any(self.base_name(base) for base in node.bases)]

    @cached_property
    def _plain_flow(self) -> Flow:
        """The value flow before it is known which functions the harness calls."""
        return Flow(self.modules)

    def base_name(self, base: ast.expr) -> str | None:
        """The dotted name of a base, if it is a trial class of PEDL or Determined."""
        meaning = self.modules.meaning(base)
        if meaning is None and isinstance(base, ast.Name):  # a parameter of what makes the class
            for origin in self._plain_flow.origins(base):
                if isinstance(origin.node, ast.alias):
                    names = self.modules.home(origin.node).names
                    meaning = meaning or names.imported_as(origin.node)
        return meaning if meaning in TRIALS else None

    @cached_property
    def classes(self) -> list[ast.ClassDef]:
        """Every class of which a trial is an instance: trials, their bases and their mixins."""
        classes: list[ast.ClassDef] = []
        for root in self.roots:
            classes += [node for node in self._plain_flow.family(root) if node not in classes]
        return classes

    @cached_property
    def concrete(self) -> list[ast.ClassDef]:
        """The trial classes that no other class of the project derives from."""
        derived = [base for node in self.classes for base in self._plain_flow.bases(node)[1:]]
        last = [node for node in self.classes if node not in derived]
        return [node for node in last if {*self._plain_flow.bases(node)} & {*self.roots}]

    @cached_property
    def exposed(self) -> dict[str, list[ast.ClassDef]]:
        """The trial classes that ``__init__.py`` exposes, by their names there."""
        init = self.modules.by_name.get("__init__")
        exposed: dict[str, list[ast.ClassDef]] = {}
        for name in sorted(init.names.module_names()) if init is not None else ():
            assert init is not None
            for dotted in init.names.module_bindings(name):
                node = self.modules.definition(dotted or f"__init__.{name}")
                if isinstance(node, ast.ClassDef) and node in self.classes:
                    exposed.setdefault(name, []).append(node)
        return exposed

    def methods(self, *wanted: str) -> Iterator[tuple[ast.ClassDef, Function]]:
        """The methods of the trial classes with some names; all of them without names."""
        for owner in self.classes:
            named = [self._plain_flow.own_method(owner, name) for name in wanted]
            for node in owner.body:
                if isinstance(node, Function) and (not wanted or node in named):
                    yield owner, node

    @cached_property
    def generation(self) -> Generation:
        """The API that the trials were written for."""
        bases = {self.base_name(base) for root in self.roots for base in root.bases}
        if bases & PEDL_TRIALS or not bases & TRIALS:
            return Generation.PEDL
        used = {node.attr for node in self.modules.of(ast.Attribute)}
        if used & _SINCE_0_13:
            return Generation.CONTEXT
        old = {reference.dotted.rpartition(".")[2] for reference in self.references}
        return Generation.EARLY if self.counts_in_steps or old & _OF_0_12 else Generation.CONTEXT

    @cached_property
    def in_batches(self) -> list[str]:
        """The configs whose length is in batches, records or epochs, as since Determined 0.13."""
        lengths = self.settings("searcher", "max_length")
        return [path.name for path, length in lengths if isinstance(length, Mapping)]

    @property
    def is_early(self) -> bool:
        """Whether it is trained as by Determined 0.12, which ``run`` decides by the config."""
        # By the API if there are configs of both kinds, or none.
        is_mixed = self.counts_in_steps == bool(self.in_batches)
        if self.generation is Generation.PEDL or not is_mixed:
            return self.generation is not Generation.PEDL and self.counts_in_steps
        return self.generation is Generation.EARLY

    @property
    def is_of_today(self) -> bool:
        """Whether it is trained as by Determined since 0.13."""
        return self.generation is not Generation.PEDL and not self.is_early

    @cached_property
    def context_based_roots(self) -> list[ast.ClassDef]:
        """The context-based trials in a directory with trials of PEDL."""
        bases = {root: {self.base_name(base) for base in root.bases} for root in self.roots}
        if not any(of_one & PEDL_TRIALS for of_one in bases.values()):
            return []
        return [root for root, of_one in bases.items() if of_one & DETERMINED_TRIALS]

    @cached_property
    def several_functions(self) -> list[str]:
        """The keys of functions of the old harness for which configs name several."""
        keys = ("data_loaders_function", "download_data_function")
        return [key for key in keys if len((self.entry_names or {}).get(key, ())) > 1]

    @cached_property
    def loaders(self) -> Function | None:
        """``make_data_loaders``, by whatever name the configs or the package expose it."""
        return self._function_at(self.loaders_place)

    @cached_property
    def download(self) -> Function | None:
        """``download_data``, if the old harness called one."""
        return self._function_at(self.download_place)

    @cached_property
    def loaders_place(self) -> str | None:
        """The dotted name of ``make_data_loaders``, which may be no plain function."""
        return self._harness_place("make_data_loaders", "data_loaders_function")

    @cached_property
    def loaders_home(self) -> Source | None:
        """The file that defines ``make_data_loaders``."""
        return self.modules.split(self.loaders_place)[0] if self.loaders_place else None

    @cached_property
    def download_place(self) -> str | None:
        """The dotted name of ``download_data``."""
        return self._harness_place("download_data", "download_data_function")

    @property
    def harness_functions(self) -> list[Function]:
        """``make_data_loaders`` and ``download_data``, if the old harness called them."""
        return [function for function in (self.loaders, self.download) if function is not None]

    @property
    def hparams_parameters(self) -> list[ast.arg]:
        """The parameters that the old harness filled with the hyperparameters."""
        methods = [method for _, method in self.methods(*GIVEN_HPARAMS)]
        functions = [*methods, *self.harness_functions]
        return [parameter for function in functions for parameter in by_position(function)[1:2]]

    def _function_at(self, place: str | None) -> Function | None:
        home, local = self.modules.split(place) if place else (None, "")
        owner, _, method = local.rpartition(".")
        if home is None or len(home.names.module_bindings(owner or method)) != 1:
            return None  # such as one definition for each platform
        function = self.modules.definition(place or "")
        if not isinstance(function, ast.FunctionDef) or (
            owner and not has_decorator(function, "staticmethod")
        ):
            return None
        return function

    def _harness_place(self, name: str, key: str) -> str | None:
        """Where a function that the old harness called is defined: a dotted name."""
        if self.generation is not Generation.PEDL or not self.roots:
            return None
        named = sorted((self.entry_names or {}).get(key, ()))
        candidates = [entry.replace(":", ".") for entry in named]
        if "__init__" in self.modules.by_name:
            candidates.append(f"__init__.{name}")
        beside = [self.modules.name_of(self.modules.home(root)) for root in self.roots]
        candidates += [f"{module}.{name}" for module in (*beside, *self.modules.by_name)]
        return next((bound for place in candidates if (bound := self.modules.bound(place))), None)

    @cached_property
    def init_effect(self) -> ast.stmt | None:
        """The first statement of ``__init__.py`` that makes importing it first necessary."""
        if self.generation is not Generation.PEDL or not self.concrete:
            return None
        places = [place for place in (self.loaders_place, self.download_place) if place is not None]
        homes = [self.modules.home(owner) for owner in self.concrete]
        homes += [home for place in places if (home := self.modules.split(place)[0]) is not None]
        return self.modules.init_effect(homes)

    @cached_property
    def trained(self) -> Trial:
        """This project without the files that no training imports, as ``run`` sees it."""
        return self._without(self.leftovers)

    @cached_property
    def each(self) -> list[Trial]:
        """This project for each of its trials, without the files that only others import."""
        homes = {home.path: home for home in map(self.modules.home, self.roots)}
        imported = (self.modules.run_by_importing([home]) for home in homes.values())
        reached = [{source.path for source in sources} for sources in imported]
        every = set().union(*reached)
        return [self._without(every - own) for own in reached] or [self]

    def _without(self, paths: Set[Path]) -> Trial:
        sources = self.modules.by_name.items()
        remaining = {name: source for name, source in sources if source.path not in paths}
        is_less = 0 < len(remaining) < len(sources)
        return replace(self, modules=Modules(remaining)) if is_less else self

    def settings(self, section: str, key: str) -> Iterator[tuple[Path, Any]]:
        """The values of ``section.key`` in the configs that have it."""
        for path, config in self.configs:
            inside = config.get(section)
            if isinstance(inside, Mapping) and key in inside:
                yield path, inside[key]

    def mentions(self, words: str) -> bool:
        """Whether the code or the configs match a pattern, or may do so in carried code."""
        texts = [source.text for source in self.modules]
        texts += [repr(config) for _, config in self.configs]
        return self.carried or any(re.search(words, text) for text in texts)

    def unseen_lines(self, source: Source) -> Container[int]:
        """The lines whose behaviour is unknown, because a proof has not executed them.

        Rules write there what only old libraries did, wherever it may matter.
        """
        if not self.unseen or source.path in self.leftovers:
            return ()
        return self.unseen.get(source.path, range(1, len(source.lines) + 1))

    def is_unseen(self, node: ast.AST) -> bool:
        """Whether the behaviour of code is unknown: see :meth:`unseen_lines`."""
        return getattr(node, "lineno", 0) in self.unseen_lines(self.modules.home(node))

    @cached_property
    def flow(self) -> Flow:
        """The value-flow graph."""
        given = self.harness_functions
        entries = [*given, *(method for _, method in self.methods())]
        given += [method for _, method in self.methods(*GIVEN_HPARAMS)]
        return Flow(self.modules, frozenset(entries), frozenset(given))

    @cached_property
    def context(self) -> ContextReach:
        """Where code can get the trial's context."""
        if self.carried:
            return ContextReach(self.flow, (), None, None)
        is_given = self.generation is not Generation.PEDL
        loaders, download = self.loaders, self.download
        return ContextReach(self.flow, self.classes, loaders, download, is_given=is_given)

    @cached_property
    def config_uses(self) -> ConfigUses:
        """What code does with the experiment config."""
        today: list[ast.Call | ast.arg] = []
        as_before: list[ast.Call | ast.arg] = []
        is_handed_on = self.loaders is None and self.loaders_place is not None
        for reference in self.uses(*CONFIG_GETTERS):
            is_handed_on |= reference.call is None
            if reference.call is not None:
                is_known = self.context.at(reference.call) is not None
                (today if is_known else as_before).append(reference.call)
        for function in self.harness_functions:
            config = entry_of(function).config
            if config is not None:
                (today if self.context.can_take(function) else as_before).append(config)
        today += self.asked_of_context("get_experiment_config")
        uses = ConfigUses(self.flow, today, as_before)
        uses.is_plain &= not is_handed_on and not self.carried
        return uses

    def asked_of_context(self, name: str) -> list[ast.Call]:
        """The calls of a method of the context in a trial of early Determined."""
        if self.generation is not Generation.EARLY and not self.is_early:
            return []
        calls = self.modules.of(ast.Call)
        named = [call for call in calls if getattr(call.func, "attr", "") == name]
        return [call for call in named if not self.flow.called(call)]

    def today(self, node: ast.AST) -> str:
        """The dotted name that an expression means, as it is today; empty if it has none."""
        dotted = self.modules.meaning(node) or ""
        new = today(dotted)
        return dotted if new == dotted or self.modules.split(dotted)[0] is not None else new

    @cached_property
    def references(self) -> list[Reference]:
        """Every old name in the project to migrate, except on lines that the user excludes."""
        # ``run`` serves no old Keras to the files of context-based trials beside PEDL's.
        old = [
            self.modules.home(root) for root in self.roots if root not in self.context_based_roots
        ]
        homes = [self.modules.home(root) for root in self.context_based_roots]
        homes = [home for home in homes if home not in old]
        served = [reference for reference in self.all_references if reference.source not in homes]
        return [use for use in served if use.node.lineno not in use.source.skipped]

    @cached_property
    def all_references(self) -> list[Reference]:
        """Every old name in the project, in the order of the files and their text."""
        return [*references_in(self.modules)]

    def uses(self, *dotted: str) -> list[Reference]:
        """The places that use some names, other than imports."""
        uses = (reference for reference in self.references if not reference.is_import)
        return [use for use in uses if use.dotted in dotted]


def today(dotted: str | None) -> str:
    """A dotted name as it is today; an empty string for none."""
    if dotted == "tensorflow.optimizers":  # the same module
        return "tensorflow.keras.optimizers"
    row = names.lookup(dotted) if dotted else None
    return (row.new if row is not None and row.new else dotted) or ""


def references_in(modules: Modules) -> Iterator[Reference]:
    """Every old name in some files, in the order of the files and their text."""
    for source in modules:
        known = source.names
        places: list[tuple[ast.expr | ast.alias, str | None]] = []
        for node in known.of(ast.Import, ast.ImportFrom, ast.Name, ast.Attribute):
            if isinstance(node, ast.Import | ast.ImportFrom):
                places += [(alias, known.follow(imported_as(node, alias))) for alias in node.names]
            elif (
                isinstance(node, ast.Name | ast.Attribute)
                and isinstance(node.ctx, ast.Load)
                and not _is_old(modules, known.qualified(known.parents[node]))  # a longer name
            ):
                places.append((node, known.qualified(node)))
        for place, dotted in places:
            if dotted is not None and _is_old(modules, dotted):
                yield Reference(source, place, dotted, names.lookup(dotted))


def _is_old(modules: Modules, dotted: str | None) -> bool:
    """Whether a name is old; a library's is not if the project has a copy of the library."""
    if dotted is None or names.is_legacy(dotted):
        return dotted is not None
    return names.lookup(dotted) is not None and modules.split(dotted)[0] is None


# The getters of PEDL, and the methods of the context for the same.

#: What each getter is on the context; the argument of the call is ``{key}``.
GETTERS = {
    **{
        row.old: row.new
        for row in names.harness.ROWS.values()
        if row.new and row.new.startswith("{context}")
    },
    "pedl.get_hyperparameter": "{context}.get_hparam({key})",
    "pedl.util.get_hyperparameters": "{context}.get_hparams()",
    "pedl.trial_controller.util.get_rank": "{context}.distributed.get_rank()",
    "determined.trial_controller.util.get_rank": "{context}.distributed.get_rank()",
}

#: An error for a missing key, unless it is raised.
_CAUGHT = re.compile(r"(?<!raise )\b(?:Key|Lookup)Error\b")


def ask_context(trial: Trial, reference: Reference) -> tuple[ast.expr, str] | None:
    """The expression to replace around a getter, and how to ask the context for its value.

    None where the context has no method for the same: the getter is not called, or the name of
    the hyperparameter is computed and may be ``batch_size``.
    """
    call = reference.call
    code = GETTERS[reference.dotted]
    if call is None or "get_hparams" in code:
        return None
    if reference.dotted.endswith("get_experiment_config"):
        data = data_section(reference.source.names.parents, call)
        return (call, code) if data is None else (data, "{context}.get_data_config()")
    if "{key}" not in code:
        return call, code
    key = key_of(call)
    asked = ask_for_hparam(trial, key) if key is not None else None
    return (call, asked) if asked is not None else None


def ask_for_hparam(trial: Trial, key: ast.expr) -> str | None:
    """How to ask the context for a hyperparameter, by the expression of its name.

    None where its name is computed and may be ``batch_size``, which it does not have, and for
    what only the context has.
    """
    nodes = [None if origin.path else origin.node for origin in trial.flow.origins(key)]
    names = [node.value for node in nodes if isinstance(node, ast.Constant)]
    if names == ["batch_size"] and len(nodes) == 1:
        return "{context}.get_per_slot_batch_size()"
    if len(names) < len(nodes) or "batch_size" in names or NEW_SIZE in names:
        return None
    if any(_CAUGHT.search(source.text) for source in trial.modules):
        return "{context}.get_hparams()[{key}]"  # the code may catch its error
    return "{context}.get_hparam({key})"


def key_of(call: ast.expr) -> ast.expr | None:
    """The only argument of a call; None if it has another number, or a hidden one."""
    match call:
        case (
            ast.Call(args=[key], keywords=[])
            | ast.Call(args=[], keywords=[ast.keyword(arg=str(), value=key)])
        ) if not isinstance(key, ast.Starred):
            return key
    return None


def data_section(parents: Mapping[ast.AST, ast.AST], config: ast.expr) -> ast.expr | None:
    """The expression ``config()["data"]`` or ``config().get("data", {})`` around the config."""
    parent = parents.get(config)
    outer = parents.get(parent) if parent is not None else None
    match parent, outer:
        case ast.Subscript(slice=ast.Constant(value="data"), ctx=ast.Load()), _:
            return parent
        case ast.Attribute(attr="get"), ast.Call(args=[ast.Constant(value="data"), *_]):
            return outer
    return None
