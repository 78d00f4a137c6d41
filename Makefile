# firepile. `make help` lists the targets.
#
# The user's variables, never changed here: CC CFLAGS CPPFLAGS LDFLAGS PREFIX LIBDIR DESTDIR, and
#   SAN=address,undefined   a build with sanitizers, in a folder of its own
#   INSTALL=no              missing packages are named, not installed
#   TESTS="test_map"        the tests that `make test` or `make test-drivers` builds and runs, instead of its own choice
#   LONG_SECONDS=300        about how long `make test-long` takes, instead of an hour
#   DRIVERS="intel"         the drivers of `make test-drivers`, instead of all; docs/drivers.md has them
#   PEERS=cub,openmp        the peers that `make bench` builds and measures, or all; docs/benchmarks.md has them
#   BENCHFLAGS="--quick"    options of the program that `make bench` runs
#   NVCC, CUDA_ARCH         the compiler of the peers in CUDA, and the architecture to compile for (native)
#   OLD=HEAD~1              the commit that `make bench-compare` measures against (HEAD)
#   V=1                     shows the commands

.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-print-directory

CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib

# What the library links, by the names pkg-config has for it.
FP_MODULES := OpenCL libffi

# A version has one place, firepile.h. The first number is that of the binary interface.
FP_VERSION := $(shell sed -n 's/^.define FIREPILE_VERSION "\(.*\)"/\1/p' include/firepile.h)
FP_MAJOR := $(firstword $(subst ., ,$(FP_VERSION)))

# --- Files -----------------------------------------------------------------------------------------------------------

comma := ,
empty :=
space := $(empty) $(empty)
hash := \#
FP_BUILD := build/$(if $(SAN),$(subst $(comma),-,$(SAN)),plain)

FP_HEADERS := $(sort $(wildcard include/firepile.h include/firepile/*.h))
FP_SOURCES := $(sort $(wildcard lib/*/*.c))
FP_KERNELS := $(sort $(wildcard kernels/*.cl kernels/*/*.cl kernels/*/*/*.cl))
FP_LIB_OBJECTS := $(FP_SOURCES:%.c=$(FP_BUILD)/%.o) $(FP_BUILD)/kernel_sources.o
FP_TEST_SUPPORT := $(patsubst %.c,$(FP_BUILD)/%.o,$(sort $(wildcard tests/support/*.c)))

FP_STATIC := $(FP_BUILD)/libfirepile.a
FP_SHARED := $(FP_BUILD)/libfirepile.so.$(FP_VERSION)
FP_SHARED_LINKS := libfirepile.so.$(FP_MAJOR) libfirepile.so
FP_SAMPLES := $(patsubst %.c,$(FP_BUILD)/%,$(sort $(wildcard examples/samples/*.c)))
FP_TESTS := $(patsubst %.c,$(FP_BUILD)/%,$(sort $(wildcard tests/test_*.c)))
FP_DIFFERENTIAL := $(patsubst %.c,$(FP_BUILD)/%.o,$(sort $(wildcard tests/differential/*.c)))
FP_TEST_PROGRAMS := $(patsubst %.c,$(FP_BUILD)/%,$(sort $(wildcard tests/programs/*.c)))
FP_TEST_PLUGINS := $(patsubst %.c,$(FP_BUILD)/%.so,$(sort $(wildcard tests/plugins/*.c)))
FP_TEST_PRELOAD := $(FP_BUILD)/tests/preload/faster.so
FP_CACHE_TOOL := $(FP_BUILD)/tools/firepile-cache

# An example is a file, or a folder with a main.c. The program of a folder has its name, so its objects lie in parts.
FP_FOLDERS := $(patsubst %/main.c,%,$(sort $(wildcard examples/*/main.c)))
FP_FOLDER_OBJECTS := $(patsubst %.c,$(FP_BUILD)/parts/%.o,$(sort $(wildcard $(FP_FOLDERS:=/*.c))))
FP_FOLDER_EXAMPLES := $(FP_FOLDERS:%=$(FP_BUILD)/%)
FP_FILE_EXAMPLES := $(patsubst %.c,$(FP_BUILD)/%,$(sort $(wildcard examples/*.c)))
FP_EXAMPLES := $(FP_FILE_EXAMPLES) $(FP_FOLDER_EXAMPLES)

# Programs of one file.
FP_PROGRAMS := $(FP_CACHE_TOOL) $(FP_FILE_EXAMPLES) $(FP_SAMPLES) $(FP_TEST_PROGRAMS)

# --- Flags -----------------------------------------------------------------------------------------------------------

# pkg-config is asked when a command runs, not when this file is read: `make test` may have to install it first.
fp_pkg_config = $(shell pkg-config $(1))

FP_SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
FP_WARNINGS := -Wall -Wextra -Wpedantic
FP_LIB_WARNINGS := $(FP_WARNINGS) -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wundef \
	-Wwrite-strings -Wvla

fp_compile = $(CC) -std=c11 $(FP_SANITIZE) $(1) -Iinclude $(CPPFLAGS) $(CFLAGS) -MMD -MP
fp_link = $(CC) $(FP_SANITIZE) -pthread $(CFLAGS) $(LDFLAGS)

fp_lib_compile = $(call fp_compile,$(FP_LIB_WARNINGS) -pthread -fPIC -fvisibility=hidden -D_GNU_SOURCE \
	-DCL_TARGET_OPENCL_VERSION=120 -Ilib $(call fp_pkg_config,--cflags $(FP_MODULES)))
fp_test_compile = $(call fp_compile,$(FP_WARNINGS) -pthread -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=120 -Ilib -Itests \
	$(call fp_pkg_config,--cflags $(FP_MODULES)) $(call fp_pkg_config,--silence-errors --cflags criterion))
fp_example_compile = $(call fp_compile,$(FP_WARNINGS))

fp_lib_libs = $(call fp_pkg_config,--libs $(FP_MODULES)) -lm
fp_test_libs = $(call fp_pkg_config,--libs criterion) $(fp_lib_libs) -ldl

# --- Helpers ---------------------------------------------------------------------------------------------------------

# $(call fp_do,WORD) before a command makes the target's folder, and shows WORD and the target in the command's place.
fp_do = $(if $(V),,@)mkdir -p $(@D) && $(if $(V),,printf '  %-5s %s\n' $(1) $@ &&)

# A stamp is a file that holds a text and is written only when the text changes: what was made with other flags, or
# from other files, is made again.
fp_quote = '$(subst ','\'',$(strip $(1)))'
fp_stamp = @mkdir -p $(@D); printf '%s\n' $(call fp_quote,$(1)) | cmp -s - $@ || printf '%s\n' $(call fp_quote,$(1)) >$@

# --- Targets ---------------------------------------------------------------------------------------------------------

.PHONY: all lib examples demo test tests test-host test-verify test-full test-long test-drivers test-programs
.PHONY: check format clean help
.PHONY: packages install uninstall bench bench-compare bench-program bench-plots FORCE

all: lib examples $(FP_CACHE_TOOL) ## Build the library, its tool and the examples

lib: $(FP_STATIC) $(FP_SHARED) $(FP_SHARED_LINKS:%=$(FP_BUILD)/%) ## Build the library, static and shared

examples: $(FP_EXAMPLES) $(FP_SAMPLES) ## Build the examples

demo: packages examples ## Install what is missing, build, run the pipelines on the best device
	$(FP_BUILD)/examples/pipeline
	@echo 'The sizes of the files under /usr:'
	find /usr -type f -printf '%s\n' | $(FP_BUILD)/examples/summary

FP_CHOSEN := $(if $(TESTS),$(TESTS:%=$(FP_BUILD)/tests/%),$(FP_TESTS) $(FP_SAMPLES))

test: packages $(if $(TESTS),$(FP_CHOSEN),tests) ## Install what is missing, build, run the tests
	@tools/run-tests.sh $(FP_BUILD) $(FP_CHOSEN)

test-host: packages tests ## Run the tests on the host device, without OpenCL
	@tools/test-host.sh $(FP_BUILD) $(FP_TESTS)

test-verify: packages tests ## Run the tests with FIREPILE_VERIFY=1: both sides compared
	@tools/test-verify.sh $(FP_BUILD) $(FP_TESTS) $(FP_SAMPLES)

test-full: packages ## The tests in full size, under every policy, sanitizers and a device simulator
	@MAKE='$(MAKE)' tools/test-full.sh

FP_LONG_TESTS := $(addprefix $(FP_BUILD)/tests/test_,differential faults cache)
test-long: packages $(FP_LONG_TESTS) ## Random pipelines, faults and a damaged cache, for LONG_SECONDS=3600
	@tools/test-long.sh $(FP_BUILD)

test-drivers: packages $(if $(TESTS),$(FP_CHOSEN),tests) $(FP_BUILD)/examples/devices ## Test on other OpenCL drivers
	@tools/test-drivers.sh $(FP_BUILD)

# The samples compare themselves with plain C, each is one test.
tests: $(FP_CACHE_TOOL) $(FP_TESTS) $(FP_TEST_PROGRAMS) $(FP_TEST_PLUGINS) $(FP_SAMPLES) $(FP_EXAMPLES)

# Criterion does not start under the thread sanitizer; plain programs do.
test-programs: packages $(FP_TEST_PROGRAMS)
	@tools/run-tests.sh $(FP_BUILD) $(FP_TEST_PROGRAMS)

check: lib $(FP_BUILD)/tests/programs/builtins $(FP_BUILD)/bench/bench ## Check what sources and documents promise
	@CC='$(CC)' MAKE='$(MAKE)' FP_BUILD=$(FP_BUILD) tools/run-checks.sh

format: ## Format the sources
	@tools/format.sh

clean: ## Remove what was built
	rm -rf build

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@sed -n '/^# The user/,/^$$/s/^# \{0,1\}//p' Makefile

# --- Packages --------------------------------------------------------------------------------------------------------

# Only the targets that promise it install packages; for the others, what is missing is named.
FP_INSTALL := no
FP_NEEDS := build
demo: FP_NEEDS := build run
test test-host test-verify test-full test-long test-drivers: FP_NEEDS := build run test
test-programs: FP_NEEDS := build run
demo test test-host test-verify test-full test-long test-drivers test-programs: FP_INSTALL := $(INSTALL)

packages:
	@INSTALL=$(FP_INSTALL) tools/install-packages.sh $(FP_NEEDS)

# --- Library ---------------------------------------------------------------------------------------------------------

$(FP_BUILD)/compile.stamp: FORCE | packages
	$(call fp_stamp,$(fp_lib_compile))

$(FP_BUILD)/link.stamp: FORCE | packages
	$(call fp_stamp,$(fp_link) $(fp_lib_libs) $(FP_LIB_OBJECTS) $(FP_TEST_SUPPORT) $(FP_DIFFERENTIAL) \
		$(FP_FOLDER_OBJECTS))

$(FP_BUILD)/kernels.stamp: FORCE
	$(call fp_stamp,$(FP_KERNELS))

$(FP_BUILD)/kernel_sources.c: tools/embed-kernels.sh $(FP_BUILD)/kernels.stamp $(FP_KERNELS)
	$(call fp_do,EMBED) tools/embed-kernels.sh $(FP_KERNELS) >$@

$(FP_BUILD)/kernel_sources.o: $(FP_BUILD)/kernel_sources.c $(FP_BUILD)/compile.stamp
	$(call fp_do,CC) $(fp_lib_compile) -c -o $@ $<

$(FP_BUILD)/lib/%.o: lib/%.c $(FP_BUILD)/compile.stamp
	$(call fp_do,CC) $(fp_lib_compile) -c -o $@ $<

$(FP_STATIC): $(FP_LIB_OBJECTS) $(FP_BUILD)/link.stamp
	$(call fp_do,AR) rm -f $@ && $(AR) rcs $@ $(FP_LIB_OBJECTS)

# Threads free their texts when they end, by a function of the library: it stays, even if the program unloads it before.
$(FP_SHARED): $(FP_LIB_OBJECTS) $(FP_BUILD)/link.stamp
	$(call fp_do,LINK) $(fp_link) -shared -Wl,-soname,libfirepile.so.$(FP_MAJOR) -Wl,-z,nodelete \
		$(if $(SAN),,-Wl$(comma)--no-undefined) -o $@ $(FP_LIB_OBJECTS) $(fp_lib_libs)

$(FP_SHARED_LINKS:%=$(FP_BUILD)/%): $(FP_SHARED)
	@ln -sf $(<F) $@

$(FP_CACHE_TOOL).o: tools/firepile-cache.c $(FP_BUILD)/compile.stamp
	$(call fp_do,CC) $(fp_lib_compile) -c -o $@ $<

# --- Examples and tests ----------------------------------------------------------------------------------------------

$(FP_BUILD)/examples/%.o: examples/%.c $(FP_BUILD)/compile.stamp
	$(call fp_do,CC) $(fp_example_compile) -c -o $@ $<

$(FP_BUILD)/tests/%.o: tests/%.c $(FP_BUILD)/compile.stamp
	$(call fp_do,CC) $(fp_test_compile) -c -o $@ $<

$(FP_BUILD)/parts/%.o: %.c $(FP_BUILD)/compile.stamp
	$(call fp_do,CC) $(fp_example_compile) -c -o $@ $<

$(FP_PROGRAMS): %: %.o
$(foreach o,$(FP_FOLDER_OBJECTS),$(eval $(patsubst $(FP_BUILD)/parts/%/,$(FP_BUILD)/%,$(dir $o)): $o))

$(FP_PROGRAMS) $(FP_FOLDER_EXAMPLES): $(FP_STATIC) $(FP_BUILD)/link.stamp
	$(call fp_do,LINK) $(fp_link) -o $@ $(filter %.o,$^) $(FP_STATIC) $(fp_lib_libs) -ldl

# Plugins take the library from the test that loads them, so it has all of it. The program "unload" loads the
# shared one.
$(FP_TEST_PLUGINS): $(FP_BUILD)/%.so: %.c $(FP_BUILD)/compile.stamp
	$(call fp_do,LINK) $(fp_test_compile) -fPIC -shared -o $@ $<

# Plain programs of the shell load it too, so it has no sanitizer.
$(FP_TEST_PRELOAD): tests/preload/faster.c $(FP_BUILD)/compile.stamp
	$(call fp_do,LINK) $(subst $(FP_SANITIZE),,$(fp_test_compile)) -fPIC -shared -o $@ $<

$(FP_TEST_PROGRAMS): | $(FP_TEST_PRELOAD)
$(FP_TESTS) $(FP_SAMPLES): | $(FP_BUILD)/tests/programs/builder

$(FP_BUILD)/tests/test_unload: private fp_link += -rdynamic
$(FP_BUILD)/tests/test_unload: $(FP_LIB_OBJECTS)
$(FP_BUILD)/tests/programs/unload: | $(FP_SHARED_LINKS:%=$(FP_BUILD)/%)

$(FP_TESTS): %: %.o $(FP_TEST_SUPPORT) $(FP_STATIC) $(FP_BUILD)/link.stamp
	$(call fp_do,LINK) $(fp_link) -o $@ $(filter %.o,$^) $(FP_STATIC) $(fp_test_libs)

$(FP_BUILD)/tests/test_differential: $(FP_DIFFERENTIAL)

# Programs that tests run.
$(FP_BUILD)/tests/test_cache: | $(FP_CACHE_TOOL) $(FP_BUILD)/tests/programs/cached $(FP_BUILD)/tests/programs/unclosed
$(FP_BUILD)/tests/test_examples $(FP_BUILD)/tests/test_kernels: | $(FP_EXAMPLES) $(FP_SAMPLES)
$(FP_BUILD)/tests/test_host_memory: | $(FP_BUILD)/tests/programs/overrun
$(FP_BUILD)/tests/test_summary: | $(FP_BUILD)/examples/summary
$(FP_BUILD)/tests/test_unload: | $(FP_TEST_PLUGINS) $(FP_BUILD)/tests/programs/unload

-include $(patsubst %.o,%.d,$(FP_LIB_OBJECTS) $(FP_TEST_SUPPORT) $(FP_DIFFERENTIAL) $(FP_FOLDER_OBJECTS))
-include $(FP_PROGRAMS:=.d) $(FP_TESTS:=.d) $(FP_TEST_PLUGINS:.so=.d)

# --- Benchmark -------------------------------------------------------------------------------------------------------

# A file in bench/ops is an operation. One in bench/peers is a shared object of peers, if its tools are here.
FP_BENCH := $(FP_BUILD)/bench/bench
FP_BENCH_OPS := $(patsubst %.c,$(FP_BUILD)/%.o,bench/op.c $(sort $(wildcard bench/ops/*.c)))
FP_BENCH_OBJECTS := $(sort $(patsubst %.c,$(FP_BUILD)/%.o,$(wildcard bench/*.c)) $(FP_BENCH_OPS))
FP_PEERS := $(addprefix $(FP_BUILD)/,$(addsuffix .so,$(basename $(sort $(wildcard bench/peers/*.c bench/peers/*.cpp \
	bench/peers/*.cu)))))

# PEERS has the names of peers, as the program knows them. By default they are those of --peers in BENCHFLAGS, or none.
# Two objects have two peers each: cub and thrust, std and gnu.
PEERS ?= $(lastword none $(patsubst --peers=%,%,$(filter --peers=%,$(subst --peers ,--peers=,$(strip $(BENCHFLAGS))))))
FP_PEER_NAMES := $(filter-out none,$(subst $(comma), ,$(PEERS)))
FP_PEER_FILES := $(patsubst thrust,cub,$(patsubst std,stl,$(patsubst gnu,stl,$(FP_PEER_NAMES))))
FP_PEERS_ASKED := $(if $(filter all,$(FP_PEER_NAMES)),$(FP_PEERS),$(FP_PEER_FILES:%=$(FP_BUILD)/bench/peers/%.so))

NVCC ?= nvcc
CUDA_ARCH ?= native

fp_bench_compile = $(call fp_compile,$(FP_WARNINGS) -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=120 \
	$(call fp_pkg_config,--cflags $(FP_MODULES)))
fp_peer_flags = -shared -DCL_TARGET_OPENCL_VERSION=120 $(call fp_pkg_config,--cflags $(FP_MODULES)) $(CPPFLAGS)
# clang vectorises the least of floats only if there are no NaNs and no signed zeros, and there are none; gcc takes both
# sides of a condition only if additions do not trap, and they do not.
fp_peer_c = $(CC) -std=c11 $(FP_WARNINGS) -O3 -march=native -ffinite-math-only -fno-signed-zeros -fno-trapping-math \
	-fopenmp -fPIC $(fp_peer_flags)
fp_peer_cpp = $(CXX) -std=c++17 $(FP_WARNINGS) -O3 -march=native -fopenmp -fPIC $(fp_peer_flags)
fp_peer_boost = $(CXX) -std=c++14 -w -O3 -fPIC -DBOOST_COMPUTE_HAVE_THREAD_LOCAL $(fp_peer_flags)
fp_peer_cu = $(NVCC) -std=c++17 -O3 -arch=$(CUDA_ARCH) -Xcompiler -fPIC $(fp_peer_flags)

# $(call fp_peer,TEST,COMPILE,WHAT): the test tells whether the tools are here; what it writes is overwritten.
fp_peer = $(if $(V),,@)mkdir -p $(@D); \
	if $(1) >/dev/null 2>&1; then printf '  %-5s %s\n' PEER $@; $(2) -o $@ $< $(fp_lib_libs) $(fp_peer_libs); \
	else rm -f $@; echo "  no peer $(basename $(@F)): $(3)"; fi

# BENCHFLAGS are the options of the program; build/plain/bench/bench --help lists them.
bench: packages $(FP_BENCH) $(FP_PEERS_ASKED) ## Build and run the benchmark; PEERS=all beside other libraries
	@$(FP_BENCH) --peers $(or $(subst $(space),$(comma),$(FP_PEER_NAMES)),none) $(BENCHFLAGS)

bench bench-compare: FP_NEEDS := build run
bench bench-compare: FP_INSTALL := $(INSTALL)

# The library of another commit, measured by the benchmark of this one, without the operations that it had not.
OLD ?= HEAD
FP_OTHER := $(FP_BUILD)/other

bench-compare: packages $(FP_BENCH) ## Measure this library against that of another commit: OLD=HEAD~1
	rm -rf $(FP_OTHER)
	mkdir -p $(FP_OTHER)
	git archive $(OLD) include lib kernels tools | tar -x -C $(FP_OTHER)
	cp -R Makefile bench $(FP_OTHER)
	for op in bench/ops/*.c; do git cat-file -e $(OLD):$$op 2>/dev/null || rm $(FP_OTHER)/$$op; done
	$(MAKE) -C $(FP_OTHER) INSTALL=no bench-program
	@$(FP_BENCH) --peers other --against $(FP_OTHER)/$(FP_BENCH) $(BENCHFLAGS)

bench-program: $(FP_BENCH)

# Of all results that lie in bench/results.
bench-plots: ## Draw bench/results/*/bench.csv again, by gnuplot
	@for csv in bench/results/*/bench.csv; do gnuplot -c bench/plot.gp $$csv $${csv%.csv}.png; done

$(FP_BUILD)/bench/%.o: bench/%.c $(FP_BUILD)/compile.stamp
	$(call fp_do,CC) $(fp_bench_compile) -c -o $@ $<

$(FP_BENCH): $(FP_BENCH_OBJECTS) $(FP_STATIC) $(FP_BUILD)/link.stamp
	$(call fp_do,LINK) $(fp_link) -o $@ $(FP_BENCH_OBJECTS) $(FP_STATIC) $(fp_lib_libs) -ldl

$(FP_BUILD)/tests/test_bench_ops: $(FP_BENCH_OPS)

$(FP_PEERS): bench/peer.h bench/kernels.h $(wildcard bench/peers/*.h bench/peers/*.hpp)
$(FP_PEERS): $(FP_BUILD)/peers.stamp | packages

# Peers are built again for another architecture.
$(FP_BUILD)/peers.stamp: FORCE | packages
	$(call fp_stamp,$(fp_peer_c) $(fp_peer_cpp) $(fp_peer_cu))

$(FP_BUILD)/bench/peers/openmp.so: fp_peer_libs := -lm

$(FP_BUILD)/bench/peers/%.so: bench/peers/%.c
	$(call fp_peer,$(CC) -fopenmp -shared -x c /dev/null -o $@,$(fp_peer_c),$(CC) has no OpenMP here)

# $(call fp_has,HEADER): does $(CXX) have it, and OpenMP?
fp_has = echo '$(hash)include <$(1)>' | $(CXX) -std=c++17 -fopenmp -E -x c++ -

$(FP_BUILD)/bench/peers/boost.so: bench/peers/boost.cpp
	$(call fp_peer,$(call fp_has,boost/compute/config.hpp),$(fp_peer_boost),$(CXX) or Boost.Compute is not here \
		(Debian: libboost-dev))

$(FP_BUILD)/bench/peers/stl.so: bench/peers/stl.cpp
	$(call fp_peer,$(call fp_has,parallel/algorithm),$(fp_peer_cpp),$(CXX) has no parallel mode here)

$(FP_BUILD)/bench/peers/tbb.so: fp_peer_libs := -ltbb
$(FP_BUILD)/bench/peers/tbb.so: bench/peers/tbb.cpp
	$(call fp_peer,$(call fp_has,tbb/tbb.h),$(fp_peer_cpp),TBB is not here (Debian: libtbb-dev))

$(FP_BUILD)/bench/peers/cublas.so: fp_peer_libs := -lcublas
$(FP_BUILD)/bench/peers/curand.so: fp_peer_libs := -lcurand
$(FP_BUILD)/bench/peers/%.so: bench/peers/%.cu
	$(call fp_peer,command -v $(NVCC),$(fp_peer_cu),$(NVCC) is not here)

-include $(FP_BENCH_OBJECTS:.o=.d)

# --- The papers' figures ---------------------------------------------------------------------------------------------

FP_PAPERS := $(FP_BUILD)/bench/papers/bench-papers
FP_PAPERS_OBJECTS := $(patsubst %.c,$(FP_BUILD)/%.o,$(sort $(wildcard bench/papers/*.c)) bench/timing.c)
FP_PAPERS_COUNTED := $(patsubst %.c,$(FP_BUILD)/%,$(sort $(wildcard bench/papers/loc/*.c)))

.PHONY: bench-papers
bench-papers: packages $(FP_PAPERS) $(FP_PAPERS_COUNTED) ## Redraw the papers' figures into build/papers
	$(FP_PAPERS) --out build/papers $(PAPERS)

fp_papers_compile = $(call fp_compile,$(FP_LIB_WARNINGS) -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=120 \
	$(call fp_pkg_config,--cflags $(FP_MODULES)))

# The plain C that the figures compare with gets the best of the compiler.
$(FP_BUILD)/bench/papers/host.o: FP_HOST := -O3 -march=native -fopenmp
$(FP_BUILD)/bench/papers/%.o: bench/papers/%.c $(FP_BUILD)/compile.stamp
	$(call fp_do,CC) $(fp_papers_compile) $(FP_HOST) -c -o $@ $<

$(FP_PAPERS): $(FP_PAPERS_OBJECTS) $(FP_STATIC) $(FP_BUILD)/link.stamp
	$(call fp_do,LINK) $(fp_link) -fopenmp -o $@ $(FP_PAPERS_OBJECTS) $(FP_STATIC) $(fp_lib_libs)

# The programs whose lines are counted are built, so that they stay true.
$(FP_PAPERS_COUNTED): %: %.o $(FP_STATIC) $(FP_BUILD)/link.stamp
	$(call fp_do,LINK) $(fp_link) -o $@ $< $(FP_STATIC) $(fp_lib_libs)

-include $(FP_PAPERS_OBJECTS:.o=.d) $(FP_PAPERS_COUNTED:=.d)

# --- Installation ----------------------------------------------------------------------------------------------------

# The pkg-config file is written here, not built: it holds the folders of this installation.
install: lib $(FP_CACHE_TOOL) ## Install under PREFIX, staged in DESTDIR
	install -d $(DESTDIR)$(PREFIX)/include/firepile $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(FP_CACHE_TOOL) $(DESTDIR)$(PREFIX)/bin
	install -m 644 include/firepile.h $(DESTDIR)$(PREFIX)/include
	install -m 644 include/firepile/*.h $(DESTDIR)$(PREFIX)/include/firepile
	install -m 644 $(FP_STATIC) $(DESTDIR)$(LIBDIR)
	install -m 755 $(FP_SHARED) $(DESTDIR)$(LIBDIR)
	for link in $(FP_SHARED_LINKS); do ln -sf $(notdir $(FP_SHARED)) $(DESTDIR)$(LIBDIR)/$$link; done
	sed -e 's|@PREFIX@|$(abspath $(PREFIX))|; s|@LIBDIR@|$(abspath $(LIBDIR))|' \
		-e 's|@VERSION@|$(FP_VERSION)|; s|@MODULES@|$(FP_MODULES)|' firepile.pc.in \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/firepile.pc
	$(if $(DESTDIR),,ldconfig 2>/dev/null || true)

uninstall: ## Remove what `make install` put there
	rm -f $(DESTDIR)$(PREFIX)/bin/firepile-cache
	rm -f $(FP_HEADERS:%=$(DESTDIR)$(PREFIX)/%) $(DESTDIR)$(LIBDIR)/pkgconfig/firepile.pc
	rm -f $(patsubst %,$(DESTDIR)$(LIBDIR)/%,$(notdir $(FP_STATIC) $(FP_SHARED)) $(FP_SHARED_LINKS))
	rmdir --ignore-fail-on-non-empty $(DESTDIR)$(PREFIX)/include/firepile
