#!/usr/bin/env bash
# Sets up, builds and runs the tests; the last line is "N passed, N failed" (and ", N skipped" if there are).
#   ./test.sh [--preset asan] [--filter REGEX] [--short] [--blocks]
# --short: without the tests labelled long; --blocks: those of tlm, models, workloads and of what reads input alone.
# Skipped and disabled tests count as failed when CI=true. A build that fails, or no test at all, is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

preset=release
filter=.
labels=()
target=all
while [ $# -gt 0 ]; do
  case $1 in
    --preset) preset=${2:?test.sh: --preset needs a name, for example asan} && shift 2 ;;
    --filter) filter=${2:?test.sh: --filter needs a regular expression} && shift 2 ;;
    --short) labels+=(--label-exclude '^long$') && shift ;;
    --blocks) labels+=(--label-regex '^blocks$') target=wafertlm_block_tests && shift ;;
    *) echo "test.sh: unknown option '$1' (known: --preset NAME, --filter REGEX, --short, --blocks)" >&2; exit 2 ;;
  esac
done
directory=build
[ "$preset" = release ] || directory=build-$preset
results=$PWD/$directory/tests.xml

give_up() {
  echo "test.sh: $1" >&2
  echo "0 passed, 1 failed"
  exit 1
}

./setup.sh --tests || give_up "the set-up failed"
rm -f "$results"
./build.sh "$preset" "$target" || give_up "the build failed"

status=0
ctest --test-dir "$directory" --parallel "$(nproc)" --tests-regex "$filter" "${labels[@]}" --no-tests=error \
  --output-on-failure --output-junit "$results" || status=$?
python3 tests/support/count_results.py "$results" --ctest-status "$status"
