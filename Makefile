# SPDX-License-Identifier: GPL-3.0-or-later
# contend. `make help` lists the targets; only `make deps` installs anything.

V ?= 0
Q := $(if $(filter 1,$(V)),,@)
CC ?= gcc
BUILD ?= build
PREFIX ?= /usr/local
DATADIR := $(PREFIX)/share/contend
VERSION := 0.1.0

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wwrite-strings -Wmissing-prototypes \
	-Wstrict-prototypes -Wvla -Wundef -Werror
OPTIMIZE ?= -O2 -g
# -ffp-contract=off: the same digits on machines with and without fused multiply-add
CFLAGS += -std=c11 -D_GNU_SOURCE -ffp-contract=off $(WARNINGS) $(OPTIMIZE) -I. -MMD -MP
CFLAGS += -DCONTEND_VERSION='"$(VERSION)"' -DCONTEND_DATADIR='"$(DATADIR)"' -DCONTEND_SOURCE_DIR='"$(CURDIR)"'
LDLIBS := -lsimgrid -lyaml -lgsl -lgslcblas -ljansson -lhwloc -lm
PACKAGES := gcc libc6-dev libsimgrid-dev libyaml-dev libgsl-dev libjansson-dev libhwloc-dev gnuplot-nox libcmocka-dev

SOURCES := $(wildcard sim/*/*.c models/*.c models/*/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
LIBRARY := $(filter-out $(BUILD)/sim/cli/main.o,$(OBJECTS))
TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*.c tests/property/*.c))
SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))

.PHONY: all help deps check demo clean
all: $(BUILD)/contend ## build build/contend

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(MAKEFILE_LIST) | awk -F': ' '{ printf "  %-14s %s\n", $$1, $$2 }'

deps: ## install the Debian packages that building and testing need (as root)
	apt-get update
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(PACKAGES)

$(BUILD)/contend: $(OBJECTS)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(SUPPORT) $(LIBRARY)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

check: all $(TESTS) ## build and run every test; ends in "N passed, N failed"
	$(Q)tests/run.sh $(TESTS)

clean: ## remove build/
	rm -rf $(BUILD)

.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
