PYTHON ?= python3
BIN = .venv/bin

.PHONY: run test check bench

run: .venv/.runtime      ## open the dashboard on http://127.0.0.1:8501
	$(BIN)/python -m streamlit run app.py

test: .venv/.dev         ## every test
	$(BIN)/python -m pytest -n auto --dist loadscope

check: .venv/.dev        ## style and types
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: .venv/.dev        ## the measurements behind the README's figures
	$(BIN)/python -m benchmarks

.venv/.made:
	$(PYTHON) -m venv .venv && touch $@
.venv/.runtime: .venv/.made requirements.txt
	$(BIN)/python -m pip install -q -r requirements.txt && touch $@
.venv/.dev: .venv/.made requirements.txt requirements-dev.txt
	$(BIN)/python -m pip install -q -r requirements-dev.txt && touch $@ .venv/.runtime
