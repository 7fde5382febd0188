#!/bin/sh
# What `make help` prints.
cat <<'END'
make                    builds build/gwtop
make run                installs what is missing, builds, runs (the demo where there is no GPU)
make check              installs what is missing, builds, runs all tests
make test-NAME          some of them: a room, a place (prop, pty, ...) or one program
make check-layers       which file includes what it must not; also check-headers, check-purity
make bless CASE=x/y     rewrites the golden files of one case
make fuzz-NAME          fuzzes one target for FUZZ_SECONDS (600) with clang's libFuzzer
make demo               records the demonstration again, of the synthetic machine
make bench              builds and runs the benchmarks
make bench-peers        measures gwtop beside htop, nvtop, intel_gpu_top and gputop
make install            to PREFIX (/usr/local), below DESTDIR; make uninstall takes it away
make dist               the source as one file in build/; deb and rpm make packages there
make completions        what bash, zsh and fish load, in build/completions
make harden             what protects the program; make size says how large it is
make cov                which lines of decoders and accounting the tests reach
make check-cross        tests for arm64 and s390x under qemu; also check-musl, check-reproducible
make check-valgrind     the unit tests and the program in its modes under valgrind
make lint               static analysers: gcc, cppcheck, clang-tidy; ONLY=src/acct: of a part
make deps               installs what building and testing need
make format             clang-format over everything
make clean              removes what was built

VARIANT=release|dev|asan|tsan|valgrind|cov|fuzz    BUILD=folder (build)    WERROR=1    V=1    CC=clang
END
