#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fixed points of congestion control by fluid models, apart from models/nic: prints them, and checks them against
shared/reference/ethernet.md, section 3.

    congestion_fluid.py
"""
import math


def dcqcn(gbps, flows, packet=1000, cnp=50e-6, alpha_timer=55e-6, timer=55e-6, byte_counter=10e6, stages=5, ai_mbps=40,
          kmin=5e3, kmax=200e3, pmax=.01):
    """Marking probability and queue (bytes) of DCQCN's fluid model at rest (Zhu et al., CoNEXT 2016, equation 11)."""
    rate = gbps * 1e9 / 8 / packet / flows  # packets/s
    ai = ai_mbps * 1e6 / 8 / packet
    b = byte_counter / packet

    def excess(p):
        keep = math.log1p(-p)
        cut = -math.expm1(cnp * rate * keep)
        alpha = -math.expm1(alpha_timer * rate * keep)
        by_bytes = p / math.expm1(-b * keep)
        by_time = p / math.expm1(-timer * rate * keep)
        additive = math.exp(stages * b * keep) * by_bytes + math.exp(stages * timer * rate * keep) * by_time
        return cut * cut * alpha / ((by_bytes + by_time) * additive) - cnp * cnp * ai * rate

    low, high = 1e-9, .5
    for _ in range(200):
        p = math.sqrt(low * high)
        low, high = (low, p) if excess(p) > 0 else (p, high)
    return low, kmin + low * (kmax - kmin) / pmax if low <= pmax else kmax


def dctcp(gbps, rtt, packet, k, flows):
    """Largest queue, amplitude (packets) and period (round trips) of the sawtooth (Alizadeh et al., SIGCOMM 2010, 3.3)."""
    bdp = gbps * 1e9 / 8 * rtt / packet
    return k + flows, .5 * math.sqrt(2 * flows * (bdp + k)), .5 * math.sqrt(2 * (bdp + k) / flows)


def patched_timely(gbps, flows, low, beta=.8, delta_mbps=10):
    """Queue (bytes): dR/dt = 0 with a gradient of 0 and half the weight for each change."""
    rate = gbps * 1e9 / 8
    share, delta, target = rate / flows, delta_mbps * 1e6 / 8, rate * low
    queue = target  # integrated until it rests
    for _ in range(100_000):
        queue += (delta / 2 - beta / 2 * share * (queue - target) / target) / delta * target * 1e-3
    return queue


def hpcc(bdp, flows, eta, additive):
    """Window and utilisation by iterating the rule, with no queue."""
    window = bdp / flows
    for _ in range(10_000):
        utilisation = flows * window / bdp
        window = window * eta / utilisation + additive
    return window, flows * window / bdp


def powertcp(bdp, flows, beta, gamma=.9):
    """Queue (bytes) by iterating the rule: a full line, a queue that does not grow."""
    window = bdp / flows
    for _ in range(10_000):
        queue = max(0, flows * window - bdp)
        sent = min(1, flows * window / bdp)
        window = gamma * (window / (sent * (queue + bdp) / bdp) + beta) + (1 - gamma) * window
    return flows * window - bdp


def near(name, value, expected, tolerance):
    print(f"{name:40} {value:12.5g}  {expected:12.5g}")
    assert abs(value - expected) <= tolerance * abs(expected), name


def main():
    for gbps, flows, mark, queue in ((40, 2, 7.77e-4, 20.2e3), (40, 4, 1.888e-3, 41.8e3), (40, 10, 6.03e-3, 122.6e3),
                                     (100, 10, 1.888e-3, 41.8e3)):
        found = dcqcn(gbps, flows)
        near(f"DCQCN {gbps} Gb/s, {flows} flows: p", found[0], mark, 3e-3)
        near("... queue", found[1], queue, 3e-3)
    for value, expected in zip(dctcp(10, 100e-6, 1500, 40, 2), (42, 11.1, 5.55)):
        near("DCTCP", value, expected, 4e-3)
    near("patched TIMELY, 10 Gb/s, 4 flows", patched_timely(10, 4, 50e-6), 62500 * (1 + 4 * 10 / (.8 * 10e3)), 1e-4)
    window, utilisation = hpcc(150e3, 10, .95, 80)
    near("HPCC window", window, .95 * 150e3 / 10 + 80, 1e-9)
    near("HPCC utilisation", utilisation, .95 + 10 * 80 / 150e3, 1e-9)
    near("PowerTCP queue", powertcp(125e3, 5, 12.5e3), 5 * 12.5e3, 1e-6)


if __name__ == "__main__":
    main()
