# The two set-up commands of the README. Both need Python 3.11 and nothing else installed.
PYTHON ?= python3.11
VENV := .venv

.PHONY: demo test bench clean

# Install, and do the main job: the old trial trains, migrates, and is proved equal.
demo: $(VENV)/installed
	$(VENV)/bin/python scripts/demo.py

# Install, and pass all the tests, each set in an environment of its own.
# What was green and has not changed since is left out; ALL=1 leaves out nothing.
test: .nox/runner/installed
	PATH="$(CURDIR)/.nox/runner/bin:$$PATH" .nox/runner/bin/nox -j 2

# Measure, and write docs/performance.md: an hour on two cores, which should have nothing else to do.
bench: .nox/runner/installed
	.nox/runner/bin/nox -s benchmarks

clean:
	rm -rf $(VENV) .nox runs

$(VENV)/installed: pyproject.toml legacy_examples/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --editable '.[run,search]' -r legacy_examples/requirements.txt
	touch $@

.nox/runner/installed:
	$(PYTHON) -m venv .nox/runner
	.nox/runner/bin/pip install --quiet 'nox>=2026.10'
	-.nox/runner/bin/pip install --quiet uv
	touch $@
