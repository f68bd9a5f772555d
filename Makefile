# Varve: the commands of everyday work. `make` alone lists them.

# Package.swift makes warnings errors where this is set.
export VARVE_STRICT := 1

CHECKED := --explicit-target-dependency-import-check error
# The traits of everything that is built and tested here. A package that depends on Varve names its own.
TRAITS := CommandLine,Server,YAML
BUILD_FLAGS := $(CHECKED) --traits $(TRAITS)
# SwiftPM names the traits to the compiler in the order of a set, which changes from run to run unless
# hashing is deterministic. Another order compiles every module anew.
BUILD := SWIFT_DETERMINISTIC_HASHING=1 swift build
SWIFT_PATHS := $(wildcard Package.swift Sources Tools Tests Examples Benchmarks/Package.swift Benchmarks/Sources)
BENCH_JSON := .build/bench.json
BENCH_FLAGS := -c release $(CHECKED) --package-path Benchmarks --scratch-path .build-bench
AXE := .build-axe
PEERS := .build-peers
FUZZ := .build-fuzz
DEMO := .build-demo

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: setup setup-tests setup-proxies build build-release install sbom docs docs-preview api-check release demo test test-cipher check check-apple bench bench-compare bench-table growth-table bench-check \
	profile growth consumer measure-consumer measure-server measure-home peers plots pictures combine test-browser fuzz-server soak tsan simulate \
	mutants sealed-mutants kill-server kill-hosts lost-commits failover golden format lint help clean

setup: ## Install the system libraries that are missing
	@Scripts/setup.sh

setup-tests: ## Install what the tests need too: PostgreSQL and PgBouncer
	@Scripts/setup.sh --tests

setup-proxies: ## Install nginx and Caddy too, with which the example configurations are tested
	@Scripts/setup.sh --proxies

build: setup ## Build every product (debug)
	$(BUILD) $(BUILD_FLAGS)

build-release: setup ## Build the command line in release
	$(BUILD) -c release $(BUILD_FLAGS) --product varve

# DESTDIR goes before the folder, for those who make packages.
PREFIX ?= /usr/local

install: build-release ## Install varve, its manual page and its completions: PREFIX=/usr/local DESTDIR=
	Scripts/install.sh "$$(swift build -c release $(BUILD_FLAGS) --show-bin-path)/varve" "$(DESTDIR)$(PREFIX)"

sbom: build ## List what a build contains, as a CycloneDX document in .build
	Scripts/sbom.py "$$(git describe --tags --always)" .build/varve.cdx.json

docs: build ## Build the site, with guides and reference, in .build/site; any warning fails
	Scripts/docs.py .build .build/site $(ARGS)

docs-preview: docs ## Show the site at http://localhost:8000
	cd .build/site && python3 -m http.server 8000 --bind 127.0.0.1

api-check: setup ## List what dependents would have to change since a release, and fail if there is anything: ARGS="v0.9.0"
	VARVE_API_CHECK=1 swift package diagnose-api-breaking-changes $(or $(ARGS),$(error api-check: name the tag of the last release: ARGS="v0.9.0"))

release: setup ## Make the archives, the Debian package and the checksums of a version: ARGS="0.9.0"
	Scripts/release.sh $(ARGS)

# A build from nothing takes a fifth less time without an index for editors, without information for
# debuggers, and with each module compiled as a whole.
PLAIN := --disable-index-store -debug-info-format none \
	-Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2

# Builds no server, whose libraries take most of a build's time.
demo: setup ## Build the command line without its server, and run its demo on Examples/Countries
	@echo "demo: building varve; the first build takes a few minutes" >&2
	@$(BUILD) $(CHECKED) $(PLAIN) --traits CommandLine --scratch-path $(DEMO) --product varve >&2
	@$(DEMO)/debug/varve demo Examples/Countries

# Tests of several processes, full disks and patience go one after another: beside others they would
# starve them, or be starved.
ALONE := KillTests|TwoWritersTests|WrongFileTests|FullDiskTests|ManyTasksTests|CheckpointTests
ALONE := $(ALONE)|ClaimTests|ForeignChangeTests|SpilledAttemptTests|WideTypeTests|LongHistoryUndoTests|BatchTests|KillServerTests|KillHostsTests|LostCommitTests
# So many tests run at once. Tasks take turns, so all tests together would last as long as the slowest,
# and miss the limits of time that catch a test that hangs.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := 8
RUN_TESTS = $(BUILD) $(BUILD_FLAGS) --build-tests && \
	Scripts/run-tests.sh '$(ALONE)' $(BUILD_FLAGS) --skip-build

test: setup-tests ## Run the tests
	$(RUN_TESTS)

# All stores in files have one random key. Another folder of builds, because everything links another
# SQLite.
CIPHERED := $(CHECKED) --traits $(TRAITS),SQLCipher --scratch-path .build-cipher
CIPHER_TESTS := VarveSQLiteTests|VarveStoreTests|VarveSyncTests|VarveTests|VarveCoreTests|VarveJSONTests
CIPHER_TESTS := $(CIPHER_TESTS)|EncryptingExampleTests|KeyTests

test-cipher: setup-tests ## Run the tests with encrypted stores: VARVE_SQLCIPHER=/opt/sqlcipher names SQLCipher's prefix
	@test -n "$(VARVE_SQLCIPHER)" || { echo "test-cipher: set VARVE_SQLCIPHER to the prefix of SQLCipher" >&2; exit 64; }
	$(BUILD) $(CIPHERED) --build-tests
	swift test $(CIPHERED) --skip-build --filter '$(CIPHER_TESTS)' --skip '$(ALONE)'
	VARVE_TEST_KEY="x'$$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')'" \
		swift test $(CIPHERED) --skip-build --filter '$(CIPHER_TESTS)' --skip '$(ALONE)'
	VARVE_TEST_KEY="x'$$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')'" \
		swift test $(CIPHERED) --skip-build --no-parallel --filter '$(ALONE)'

test-browser: setup ## Test the inspector in headless Chromium
	@Scripts/setup.sh --browser
	@$(MAKE) --no-print-directory $(AXE)/installed || echo "test-browser: accessibility is not checked"
	$(BUILD) $(BUILD_FLAGS) --product varve
	$(BUILD) $(BUILD_FLAGS) --product inventory-web
	AXE="$$(ls $(CURDIR)/$(AXE)/lib/*/site-packages/axe_playwright_python/axe.min.js 2>/dev/null)" \
		VARVE="$$(swift build $(BUILD_FLAGS) --show-bin-path)/varve" Scripts/test-browser.sh $(ARGS)

pictures: setup ## Take the pictures of the inspector's guide anew
	@Scripts/setup.sh --browser
	$(BUILD) $(BUILD_FLAGS) --product varve
	VARVE="$$(swift build $(BUILD_FLAGS) --show-bin-path)/varve" /usr/bin/python3 -B Tests/Browser/pictures.py $(ARGS)

# The accessibility checker, which a Python package carries; nothing of it is in the repository.
$(AXE)/installed: Scripts/axe-requirements.txt
	python3 -m venv $(AXE)
	$(AXE)/bin/pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@touch $@

check: setup-tests lint ## Lint, build everything with its tests, run the tests, check the other systems and a dependent
	$(RUN_TESTS)
	Scripts/check-apple.py .build
	Scripts/check-traits.py .build
	Scripts/consumer.sh

check-apple: build ## Type-check the branches of other systems against stubs
	Scripts/check-apple.py .build

bench: setup ## Run the benchmarks in release; pass options with ARGS="..."
	@mkdir -p $(dir $(BENCH_JSON))
	swift run $(BENCH_FLAGS) varve-bench --json $(BENCH_JSON) $(ARGS)

measure-server: setup ## Measure a server and its clients in release (Linux): ARGS="--seconds 30"
	@Scripts/setup.sh --measure
	$(BUILD) -c release $(BUILD_FLAGS) --product varve
	Scripts/measure-server.py "$$(swift build -c release $(BUILD_FLAGS) --show-bin-path)/varve" $(ARGS)

measure-home: setup-tests ## Measure a home in PostgreSQL beside pgbench in release (Linux)
	$(BUILD) -c release $(BUILD_FLAGS) --product varve
	$(BUILD) -c release $(BUILD_FLAGS) --product varve-home-load
	bin="$$(swift build -c release $(BUILD_FLAGS) --show-bin-path)" && \
		Scripts/measure-home.py "$$bin/varve" "$$bin/varve-home-load" $(ARGS)

bench-compare: ## List the ratios of two runs that differ by more than 10 %: ARGS="A.json B.json"
	Scripts/bench-compare.py $(ARGS)

bench-table: ## Write the results of a run, and their difference from a second, into Benchmarks/FIGURES.md
	Scripts/bench-table.py $(or $(ARGS),$(BENCH_JSON)) --into Benchmarks/FIGURES.md

growth-table: ## Write the results of make growth, and their difference from a second run, into Benchmarks/FIGURES.md
	Scripts/growth-table.py $(or $(ARGS),.build/growth.json) --into Benchmarks/FIGURES.md

bench-check: setup ## Count instructions an operation; fails where they rose (ARGS="--update" accepts)
	$(BUILD) $(BENCH_FLAGS)
	Scripts/bench-check.py .build-bench/release/varve-bench $(ARGS)

profile: setup ## Show which functions spend the instructions of a row: ARGS="insert", "updates raw", "all --to DIR"
	@$(BUILD) $(BENCH_FLAGS) >&2
	@Scripts/bench-profile.py .build-bench/release/varve-bench $(ARGS)

growth: setup ## Measure how costs grow with entities, versions and readers; options with ARGS="..."
	@mkdir -p .build
	swift run $(BENCH_FLAGS) varve-bench --growth --json .build/growth.json $(ARGS)

peers: setup $(PEERS)/installed ## Measure Varve beside Loro, pycrdt, ZODB, Continuum; options with ARGS="..."
	$(BUILD) $(BENCH_FLAGS) --product varve-bench
	$(PEERS)/bin/python Benchmarks/Peers/run.py --json .build/peers.json \
		--varve-bench "$$(swift build $(BENCH_FLAGS) --show-bin-path)/varve-bench" $(ARGS)

plots: setup $(PEERS)/installed ## Draw Documentation/Plots from the results of bench, growth and peers
	$(PEERS)/bin/python Benchmarks/Plots/draw.py .build Documentation/Plots

# A Python environment of its own, for the contestants of `make peers` and for drawing.
$(PEERS)/installed: Benchmarks/Peers/requirements.txt
	python3 -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

measure-consumer: setup ## Measure the release build and the size of a program with Varve, beside one with GRDB
	Scripts/measure-consumer.sh

consumer: setup ## Build and run packages that depend on this working tree, with every product, by both build systems
	Scripts/consumer.sh --all $(ARGS)

combine: setup ## Run the tests of publishers with OpenCombine, which a package trait brings
	swift test $(CHECKED) --traits $(TRAITS),OpenCombine --filter PublisherTests

fuzz-server: setup $(FUZZ)/installed ## Hold a server against its OpenAPI document by schemathesis (ARGS="--examples 500")
	$(BUILD) $(BUILD_FLAGS) --product varve
	Scripts/fuzz-server.py "$$(swift build $(BUILD_FLAGS) --show-bin-path)/varve" \
		$(FUZZ)/bin/schemathesis $(ARGS)

# A Python environment of its own.
$(FUZZ)/installed: Scripts/fuzz-requirements.txt
	python3 -m venv $(FUZZ)
	$(FUZZ)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# Suites of random seeds, of which `make test` plays the first few: those whose files ask for all of them.
RANDOMISED = Soak|Mutated|$(shell grep -rlE 'Seeds\.|VARVE_SOAK' Tests --include='*Tests.swift' \
	| sed 's|.*/||; s|\.swift$$||' | sort -u | paste -sd '|' -)

soak: setup-tests ## Run the long randomised tests, and all seeds of the short ones
	$(BUILD) $(BUILD_FLAGS) --build-tests
	VARVE_SOAK=1 swift test $(BUILD_FLAGS) --skip-build --filter '$(RANDOMISED)'

# Without the preloaded library the sanitizer takes contended mutexes for races; see the source.
tsan: setup ## Run live objects on eight actors under the thread sanitizer (Linux)
	$(BUILD) $(BUILD_FLAGS) --sanitize=thread --scratch-path .build-tsan --product varve-torture
	$(dir $(shell which swift))clang -shared -fPIC -O1 Scripts/tsan-mutex.c -o .build-tsan/tsan-mutex.so
	rm -f .build-tsan/contexts.varve*
	TSAN_OPTIONS=halt_on_error=1 LD_PRELOAD=$(CURDIR)/.build-tsan/tsan-mutex.so \
		setarch -R .build-tsan/debug/varve-torture contexts .build-tsan/contexts.varve $(or $(ARGS),100)

simulate: setup ## Run simulations of synchronisation in release; options with ARGS="--seed 7 --tell"
	$(BUILD) -c release $(BUILD_FLAGS) --product varve-simulate
	"$$(swift build -c release $(BUILD_FLAGS) --show-bin-path)/varve-simulate" \
		$(or $(ARGS),--seeds 2000 --steps 200)
	$(if $(ARGS),,"$$(swift build -c release $(BUILD_FLAGS) --show-bin-path)/varve-simulate" \
		--spaces --seeds 2000 --steps 200)

mutants: setup ## Plant known mistakes of stores and synchronisation, each of which a simulation must find
	$(BUILD) $(BUILD_FLAGS) --product varve-simulate
	simulate="$$(swift build $(BUILD_FLAGS) --show-bin-path)/varve-simulate" && \
		"$$simulate" --mutants --seeds 60 && "$$simulate" --spaces --mutants --seeds 64 && \
		"$$simulate" --stores --mutants --seeds 24 --steps 40

# The copy and its build are kept, so that the next run is faster.
sealed-mutants: setup ## Plant mistakes in the checks of sealed spaces, each of which the tests must find
	@mkdir -p .build-sealed-mutants
	Scripts/sealed-mutants.py .build-sealed-mutants $(ARGS)

kill-server: setup ## Kill a server and its clients at random: ARGS="--seconds 600 --seed 7"
	$(BUILD) $(BUILD_FLAGS) --product varve
	Scripts/kill-server.py "$$(swift build $(BUILD_FLAGS) --show-bin-path)/varve" $(ARGS)

kill-hosts: setup-tests ## Kill hosts of one PostgreSQL at random: ARGS="--seconds 600 --seed 7"
	$(BUILD) $(BUILD_FLAGS) --product varve
	Scripts/kill-hosts.py "$$(swift build $(BUILD_FLAGS) --show-bin-path)/varve" $(ARGS)

lost-commits: setup-tests ## Promote standbys that lack the last commits, under hosts and clients: ARGS="--rounds 20"
	$(BUILD) $(BUILD_FLAGS) --product varve
	Scripts/lost-commits.py "$$(swift build $(BUILD_FLAGS) --show-bin-path)/varve" $(ARGS)

failover: setup ## Kill the primary of a replicated PostgreSQL under load: ARGS="--kills 20"
	@Scripts/setup.sh --failover
	$(BUILD) $(BUILD_FLAGS) --product varve
	Scripts/failover.py "$$(swift build $(BUILD_FLAGS) --show-bin-path)/varve" $(ARGS)

golden: setup ## Make the golden corpus of a new format; that of a released one never changes
	VARVE_GOLDEN=1 swift test $(BUILD_FLAGS) --filter GoldenMaking

format: ## Format the Swift sources in place
	swift format --in-place --recursive --parallel $(SWIFT_PATHS)

lint: ## Check format, style, paths, modules, walls and documents; any finding fails
	swift format lint --strict --recursive --parallel $(SWIFT_PATHS)
	Scripts/check-house.py
	Scripts/check-docs.py

clean: ## Remove build products
	rm -rf .build .build-bench .build-tsan .build-cipher $(DEMO) $(AXE) $(PEERS) $(FUZZ)

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' \
		$(firstword $(MAKEFILE_LIST))
