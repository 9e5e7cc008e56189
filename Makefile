# The two set-up commands of the README. They need Python and nothing else installed: the demo takes
# 3.11 to 3.13, what it finds first; the tests, which are about several TensorFlows, take 3.11.
FOUND = $(foreach one,python3.11 python3.12 python3.13,$(if $(shell $(one) -c 'print(1)' 2>&-),$(one)))
PYTHON ?= $(or $(firstword $(FOUND)),python3)
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
	python3.11 -m venv .nox/runner
	.nox/runner/bin/pip install --quiet 'nox>=2026.10'
	-.nox/runner/bin/pip install --quiet uv
	touch $@
