# SPDX-License-Identifier: BSD-2-Clause
# A thin front of Meson: `make` builds build/lever, `make help` lists the rest.

BUILD ?= build
DESTDIR ?=
prefix ?= /usr/local
# Options for `meson setup`, for example MESON_OPTIONS=-Dwerror=true.
MESON_OPTIONS ?=

# What a build, the tests and the demo need on Debian 12 and its like.
PACKAGES = gcc libc6-dev meson ninja-build pkgconf clang llvm bpftool libbpf-dev libelf-dev \
	libdw-dev libsqlite3-dev libjansson-dev libiberty-dev scdoc python3 linux-libc-dev zlib1g-dev \
	clang-format binutils libzydis-dev libmicrohttpd-dev libncurses-dev
# For `make test`: a browser for the HTML page, readers of exported profiles, compilers of other languages, MPI
# programs, other kernels (whose packages, 60 MB, the test fetches into ~/.cache/lever-kernels).
TEST_PACKAGES = fish zsh chromium coz-profiler libdevel-nytprof-perl libomp-dev openmpi-bin libopenmpi-dev mpich libmpich-dev \
	systemtap-sdt-dev qemu-system-x86 busybox-static cpio linux-perf g++ gcc-multilib dwz libdebuginfod1 rustc golang-go \
	default-jdk-headless libzmq3-dev iproute2 valgrind debuginfod vim emacs-nox curl xz-utils

# For other machines (tools/cross, test-arm64).
CROSS_PACKAGES = binutils-aarch64-linux-gnu qemu-user-static qemu-system-arm cpio

# What a change of a line is checked by: no browser, no rights, no running program.
QUICK_SUITES = unit style golden command

.PHONY: all configure setup setup-test demo test check-quick test-kernels test-arm64 soak install uninstall format clean help
.NOTPARALLEL:

all: configure
	@ninja -C $(BUILD) product

configure:
	@tools/setup_web
	@tools/configure $(BUILD) -Dprefix=$(prefix) $(MESON_OPTIONS)

# Installs what is missing; a machine that has everything needs neither network nor rights.
setup:
	@tools/setup $(PACKAGES)
	@[ -e web/page.html ] || command -v npm >/dev/null || tools/setup nodejs npm || true
	@tools/setup_web

setup-test: setup
	@tools/setup $(TEST_PACKAGES) || echo 'setup: tests that need these packages will be skipped' >&2

# Builds what it needs, and no more.
demo: setup configure
	@ninja -C $(BUILD) lever examples/orders
	@BUILD=$(BUILD) ./examples/demo.sh

test: setup-test all
	@tools/run_tests $(BUILD)

check-quick: setup all
	@tools/run_tests $(BUILD) $(QUICK_SUITES)

# Other kernels, in virtual machines: five minutes or more, and 60 MB to fetch. The first is a part of `make test`, too.
test-kernels: setup all
	@tools/setup qemu-system-x86 busybox-static cpio
	tests/kernel/old_kernels.py $(BUILD)
	tests/kernel/settings.py $(BUILD)

# The same on arm64: unit tests by qemu's user emulation, and Debian's kernel for arm64 (30 minutes on a busy machine).
test-arm64: setup
	@tools/setup $(CROSS_PACKAGES)
	@[ -e $(BUILD)-arm64/build.ninja ] || tools/cross arm64 $(BUILD)-arm64 $(MESON_OPTIONS)
	@ninja -C $(BUILD)-arm64
	@meson test -C $(BUILD)-arm64 --suite unit --no-rebuild -t 6 --print-errorlogs
	tests/kernel/old_kernels.py $(BUILD)-arm64 --architecture arm64 --suites bookworm

# As a night's work: memory, descriptors and the file of a lever that records a mixed load for six hours.
soak: all
	@ninja -C $(BUILD) tests/kernel/programs/storm tests/kernel/programs/exits
	bench/soak.py --lever $(BUILD)/lever --minutes 360

install: all
	DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild

uninstall:
	ninja -C $(BUILD) uninstall

# Formats every file as tests/style wants it.
format:
	git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i
	[ ! -d web/node_modules/prettier ] || git ls-files -co --exclude-standard 'web/*.js' '*.mjs' \
		'web/*.css' | xargs web/node_modules/prettier/bin/prettier.cjs --config web/package.json --write

clean:
	rm -rf $(BUILD)

help:
	@echo 'make          build build/lever'
	@echo 'make setup    install the packages that a build needs (apt-get; sudo where not root; npm)'
	@echo 'make setup-test  the same, and what only tests need (Chromium, readers of exports)'
	@echo 'make demo     set up, build, and profile the bundled example'
	@echo 'make test     set up, build, and run all tests (about 25 minutes)'
	@echo 'make check-quick  the tests that need neither rights nor a browser (less than 2 minutes)'
	@echo 'make test-kernels  run lever on older kernels, in virtual machines'
	@echo 'make test-arm64  build for arm64, and run unit tests and a kernel in an emulator'
	@echo 'make soak     record a mixed load for six hours, and watch what lever itself takes (root)'
	@echo 'make install  install below prefix ($(prefix)), into DESTDIR if it is given'
	@echo 'make format   format the C and JavaScript files'
	@echo 'make clean    remove the build'
