#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A table of somebody else in all its forms:  table_test.sh TOYS
set -e
same() {
  [ "$1" = "$2" ] || { printf 'expected:\n%s\ngot:\n%s\n' "$2" "$1"; exit 1; }
}
same "$("$1" hello-planets)" '  planet                    day
  Mars                  88642 s
  a planet, "far" away      5 s'
same "$("$1" hello-planets --csv)" '"planet","day_s"
"Mars",88642.0
"a planet, ""far"" away",5.0'
same "$("$1" hello-planets --json)" '[{"planet":"Mars","day_s":88642.0},{"planet":"a planet, \"far\" away","day_s":5.0}]'
"$1" hello-planets --json-schema | grep -q '"title": "What `wafertlm hello-planets --json` writes"'
