# SPDX-License-Identifier: GPL-3.0-or-later
# contend. `make help` lists the targets; only `make deps`, `deps-lint` and `deps-bench` install anything.

V ?= 0
COMMA := ,
Q := $(if $(filter 1,$(V)),,@)
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
BUILD ?= build
PREFIX ?= /usr/local
DATADIR = $(PREFIX)/share/contend
VERSION := 0.1.0
FUZZ_SECONDS ?= 60

# Debian packages, and headers that show whether they are there. For tests alone: util-linux (setpriv), parallel, openmpi-bin, xz-utils
PACKAGES := gcc libc6-dev libsimgrid-dev libboost-context-dev libyaml-dev libgsl-dev libjansson-dev gnuplot-nox libcmocka-dev util-linux \
	libarchive-dev libtracecmd-dev libtraceevent-dev libtracefs-dev parallel openmpi-bin xz-utils
BENCH_PACKAGES := g++ libns3-dev libsystemc-dev python3-simpy3
LINT_PACKAGES := clang clang-format clang-tidy cppcheck shellcheck valgrind
INSTALL := apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends
HEADERS := stdio.h:libc6-dev simgrid/engine.h:libsimgrid-dev boost/version.hpp:libboost-context-dev yaml.h:libyaml-dev gsl/gsl_version.h:libgsl-dev \
	jansson.h:libjansson-dev archive.h:libarchive-dev traceevent/trace-seq.h:libtraceevent-dev tracefs/tracefs.h:libtracefs-dev \
	trace-cmd/trace-cmd.h:libtracecmd-dev cmocka.h:libcmocka-dev

# These three include each other by bare names
TRACE_INCLUDES := $(addprefix -isystem /usr/include/,trace-cmd traceevent tracefs)
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wwrite-strings -Wmissing-prototypes \
	-Wstrict-prototypes -Wvla -Wundef -Werror
OPTIMIZE ?= -O2 -g
# Across files in what is to be fast, the program and the benchmarks; test programs link without, from the same objects
LTO := $(if $(SANITIZE),,-flto=auto -ffat-lto-objects)
# -ffp-contract=off: the same digits on machines with and without fused multiply-add
override CFLAGS += -std=c11 -D_GNU_SOURCE -ffp-contract=off $(WARNINGS) $(OPTIMIZE) -I. \
	$(if $(wildcard /usr/include/valgrind/valgrind.h),-DHAVE_VALGRIND_H) \
	-DCONTEND_VERSION='"$(VERSION)"' -DCONTEND_SOURCE_DIR='"$(CURDIR)"' $(TRACE_INCLUDES) $(SANITIZE)
DATA_IS = -DCONTEND_DATADIR='"$(1)"'
TIDY_FLAGS := -std=c11 -D_GNU_SOURCE -I. -DCONTEND_VERSION=\"\" -DCONTEND_SOURCE_DIR=\"\" -DCONTEND_DATADIR=\"\" $(TRACE_INCLUDES)
LDLIBS := -l:libboost_context.a -lsimgrid -lyaml -lgsl -lgslcblas -ljansson -larchive -ltracecmd -ltracefs -ltraceevent -lm

SOURCES := $(wildcard sim/*/*.c models/*.c models/*/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
LIBRARY := $(filter-out $(BUILD)/sim/cli/main.o,$(OBJECTS))
# What knows where configs and plots are: compiled once more for the installed program
LOCATED := models/config_find sim/cli/paths
INSTALLED := $(filter-out $(LOCATED:%=$(BUILD)/%.o),$(OBJECTS)) $(LOCATED:%=$(BUILD)/installed/%.o)
SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))
TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*.c tests/property/*.c))
TARGETS_OF_FUZZ := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAYS := $(TARGETS_OF_FUZZ:%=$(BUILD)/tests/fuzz/%)
CHECKERS := $(BUILD)/tests/published/check $(BUILD)/tests/cli/max_rss
SCRIPTS := $(wildcard tests/cli/*.sh tests/golden/*.sh tests/published/*.sh)
BENCHES := $(patsubst %,$(BUILD)/tests/bench/%,peer_heap peer_engine peer_ns3 peer_systemc peer_simgrid line_rate line_record)
C_FILES := $(wildcard sim/*/*.[ch] models/*.[ch] models/*/*.[ch] tests/*/*.[ch] tests/bench/*.cc)
SHELL_FILES := $(wildcard .ci/run tests/*.sh tests/*/*.sh)

# $(call need,COMMAND,PACKAGE,TARGET): stop with the name of the package that is missing
need = command -v $(1) >/dev/null || { echo "$(2) is missing: run make $(or $(3),deps)" >&2; exit 1; }

.PHONY: all help deps deps-lint deps-bench check demo lint asan valgrind coverage fuzz bench bench-publish bench-pinned docs fits golden-update install clean FORCE \
	$(TARGETS_OF_FUZZ:%=fuzz-of-%)
all: $(BUILD)/contend ## build build/contend

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

deps: ## install the Debian packages that building and testing need (as root)
	$(INSTALL) $(PACKAGES)

deps-lint: ## install what lint, asan, valgrind, coverage and fuzz need besides (as root)
	$(INSTALL) $(LINT_PACKAGES)

deps-bench: ## install the simulators that bench compares with (as root)
	$(INSTALL) $(BENCH_PACKAGES)

$(BUILD)/have-headers: | $(filter deps,$(MAKECMDGOALS)) # make -j deps check: deps first
	@$(call need,$(CC),gcc)
	@for pair in $(HEADERS); do \
		printf '#include <%s>\n' stdarg.h stddef.h stdint.h setjmp.h $${pair%:*} | $(CC) $(TRACE_INCLUDES) -E - >/dev/null 2>&1 || \
			{ echo "$${pair#*:} is missing: run make deps" >&2; exit 1; }; done
	$(Q)mkdir -p $(@D) && touch $@

$(BUILD)/contend: $(OBJECTS)
$(BUILD)/installed/contend: $(INSTALLED)
$(BUILD)/contend $(BUILD)/installed/contend:
	$(Q)$(CC) $(LDFLAGS) $(OPTIMIZE) $(LTO) $(SANITIZE) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c Makefile | $(BUILD)/have-headers
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LTO) $(call DATA_IS,$(CURDIR)) -MMD -MP -c -o $@ $<

$(REPLAYS): $(BUILD)/tests/fuzz/standalone_main.o
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(SUPPORT) $(LIBRARY)
	$(Q)$(CC) $(LDFLAGS) $(if $(filter $(BUILD)/tests/bench/%,$@),$(OPTIMIZE) $(LTO),-fno-lto) $(SANITIZE) -o $@ $(filter %.o,$^) \
		-lcmocka $(LDLIBS)

check: all $(TESTS) $(REPLAYS) $(CHECKERS) ## build and run every test; ends in "N passed, N failed"
	@$(call need,gnuplot,gnuplot-nox) && $(call need,setpriv,util-linux)
	$(Q)CONTEND=$(abspath $(BUILD)/contend) tests/run.sh $(TESTS) $(REPLAYS) $(SCRIPTS)

demo: all ## simulate a published table in a few seconds: table, text plot, SVG
	@$(call need,gnuplot,gnuplot-nox)
	$(Q)$(BUILD)/contend run demo --quiet -o results/demo
	$(Q)$(BUILD)/contend plot results/demo
	@echo "The same as pictures: results/demo/throughput.svg, results/demo/change.svg"

lint: all $(TESTS) ## formatting, static checkers, layers, globals, orphans, generated documents
	@for tool in clang-format clang-tidy cppcheck shellcheck; do $(call need,$$tool,$$tool,deps-lint); done
	$(Q)clang-format --dry-run -Werror $(C_FILES)
	$(Q)cppcheck --quiet --enable=warning,performance,portability --std=c11 --inline-suppr -I. --error-exitcode=1 sim models
	$(Q)shellcheck -x -s sh $(SHELL_FILES)
	$(Q)echo $(SOURCES) | xargs -n 8 -P $$(nproc) sh -c 'clang-tidy --quiet "$$@" -- $(TIDY_FLAGS) 2>/dev/null' sh
	$(Q)tests/lint/layers.sh
	$(Q)tests/lint/globals.sh $(OBJECTS)
	$(Q)tests/lint/orphans.sh
	$(Q)CONTEND=$(abspath $(BUILD)/contend) tests/lint/docs.sh check
	$(Q)CONTEND=$(abspath $(BUILD)/contend) tests/lint/fits.sh

# Left out: hostile and memory limit the address space, failures kills workers, the others simulate for hours so
asan: ## test programs and most scripts with AddressSanitizer and UndefinedBehaviorSanitizer, in build-asan
	$(Q)$(MAKE) check BUILD=build-asan OPTIMIZE='-O1 -g' SCRIPTS='$(patsubst %,tests/cli/%.sh,config_errors usage views run replay record)' \
		SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'

VALGRIND := valgrind --quiet --error-exitcode=9 --leak-check=full
valgrind: all $(TESTS) ## unit and property tests and one small run under valgrind
	@$(call need,valgrind,valgrind,deps-lint)
	$(Q)set -e; for test in $(TESTS); do echo $$test; $(VALGRIND) $$test; done
	$(Q)$(VALGRIND) --trace-children=yes $(BUILD)/contend run demo --set threads=2 --set run.replications=1 \
		-o $(BUILD)/valgrind --no-plots

coverage: ## lines that make check runs, per file, in build-coverage
	$(Q)$(MAKE) check BUILD=build-coverage OPTIMIZE='-O0 -g' SANITIZE='--coverage -include tests/support/coverage.h'
	$(Q)gcov -n $$(find build-coverage/sim build-coverage/models -name '*.gcda') | tests/support/coverage.sh

FUZZ ?= $(TARGETS_OF_FUZZ)
fuzz: ## run every libFuzzer target of tests/fuzz, or those in FUZZ, for FUZZ_SECONDS each, in build-fuzz
	@$(call need,clang,clang,deps-lint)
	$(Q)$(MAKE) $(FUZZ:%=fuzz-of-%) BUILD=build-fuzz CC=clang WARNINGS= OPTIMIZE='-O1 -g' \
		SANITIZE='-fsanitize=fuzzer-no-link,address,undefined'

$(TARGETS_OF_FUZZ:%=$(BUILD)/%): $(BUILD)/%: $(BUILD)/tests/fuzz/%.o $(LIBRARY)
	$(Q)$(CC) $(OPTIMIZE) $(SANITIZE) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

$(TARGETS_OF_FUZZ:%=fuzz-of-%): fuzz-of-%: $(BUILD)/%
	$(Q)mkdir -p $(BUILD)/corpus/$*
	$(Q)$< -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -artifact_prefix=$(BUILD)/ $(BUILD)/corpus/$* tests/fuzz/corpus/* \
		tests/data/config configs/experiments >$(BUILD)/$*.log 2>&1 || { tail -n 50 $(BUILD)/$*.log >&2; exit 1; }
	$(Q)echo "$*: $$(grep -a '^Done' $(BUILD)/$*.log)"

$(BUILD)/tests/bench/line_rate $(BUILD)/tests/bench/line_record: $(patsubst %,$(BUILD)/tests/bench/%.o,request_log line_setup)
# The linker can put a recorder between model and engine only where nothing is optimised across files
$(BUILD)/tests/bench/line_record: private LTO := -fno-lto
$(BUILD)/tests/bench/line_record: private LDFLAGS += $(addprefix -Wl$(COMMA)--wrap=,engine_create engine_spawn engine_run \
	engine_call actor_sleep_until actor_park actor_wake)
$(BUILD)/tests/bench/peer_ns3: PEER := ns3-core
$(BUILD)/tests/bench/peer_systemc: PEER := systemc
$(BUILD)/tests/bench/peer_simgrid: PEER := simgrid
$(BUILD)/tests/bench/%: tests/bench/%.cc tests/bench/work.h Makefile
	@$(call need,g++,g++,deps-bench)
	$(Q)mkdir -p $(@D)
	$(Q)g++ -std=gnu++17 -Wall -Wextra -Werror $(OPTIMIZE) -I. -o $@ $< -l$(PEER) || \
		{ echo "$@ needs the packages of make deps-bench" >&2; exit 1; }

bench: all $(BENCHES) ## speed beside other simulators, and of whole runs, into results/bench: takes some minutes
	@/usr/bin/python3 -c 'import simpy' || { echo "python3-simpy3 is missing: run make deps-bench" >&2; exit 1; }
	$(Q)BUILD=$(BUILD) tests/bench/bench.py results/bench

bench-publish: ## make the table of the last bench the one that docs/bench.md and README.md show
	cp results/bench/bench.md docs/bench.md && $(MAKE) docs

bench-pinned: $(BUILD)/tests/bench/pinned_atomics ## what one contended word costs between CPUs 0 and 1 of this machine
	$(Q)$< fetch-add 0 1

docs: all ## write the generated parts of README.md and docs/ again
	$(Q)CONTEND=$(abspath $(BUILD)/contend) tests/lint/docs.sh update

fits: all ## find fitted values again that the models have left behind, into configs/fits (minutes)
	$(Q)$(BUILD)/contend reproduce --fitted --fits configs/fits --replications 1 >/dev/null

golden-update: all ## accept what the program prints now as tests/golden
	$(Q)set -e; for script in tests/golden/*.sh; do UPDATE=1 CONTEND=$(abspath $(BUILD)/contend) sh $$script; done

$(BUILD)/installed/%.o: %.c FORCE | $(BUILD)/have-headers
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LTO) $(call DATA_IS,$(DATADIR)) -c -o $@ $<

install: $(BUILD)/installed/contend ## install into $(DESTDIR)$(PREFIX): program, configs, plots, published tables
	install -D $< $(DESTDIR)$(PREFIX)/bin/contend
	$(Q)for file in $$(find configs plots results/published -type f); do \
		install -D -m 644 $$file $(DESTDIR)$(DATADIR)/$$file; done

clean: ## remove build/
	rm -rf $(BUILD)

.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
