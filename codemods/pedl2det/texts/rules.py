"""The rules about configs, commands, notebooks and requirements, with examples that tests run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TextRule:
    """One rule.

    Attributes:
        id: its code, as reports print it.
        name: its name in words.
        doc: what it rewrites to what, and why.
        file: the name of the file of its example; empty if there is none.
        before: the text before.
        after: the text after; the same for a rule that only reports.
    """

    id: str
    name: str
    doc: str
    file: str = ""
    before: str = ""
    after: str = ""

    @property
    def example(self) -> list[tuple[str, str, str]]:
        """The file of its example: the name, the text before and after."""
        return [(self.file, self.before, self.after)] if self.file else []


_SINGLE = "searcher: {name: single, metric: val_loss, max_length: {batches: 100}}\n"
_RANDOM = "searcher:\n  name: random\n  metric: val_loss\n  max_trials: 8\n  max_steps: 10\n"
_RANDOM_NOW = _RANDOM.replace("max_steps: 10", "max_length:\n    batches: 1000")


def _config(text: str, searcher: str = _SINGLE) -> str:
    return f"entrypoint: model_def:T\n{text}{searcher}"


RULES = (
    TextRule(
        "C100",
        "config-unreadable",
        "A config that is not YAML, has a key twice, or cannot be edited without changing its "
        "meaning is left, and no longer runs.",
        "const.yaml",
        _config("hyperparameters: {a: 1, a: 2}\n"),
        _config("hyperparameters: {a: 1, a: 2}\n"),
    ),
    TextRule(
        "C101",
        "config-batch-size",
        "The hyperparameter batch_size is called global_batch_size.",
        "const.yaml",
        _config("hyperparameters:\n  batch_size: 32  # records\n"),
        _config("hyperparameters:\n  global_batch_size: 32  # records\n"),
    ),
    TextRule(
        "C102",
        "config-lengths",
        "A step is batches_per_step batches, 100 unless the config says otherwise. Lengths and "
        "periods are in batches; batches_per_step is scheduling_unit.",
        "const.yaml",
        _config(
            "batches_per_step: 50\nmin_validation_period: 2\n",
            "searcher: {name: single, metric: val_loss, max_steps: 6}\nhyperparameters: {}\n",
        ),
        _config(
            "scheduling_unit: 50\nmin_validation_period:\n  batches: 100\n",
            "searcher: {name: single, metric: val_loss, max_length: {batches: 300}}\n"
            "hyperparameters: {}\n",
        ),
    ),
    TextRule(
        "C103",
        "config-int-bounds",
        "The upper bound of an integer was excluded where a search drew values, before Determined "
        "0.17, and is included today. A range of one number becomes a constant. A grid always had "
        "both ends.",
        "random.yaml",
        _config("hyperparameters:\n  units: {type: int, minval: 1, maxval: 9}\n", _RANDOM),
        _config("hyperparameters:\n  units: {type: int, minval: 1, maxval: 8}\n", _RANDOM_NOW),
    ),
    TextRule(
        "C104",
        "config-floats",
        "PEDL read 1e-4 as a float (YAML 1.2); PyYAML reads text (YAML 1.1). 1.0e-4 is a float to "
        "both.",
        "const.yaml",
        _config("hyperparameters:\n  rate: 1e-4\n"),
        _config("hyperparameters:\n  rate: 1.0e-4\n"),
    ),
    TextRule(
        "C105",
        "config-entrypoint",
        "PEDL took the only trial of the package, or the parts that entrypoints named. A config "
        "names its trial as module:Class.",
        "const.yaml",
        f"entrypoints:\n  trial_class: model_def:T\nhyperparameters: {{}}\n{_SINGLE}",
        f"entrypoint: model_def:T\nhyperparameters: {{}}\n{_SINGLE}",
    ),
    TextRule(
        "C106",
        "config-metric",
        "searcher.metric follows the trial: val_ before the metrics of a KerasTrial, val_accuracy "
        "for val_acc where the trial says accuracy.",
        "const.yaml",
        _config("hyperparameters: {}\n", _SINGLE.replace("val_loss", "val_acc")),
        _config("hyperparameters: {}\n", _SINGLE.replace("val_loss", "val_accuracy")),
    ),
    TextRule(
        "C107",
        "config-script",
        "The config of a script gets the global_batch_size that a trial needs: the size by which "
        "the script cuts its data, times the slots.",
        "const.yaml",
        f"entrypoint: {{script: train.py}}\nhyperparameters: {{units: 4}}\n{_SINGLE}",
        f"entrypoint: model_def:T\nhyperparameters: {{units: 4, global_batch_size: 16}}\n{_SINGLE}",
    ),
    TextRule(
        "C108",
        "config-searches",
        "adaptive and adaptive_simple become adaptive_asha, sync_halving becomes async_halving; a "
        "budget becomes max_trials, the budget divided by the length of a trial. pbt is left. Keys "
        "that a searcher does not have go.",
        "adaptive.yaml",
        _config(
            "hyperparameters: {}\n",
            "searcher:\n  name: adaptive\n  metric: val_loss\n  mode: standard\n"
            "  target_trial_steps: 64\n  step_budget: 640\n",
        ),
        _config(
            "hyperparameters: {}\n",
            "searcher:\n  name: adaptive_asha\n  metric: val_loss\n  mode: standard\n"
            "  max_length:\n    batches: 6400\n  max_trials: 10\n",
        ),
    ),
    TextRule(
        "C109",
        "config-removed-keys",
        "Keys that had an effect on PEDL or early Determined and are rejected today go: versions "
        "of TensorFlow and Keras, resources.distributed, data_layer. Packages and commands of the "
        "environment become a comment that says what startup-hook.sh does.",
        "const.yaml",
        _config("hyperparameters: {}\nenvironment:\n  runtime_packages: [pandas]\n"),
        _config("hyperparameters: {}\n# startup-hook.sh: pip install pandas\n"),
    ),
    TextRule(
        "C110",
        "config-unknown-keys",
        "Determined rejects a config with keys that it does not know. They stay, because the "
        "trial may read them: a note, and for a cluster a mark.",
        "const.yaml",
        _config("hyperparameters: {}\nteam: {owner: ada}\n"),
        _config("hyperparameters: {}\nteam: {owner: ada}\n"),
    ),
    TextRule(
        "C111",
        "config-epochs",
        "A length in epochs is marked where the config does not have records_per_epoch.",
        "const.yaml",
        _config("hyperparameters: {}\n", _SINGLE.replace("batches", "epochs")),
        _config("hyperparameters: {}\n", _SINGLE.replace("batches", "epochs")),
    ),
    TextRule(
        "C112",
        "config-hyperparameters",
        "A hyperparameter of type log has to name its base, 10 by default; one of a grid needs a "
        "count; keys that its type does not have go.",
        "const.yaml",
        _config("hyperparameters:\n  rate: {type: log, minval: -4, maxval: -2}\n"),
        _config("hyperparameters:\n  rate: {type: log, minval: -4, maxval: -2, base: 10.0}\n"),
    ),
    TextRule(
        "N201",
        "shell-lines",
        "pedl experiment create CONFIG DIR becomes pedl2det run DIR -c CONFIG, or pedl2det search "
        "if the searcher of CONFIG is not single, or with --cluster det experiment create CONFIG "
        "DIR, in shell scripts, Makefiles, Dockerfiles, notebooks and Markdown. A note says where "
        "CONFIG could not be read. pip install pedl installs pedl2det, or determined.",
        "run.sh",
        "pip install -q pedl==0.11 && pedl -m host e create a.yaml . -f >log 2>&1\n",
        "pip install -q 'pedl2det[run]' && pedl2det run . -c a.yaml >log 2>&1\n",
    ),
    TextRule(
        "N202",
        "notebook-files",
        "A notebook's cell that writes a file or runs a program with old code, such as "
        "%%writefile, is left: migrate what it holds as a file.",
    ),
    TextRule(
        "N203",
        "pedlignore",
        "With --cluster: det reads .detignore, in the same form as .pedlignore. A note: rename the "
        "file yourself.",
        ".pedlignore",
        "*.h5\n",
        "*.h5\n",
    ),
    TextRule(
        "N204",
        "notebook-trial",
        "A trial in a notebook is migrated, and a note says that no entrypoint can name it.",
    ),
    TextRule(
        "R301",
        "requirements",
        "A requirement on pedl, which no index serves, becomes pedl2det[run], or with --cluster "
        "determined; its marker and comment stay. In setup.py, setup.cfg, pyproject.toml and "
        "environment.yml it is left.",
        "requirements.txt",
        "numpy\nPEDL[x]>=0.9,<1 ; python_version < '3.9'  # harness\n",
        "numpy\npedl2det[run] ; python_version < '3.9'  # harness\n",
    ),
    TextRule(
        "R302",
        "old-pins",
        "tensorflow==1.14, keras==2.2.4, numpy<1.19 cannot be met beside pedl2det[run]: no version "
        "is in both. Beside it, and in the directory of a trial, they become what it needs. In "
        "files that serve other code too, for a cluster, and of images it is a note; in "
        "setup.py, setup.cfg, pyproject.toml and environment.yml it is left.",
        "requirements.txt",
        "pedl2det[run]\ntensorflow==1.14.0\nnumpy<3\n",
        "pedl2det[run]\ntensorflow>=2.15,<2.22\nnumpy<3\n",
    ),
)
