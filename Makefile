# Targets for contributors, in an activated virtual environment; CONTRIBUTING.md tells more.
FUZZ_CASES ?= 10000
FUZZ_SEED ?= 0
MUTATE_JOBS ?= 2

.PHONY: help build test thorough debug sanitize memcheck fuzz mutate foreign bench ratios dashboard docs lint types format lock wheel wheels clean

help:  ## List the targets
	@sed -n 's/^\([a-z]*\):  ## /  \1\t/p' $(MAKEFILE_LIST)

build:  ## Compile the kernels in place and install what tests, lint and benchmarks need
	python -m pip install -e ".[test,lint,bench]"

test:  ## Run the tests
	python -m pytest

thorough:  ## Run the tests with four times as many random cases
	HYPOTHESIS_PROFILE=thorough python -m pytest

debug:  ## Compile the kernels in place with bounds checks and run the kernels' tests; `make build` undoes it
	PYTREES_DEBUG=1 python -m pip install -e ".[test]"
	HYPOTHESIS_PROFILE=fast python -m pytest -m kernels

sanitize:  ## Compile a copy with the address and undefined-behaviour sanitizers and run the kernels' tests there
	tools/sanitize

memcheck:  ## Run the tests of the doors through which trees come in under valgrind
	tools/memcheck

fuzz:  ## Feed hostile input to every public name: FUZZ_CASES cases (10000), from the seed FUZZ_SEED (0)
	python -m tools.fuzz --cases $(FUZZ_CASES) --seed $(FUZZ_SEED)

mutate:  ## Put small mistakes into copies, MUTATE_JOBS at once (2), and see whether the tests notice; about an hour
	python -m tools.mutate --jobs $(MUTATE_JOBS)

foreign:  ## Run the installed scikit-learn's own tests of trees, forests and ensembles on our estimators; eight minutes
	python -m tools.foreign_tests

bench:  ## Run every benchmark once, on the last commit
	cd asv_bench && asv machine --yes && asv run --quick HEAD^!

ratios:  ## Measure pytrees beside other libraries, as docs/performance.md shows it; about ten minutes on an idle machine
	python asv_bench/ratios.py --plot

dashboard:  ## Write asv's pages of the stored results into build/docs/dashboard, without a network
	python asv_bench/publish.py build/docs/dashboard

docs:  ## Build the site into build/docs, gallery and dashboard included, after `pip install -e ".[docs]"`
	tools/docs

lint:  ## Check style
	ruff check .
	ruff format --check .
	cython-lint pytrees examples
	check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	zizmor --offline --quiet .github

types:  ## Check types, by mypy and pyright
	python tools/check_types.py

format:  ## Mend style automatically
	ruff check --fix .
	ruff format .

lock:  ## Lock the newest versions of what makes and tests the wheels and the site
	tools/lock

wheel:  ## Build the source distribution and, from it, the wheel
	python -m pip install build
	python -m build

wheels:  ## Build wheels for the Pythons of this machine, repair them, and run the kernels' tests with each
	tools/wheels

clean:  ## Remove everything that was built
	rm -rf build dist *.egg-info asv_bench/env asv_bench/html docs/api/generated docs/auto_examples
	find pytrees -name "*.so" -delete
