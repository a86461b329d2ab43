#!/usr/bin/env bash
# Experiments with several builds of wafertlm (compilers, sanitizers): the results must be the same to the last digit, but
# for what the results themselves say of the host. wafertlm-run will do.
#   tests/compare_builds.sh WAFERTLM WAFERTLM [WAFERTLM ...]
# Prints what it compared; exit code 1 on a difference.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: $0 WAFERTLM WAFERTLM [WAFERTLM ...]" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
experiments=(resnet50_dp20_mesh_5x4 dlrm_fred_d)
export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
number=0
for executable in "$@"; do
  executable=$(realpath "$executable")
  number=$((number + 1))
  echo "build $number: $executable"
  (
    cd "$root"
    for experiment in "${experiments[@]}"; do
      "$executable" run "configs/experiments/$experiment.yaml" --out "$scratch/$number/$experiment" >"$scratch/$number.log"
    done
  ) || { echo "build $number failed"; cat "$scratch/$number.log"; exit 1; }
done

python3 - "$scratch" "$number" "${experiments[@]}" <<'PYTHON'
import json
import sys

scratch, builds, experiments = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def without_host(value):
    if isinstance(value, dict):
        return {key: without_host(entry) for key, entry in value.items() if key != "host"}
    if isinstance(value, list):
        return [without_host(entry) for entry in value]
    return value


def leaves(value, path=""):
    """path → value of everything that is not an object or a list; numbers as they are written."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if entries is None:
        return {path: value}
    found = {path: type(value).__name__} if not value else {}
    for key, entry in entries:
        found.update(leaves(entry, f"{path}.{key}" if path else str(key)))
    return found


def load(path):
    with open(path, encoding="utf-8") as file:
        return leaves(without_host(json.load(file, parse_float=str, parse_int=str)))


different = False
for what in experiments:
    first = load(f"{scratch}/1/{what}/results.json")
    if not first:
        sys.exit(f"{what}: the results are empty")
    for build in range(2, builds + 1):
        other = load(f"{scratch}/{build}/{what}/results.json")
        wrong = [path for path in sorted(first.keys() | other.keys()) if first.get(path) != other.get(path)]
        print(f"{what}: {len(first)} values of build 1 and {len(other)} of build {build}: {len(wrong)} differ")
        for path in wrong[:20]:
            print(f"  {path}: {first.get(path, 'missing')} and {other.get(path, 'missing')}")
        different = different or bool(wrong)
sys.exit(1 if different else 0)
PYTHON
