# Redis Rush. `make lab` and `make test` are the whole set-up; `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
export NO_MKDOCS_2_WARNING := 1

.PHONY: help lab test site serve engine record bench doctor wheelhouse slides demo lint
help:        ## this list
	@grep -hE '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## (.*)/make \1\t\2/' | expand -t 17

lab: $(VENV)/learner       ## JupyterLab on day 0, with a live Redis
	@$(BIN)/python tools/lab.py

test: $(VENV)/tester       ## everything the course promises, checked
	@env -u REDIS_URL $(BIN)/python tools/suite.py

site: $(VENV)/learner      ## the published site, in site/
	@$(BIN)/python tools/site.py

serve: $(VENV)/learner     ## the site while you write, on http://127.0.0.1:8000
	@$(BIN)/python -m mkdocs serve

engine: $(VENV)/learner    ## the real Redis for the page (Debian or Ubuntu, about two minutes)
	@bash page/engine/build.sh page/engine/build
	@$(BIN)/python page/runner/pack.py page/engine/build

record: $(VENV)/learner    ## run every lesson top to bottom and store its outputs
	@$(BIN)/python tools/record.py $(NOTEBOOKS)

bench: $(VENV)/tester      ## the scripts beside the published limiters
	@$(BIN)/python -m tools.bench

doctor: $(VENV)/learner    ## what this machine has, in ten lines
	@$(BIN)/python tools/doctor.py

wheelhouse: $(VENV)/learner  ## a folder of wheels for a room without internet
	@$(BIN)/python tools/wheelhouse.py

slides: $(VENV)/learner    ## the lessons as slides, in slides/
	@$(BIN)/python tools/slides.py

demo: $(VENV)/learner      ## five minutes to open a workshop: 160 of 100 sold, then exactly 100
	@$(BIN)/python tools/demo.py

lint: $(VENV)/tester       ## the checks that need no server
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

# A virtual environment is made once, and again only when its list of packages changes.
$(VENV)/learner: requirements.txt tools/venv.py
	@$(PYTHON) tools/venv.py requirements.txt && touch $@

$(VENV)/tester: requirements.txt requirements-dev.txt tools/venv.py
	@$(PYTHON) tools/venv.py requirements-dev.txt && touch $@ $(VENV)/learner
