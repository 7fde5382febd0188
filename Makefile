# gwtop: the whole build in one file. `make help` says what it can do.
#
# Rooms are found by wildcard: src/<room>/*.c and src/<room>/*/*.c become build/<variant>/lib<room>.a,
# and a test links only the archive of its room and those below. A room without a file is skipped.

VERSION := 0.1.0

VARIANT ?= release
BUILD   ?= build
PREFIX  ?= /usr/local
O       := $(BUILD)/$(VARIANT)

# The arrows: whose doors a room may include, and so what its tests link. Highest first: this is the
# order on the linker's line too. tests/check-layers reads these lines.
MAY_app     := term out view table acct backend bus source core base
MAY_term    := view base
MAY_out     := table acct core base
MAY_view    := table acct core base
MAY_table   := acct core base
MAY_acct    := core base
MAY_backend := source bus core base
MAY_bus     := core base
MAY_source  := core base
MAY_core    := base
MAY_base    :=
ROOMS       := app $(MAY_app)

# ---- sources ---------------------------------------------------------------------------------

# Sorted, so that a build is the same to the byte wherever it is made.
sources = $(sort $(wildcard src/$(1)/*.c src/$(1)/*/*.c))
object  = $(patsubst %.c,$(O)/obj/%.o,$(1))
name    = $(basename $(notdir $(1)))

SRC := $(foreach r,$(ROOMS),$(call sources,$(r)))
# Files that may do I/O; all others are strict C11, where a clock or an open is not even declared.
IMPURE := $(foreach r,source term app,$(call sources,$(r))) \
          $(wildcard src/backend/*/collect*.c src/base/log.c)
PURE   := $(filter-out $(IMPURE),$(SRC))

UNIT   := $(wildcard tests/unit/*_test.c)
PLACES := prop fault emul pty
OTHER  := $(foreach p,$(PLACES),$(wildcard tests/$(p)/*_test.c))
SHELL_TESTS := $(wildcard tests/*/*_test.sh)
SHIMS  := $(wildcard tests/emul/*_shim.c)
FUZZ   := $(wildcard tests/fuzz/*_fuzz.c)
BENCH  := $(wildcard tests/bench/*.c)
SYNTH  := $(wildcard tests/synth/*.c)
HELP   := $(wildcard tests/lib/*.c)
CHECKS := tests/check-layers tests/check-headers tests/check-purity

# ---- compiler and flags ------------------------------------------------------------------------

ifeq ($(VARIANT),fuzz)
CC := clang
endif
AR ?= ar
comma := ,

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion
ifeq ($(WERROR),1)
WARNINGS += -Werror
endif

# Those of the flags that this compiler takes, for compiling and linking an empty program.
taken = $(shell for flag in $(1); do echo 'int main(void) { return 0; }' | \
    $(CC) -Werror $$flag -x c -o /dev/null - 2>/dev/null && echo "$$flag"; done)
# No unwind tables in the program: nothing unwinds, and a debugger has those of -g.
CFLAGS_release  := -O2 -g -fPIE -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections \
    -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
LDFLAGS_release := -pie -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections
ifeq ($(VARIANT),release)
CFLAGS_release  += $(call taken,-fstack-clash-protection -fcf-protection=full \
    -mbranch-protection=standard -ffile-prefix-map=$(CURDIR)=.)
LDFLAGS_release += $(call taken,-Wl$(comma)-z$(comma)pack-relative-relocs)
endif
CFLAGS_dev      := -O0 -g3 -fno-omit-frame-pointer
CFLAGS_asan     := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined
LDFLAGS_asan    := -fsanitize=address,undefined
CFLAGS_tsan     := -O1 -g -fno-omit-frame-pointer -fsanitize=thread -DGWTOP_NO_FENCE
LDFLAGS_tsan    := -fsanitize=thread
CFLAGS_valgrind := -O1 -g -fno-omit-frame-pointer -DGWTOP_NO_FENCE
CFLAGS_cov      := -O0 -g --coverage -DGWTOP_NO_FENCE
LDFLAGS_cov     := --coverage
CFLAGS_fuzz     := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined
LDFLAGS_fuzz    := -fsanitize=address,undefined
ifeq ($(CFLAGS_$(VARIANT)),)
$(error VARIANT=$(VARIANT) is none of release, dev, asan, tsan, valgrind, cov, fuzz)
endif

COMPILE = $(CC) -std=c11 $(WARNINGS) $(CFLAGS_$(VARIANT)) -Iinclude $(CPPFLAGS) $(CFLAGS)
LINK    = $(CC) $(CFLAGS_$(VARIANT)) $(LDFLAGS_$(VARIANT)) -Wl,--as-needed $(CFLAGS) $(LDFLAGS)

# Libraries: $(call cflags,name) and $(call libs,name,otherwise).
cflags = $(shell pkg-config --cflags $(1) 2>/dev/null)
libs   = $(shell pkg-config --libs $(1) 2>/dev/null || echo $(2))
DRM_CFLAGS := $(or $(call cflags,libdrm),-I/usr/include/libdrm) $(call cflags,pciaccess)
DRM_LIBS   := $(call libs,libdrm,-ldrm) $(call libs,pciaccess,-lpciaccess)

LIBS_base    := $(call libs,libutf8proc,-lutf8proc) -lm -pthread
LIBS_source  := $(DRM_LIBS) $(call libs,libzstd,-lzstd)
LIBS_backend := $(DRM_LIBS)
LIBS_term    := $(call libs,ncursesw,-lncursesw -ltinfo)
LIBS_app     := $(call libs,inih,-linih) -ldl
# Its header alone: `gwtop serve` loads the library when it runs. Without it there is no `serve`.
SERVE_CFLAGS := $(shell pkg-config --exists libmicrohttpd 2>/dev/null && \
    echo -DGWTOP_SERVE $$(pkg-config --cflags libmicrohttpd))
LIBS_tests   := $(call libs,cmocka,-lcmocka) $(call libs,jansson,-ljansson)

obj := $(O)/obj
# What runs once, or when a person asks, is made small; what runs each tick is made fast.
ifeq ($(VARIANT),release)
$(foreach r,app out term,$(obj)/src/$(r)/%.o): private SMALL := -Os
endif
$(call object,$(IMPURE)) $(obj)/tests/%.o: private FEATURES := -D_GNU_SOURCE
$(obj)/src/base/%.o:    private EXTRA := $(call cflags,libutf8proc)
$(obj)/src/source/%.o:  private EXTRA := $(DRM_CFLAGS) $(call cflags,libzstd)
$(obj)/src/backend/%.o: private EXTRA := $(DRM_CFLAGS)
$(obj)/src/term/%.o:    private EXTRA := $(call cflags,ncursesw)
$(obj)/tests/%.o:       private EXTRA := -Isrc -Itests/lib $(call cflags,cmocka jansson)
$(obj)/tests/emul/%.o:  private EXTRA := -Isrc -Itests/lib $(call cflags,cmocka jansson) \
    $(DRM_CFLAGS)
APP_DEFS := -DGWTOP_VERSION='"$(VERSION)"' -DGWTOP_DATADIR='"$(PREFIX)/share/gwtop"'
$(obj)/src/app/%.o:     private EXTRA := $(APP_DEFS) $(SERVE_CFLAGS) $(call cflags,inih)

# ---- how things are made -----------------------------------------------------------------------

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $(1) $(2))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all tests check check-now check-layers check-headers check-purity bless bench synth run deps
.PHONY: demo bench-peers check-valgrind check-valgrind-now
.PHONY: install uninstall clean format help FORCE lint lint-objects
.PHONY: dist deb rpm completions harden size pure unit-pure cov cov-now check-reproducible check-cross check-musl

$(obj)/%.o: %.c $(O)/flags.stamp
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) $(SMALL) $(FEATURES) $(EXTRA) -MMD -MP -c -o $@ $<

$(O)/lib%.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(filter %.o,$^)

# What has no file of its own, but must cause a new build when it changes: the flags, the folder of
# the data, the list of sources.
STAMP_flags   := $(COMPILE)
STAMP_app     := $(APP_DEFS) $(SERVE_CFLAGS)
STAMP_sources := $(SRC) $(HELP)
STAMP_shims   := $(wildcard tests/emul/*.[ch])
STAMP_pure    := $(call object,$(PURE))
quoted = '$(subst ','\'',$(STAMP_$*))'
$(O)/%.stamp: FORCE
	@mkdir -p $(@D); [ "$$(cat $@ 2>/dev/null)" = $(quoted) ] || printf '%s\n' $(quoted) > $@
$(call object,$(call sources,app)): $(O)/app.stamp

# Archives of the rooms. main.o stays out, so that tests of the app can link the rest.
MAIN := src/app/main.c
define room_rules
LIB_$(1) := $(if $(filter-out $(MAIN),$(call sources,$(1))),$(O)/lib$(1).a)
$(O)/lib$(1).a: $(call object,$(filter-out $(MAIN),$(call sources,$(1)))) $(O)/sources.stamp
endef
$(foreach r,$(ROOMS),$(eval $(call room_rules,$(r))))
LIB_help := $(if $(HELP),$(O)/libtest.a)
$(O)/libtest.a: $(call object,$(HELP)) $(O)/sources.stamp

# $(call below,room): the room and all below it, in the linker's order.
closure = $(1) $(foreach r,$(MAY_$(1)),$(call closure,$(r)))
below   = $(filter $(call closure,$(1)),$(ROOMS))

# $(call program,target,source,rooms,archives before them,libraries)
define program
$(1): $(call object,$(2)) $(4) $(foreach r,$(3),$(LIB_$(r)))
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)
	$$(Q)$$(LINK) -o $$@ $$(filter %.o %.a,$$^) $(5) $(foreach r,$(3),$(LIBS_$(r)))
endef
make_program = $(eval $(call program,$(1),$(2),$(3),$(4),$(5)))

PROGRAM := $(if $(wildcard $(MAIN)),$(O)/gwtop)
$(call make_program,$(O)/gwtop,$(MAIN),$(ROOMS))

# ---- tests -------------------------------------------------------------------------------------

room_of    = $(firstword $(subst _, ,$(call name,$(1))))
place_of   = $(notdir $(patsubst %/,%,$(dir $(1))))
unit_bin   = $(O)/tests/$(call name,$(1))
placed_bin = $(O)/tests/$(call place_of,$(1))/$(call name,$(1))
tool_bin   = $(O)/$(call place_of,$(1))/$(call name,$(1))

UNIT_BINS  := $(foreach t,$(UNIT),$(call unit_bin,$(t)))
OTHER_BINS := $(foreach t,$(OTHER),$(call placed_bin,$(t)))
FUZZ_BINS  := $(foreach t,$(FUZZ),$(call tool_bin,$(t)))
BENCH_BINS := $(foreach t,$(BENCH),$(call tool_bin,$(t)))
SYNTH_BINS := $(foreach t,$(SYNTH),$(call tool_bin,$(t)))
SHIM_LIBS  := $(foreach t,$(SHIMS),$(call tool_bin,$(t)).so)

# With libFuzzer its own main takes the place of the one that replays seeds.
FUZZ_MAIN := $(if $(filter fuzz,$(VARIANT)),,$(call object,tests/fuzz/main.c))
FUZZ_LIB  := $(if $(filter fuzz,$(VARIANT)),-fsanitize=fuzzer)

$(foreach t,$(UNIT),$(call make_program,$(call unit_bin,$(t)),$(t),\
    $(call below,$(call room_of,$(t))),$(LIB_help),$(LIBS_tests)))
$(foreach t,$(OTHER),$(call make_program,$(call placed_bin,$(t)),$(t),\
    $(ROOMS),$(LIB_help),$(LIBS_tests) -lutil))
# Here the linker puts what makes allocations fail before the allocator.
$(O)/tests/fault/memory_test: private LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
$(foreach t,$(FUZZ),$(call make_program,$(call tool_bin,$(t)),$(t),\
    $(ROOMS),$(FUZZ_MAIN) $(LIB_help),$(FUZZ_LIB)))
$(foreach t,$(BENCH),$(call make_program,$(call tool_bin,$(t)),$(t),$(ROOMS),$(LIB_help),$(LIBS_tests)))
# Other monitors beside it; it needs no room.
$(call make_program,$(O)/bench/peers,tests/bench/peers/peers.c,,\
    $(call object,tests/bench/peers/clients.c) $(LIB_help),-lutil)
$(foreach t,$(SYNTH),$(call make_program,$(call tool_bin,$(t)),$(t),$(ROOMS),$(LIB_help),$(LIBS_tests)))

# Libraries to preload into the program under test, NAME_shim.so from NAME_*.c and what all of them
# share. They carry no sanitizer of their own.
shim_parts = $(filter-out %_test.c,$(wildcard tests/emul/$(1)_*.c tests/emul/emul_*.c))
define shim_rule
$(O)/emul/$(1)_shim.so: $(shim_parts) $(wildcard tests/emul/$(1)_*.h tests/emul/emul.h) \
    $(O)/flags.stamp $(O)/shims.stamp
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) -std=c11 -D_GNU_SOURCE $$(WARNINGS) -O1 -g -fPIC -shared -Iinclude $$(DRM_CFLAGS) \
	    -o $$@ $(shim_parts) -ldl -pthread
endef
$(foreach s,$(SHIMS),$(eval $(call shim_rule,$(patsubst %_shim,%,$(call name,$(s))))))

# ---- what one asks for -------------------------------------------------------------------------

all: $(foreach r,$(ROOMS),$(LIB_$(r))) $(PROGRAM)
ifeq ($(VARIANT),release)
all: $(if $(PROGRAM),$(BUILD)/gwtop)
$(BUILD)/gwtop: $(O)/gwtop
	@cp -f $< $@
endif

tests: all synth $(UNIT_BINS) $(OTHER_BINS) $(FUZZ_BINS) $(SHIM_LIBS) $(O)/pure.stamp
synth: $(SYNTH_BINS)

# Libraries are looked for when this file is read: what installs them has to come before.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
AGAIN = $(MAKE) --no-print-directory $(JOBS)
TEST_ENV = GWTOP_BUILD='$(O)' GWTOP_VARIANT='$(VARIANT)' CC='$(CC)' V='$(V)' DRM_CFLAGS='$(DRM_CFLAGS)'

check:
	@VARIANT='$(VARIANT)' CC='$(CC)' sh src/dist/deps.sh check
	+@$(AGAIN) check-now

check-now: tests
	@$(TEST_ENV) tests/run $(CHECKS) $(UNIT_BINS) $(OTHER_BINS) $(SHELL_TESTS) $(FUZZ_BINS)

# Some of the tests: make test-acct, test-prop, test-base_map_test.
test-%: tests
	@$(TEST_ENV) tests/run $(or $(filter $(O)/tests/$* $(O)/tests/$*_% $(O)/tests/$*/% $(O)/fuzz/$*%\
	    tests/$*/%,$(UNIT_BINS) $(OTHER_BINS) $(SHELL_TESTS) $(FUZZ_BINS)),$(error no test named $*))

check-layers check-headers:
	@$(TEST_ENV) tests/$@
check-purity: all $(O)/pure.stamp
	@$(TEST_ENV) tests/$@

# Rewrites the golden files of one case (all, if none is named); the difference is the review.
bless: tests
	@$(TEST_ENV) GWTOP_BLESS='$(or $(CASE),all)' tests/run $(filter %golden_test,$(UNIT_BINS) $(OTHER_BINS))

bench: all synth $(BENCH_BINS) $(SHIM_LIBS)
	@if [ -x tests/bench/run ]; then $(TEST_ENV) tests/bench/run $(BENCH_BINS); fi
# Beside other monitors that are installed: htop, nvtop, intel_gpu_top, gputop.
bench-peers: all synth $(O)/bench/peers
	@$(O)/bench/peers $(O)/gwtop $(O)/synth/synth

# Makes the demonstration recording anew, the same to the byte wherever it is run.
demo: synth
	@$(TEST_ENV) tests/synth/demo.sh

FUZZ_SECONDS ?= 600
fuzz-%:
	+@$(AGAIN) VARIANT=fuzz $(BUILD)/fuzz/fuzz/$*_fuzz
	@mkdir -p $(BUILD)/fuzz/corpus/$* tests/fuzz/seeds/$*
	$(BUILD)/fuzz/fuzz/$*_fuzz -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
	    -artifact_prefix=$(BUILD)/fuzz/$*- $(wildcard $(addprefix -dict=,tests/fuzz/$*.dict)) \
	    $(BUILD)/fuzz/corpus/$* tests/fuzz/seeds/$*

deps:
	@VARIANT='$(VARIANT)' CC='$(CC)' sh src/dist/deps.sh check

run:
	@VARIANT='$(VARIANT)' CC='$(CC)' sh src/dist/deps.sh build
	+@$(AGAIN) all
	@sh src/dist/run.sh $(BUILD)/gwtop

# The time that packages carry: of the commit, else of the files as they were unpacked.
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y Makefile))
PACK = VERSION='$(VERSION)' SOURCE_DATE_EPOCH='$(EPOCH)' sh src/dist

dist:
	@$(PACK)/dist.sh $(BUILD)
deb: all
	@$(PACK)/deb.sh $(O)/gwtop $(BUILD)
rpm: dist
	@$(PACK)/rpm.sh $(BUILD)
# The scripts that shells load, as `make install` puts them to their places.
completions: all
	@mkdir -p $(BUILD)/completions
	@for shell in bash zsh fish; do $(RUN) $(O)/gwtop completions $$shell \
	    >$(BUILD)/completions/gwtop.$$shell || exit 1; done
harden: all
	@sh src/dist/harden.sh $(O)/gwtop
size: all
	@sh src/dist/size.sh $(O)/gwtop

# These take minutes and are no part of `check`: the same bytes from two folders; the decoders and all
# that is pure on other machines, under qemu; the pure rooms with musl; lines that the tests reach.
check-reproducible:
	+@$(PACK)/reproducible.sh
check-cross:
	+@BUILD='$(BUILD)' MAKE='$(AGAIN)' TEST_SECONDS=1800 sh src/dist/cross.sh
check-musl:
	@command -v musl-gcc >/dev/null || { echo 'check-musl: skipped, there is no musl-gcc here'; }
	+@! command -v musl-gcc >/dev/null || $(AGAIN) VARIANT=dev BUILD=$(BUILD)/musl CC=musl-gcc WERROR=1 \
	    CPPFLAGS='-idirafter /usr/include' pure
# Static analysers, of files whose names begin with ONLY. They read the build's own commands, those of a dry run.
ONLY ?= src
lint:
	@mkdir -p $(BUILD)/lint
	@$(MAKE) --no-print-directory -nB V=1 VARIANT=dev lint-objects | tests/lint/run $(BUILD)/lint "$(ONLY)"
lint-objects: $(call object,$(SRC) $(wildcard tests/*/*.c tests/*/*/*.c))
pure: $(call object,$(PURE))
unit-pure: $(filter-out $(foreach r,source term app,$(O)/tests/$(r)_%),$(UNIT_BINS))
# Memory that is read before it is set, lost, or freed too often, and descriptors left open. Takes half an hour.
VALGRIND := valgrind -q --vgdb=no --error-exitcode=99 --leak-check=full --num-callers=30 \
    --show-leak-kinds=definite,indirect,possible --errors-for-leak-kinds=definite,indirect,possible \
    --suppressions=$(CURDIR)/tests/valgrind/valgrind.supp
check-valgrind:
	@command -v valgrind >/dev/null || echo 'check-valgrind: skipped, there is no valgrind here'
	+@! command -v valgrind >/dev/null || $(AGAIN) VARIANT=valgrind check-valgrind-now
check-valgrind-now: tests
	@$(TEST_ENV) TEST_SECONDS=1800 GWTOP_WRAP='$(VALGRIND)' tests/run $(UNIT_BINS) \
	    $(filter $(O)/tests/pty/%,$(OTHER_BINS)) tests/valgrind/modes.sh
cov:
	+@$(AGAIN) VARIANT=cov cov-now
cov-now: tests
	@find $(O) -name '*.gcda' -delete
	-@$(TEST_ENV) tests/run $(UNIT_BINS) $(filter $(O)/tests/prop/%,$(OTHER_BINS)) $(FUZZ_BINS)
	@sh src/dist/cov.sh $(O)

install: all
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' sh src/dist/install.sh install '$(O)/gwtop'
uninstall:
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' sh src/dist/install.sh uninstall

clean:
	rm -rf $(foreach v,release dev asan tsan valgrind cov fuzz gwtop lint musl completions cross-s390x cross-aarch64,$(BUILD)/$(v))
	rm -rf $(wildcard $(BUILD)/gwtop-*.tar.gz $(BUILD)/gwtop*.deb $(BUILD)/rpmbuild.log $(BUILD)/*.rpm)
	@rmdir $(BUILD) 2>/dev/null || true

format:
	clang-format -i $(wildcard include/gwtop/*.h $(foreach d,src tests,$(d)/*/*.[ch] $(d)/*/*/*.[ch]))

help:
	@sh src/dist/help.sh

-include $(patsubst %.o,%.d,$(call object,$(SRC) $(UNIT) $(OTHER) $(FUZZ) $(BENCH) $(SYNTH) $(HELP)\
    $(wildcard tests/bench/peers/*.c)))
