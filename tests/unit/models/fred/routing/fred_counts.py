#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""µswitches of FRED_m(P), straight from the recursion and without building anything.

    fred_counts.py MOST_PORTS MOST_M        prints "ports m R D RD demux mux stages" for all of them
"""
import functools
import sys


@functools.lru_cache(maxsize=None)
def counts(m, ports):
    if ports <= 3:
        return 0, 0, {2: 1, 3: 3}[ports], 0, 0
    pairs, odd = divmod(ports, 2)
    r, d, rd, demux, mux = counts(m, pairs + odd)
    return pairs + m * r, pairs + m * d, m * rd, odd + m * demux, odd + m * mux


def stages(ports):
    return {2: 1, 3: 3}[ports] if ports <= 3 else 2 + stages(-(-ports // 2))


for ports in range(2, int(sys.argv[1]) + 1):
    for m in range(1, int(sys.argv[2]) + 1):
        print(ports, m, *counts(m, ports), stages(ports))
