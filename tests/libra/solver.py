# SPDX-License-Identifier: Apache-2.0
"""LIBRA's model and a convex solver for it, independent of the tool: a barrier method by Newton's steps on
min Σ t_j with t_j ≥ n_jd / B_d, Σ B_d ≤ budget, B_d ≤ cap_d. The barrier's multipliers give the lower bound."""
import math


def traffic(kind, size, group):
    """Bytes per NPU by dimension."""
    sent = [0.0] * len(group)
    order = range(len(group) - 1, -1, -1) if kind == "ALLGATHER" else range(len(group))
    for d in order:
        k = group[d]
        if k < 0 or kind == "NONE":
            continue
        if kind == "ALLREDUCE":
            sent[d], size = 2 * size * (k - 1) / k, size / k
        elif kind == "REDUCESCATTER":
            sent[d], size = size * (k - 1) / k, size / k
        elif kind == "ALLGATHER":
            sent[d], size = size * (k - 1), size * k
        else:
            sent[d] = size * (k - 1) / k
    return sent


def solve_linear(matrix, right):
    size = len(right)
    rows = [list(matrix[i]) + [right[i]] for i in range(size)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, size):
            factor = rows[r][i] / rows[i][i]
            if factor:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    solution = [0.0] * size
    for i in range(size - 1, -1, -1):
        solution[i] = (rows[i][size] - sum(rows[i][j] * solution[j] for j in range(i + 1, size))) / rows[i][i]
    return solution


def value(compute, terms, bandwidths):
    return compute + sum(max(n / b for n, b in zip(term, bandwidths) if n) for term in terms)


def minimise(compute, terms, budget, caps):
    """(a value that is reached, a lower bound, the bandwidths); in units of equal shares' communication time inside."""
    used = [d for d in range(len(caps)) if any(term[d] for term in terms)]
    start = [min(budget / (len(used) + 1), caps[d] / 2) / budget for d in used]
    scale = value(0, [[term[d] for d in used] for term in terms], [b * budget for b in start])
    merged = {}
    for term in terms:
        most = max(term)
        key = tuple(round(term[d] / most, 12) for d in used)
        merged[key] = merged.get(key, 0.0) + most
    n = [[weight * part / budget / scale for part in key] for key, weight in merged.items()]
    cap = [caps[d] / budget for d in used]
    b = start
    t = [1.1 * max(x / y for x, y in zip(row, b)) for row in n]
    count = len(b)
    strength = 1.0
    while strength < 1e10:
        strength *= 3
        for _ in range(60):
            size = count + len(t)
            gradient, hessian = [0.0] * size, [[0.0] * size for _ in range(size)]

            def add(slack, slopes, curvature):
                """-ln(slack), slopes its derivatives, curvature its second ones in B."""
                for i, x in slopes.items():
                    gradient[i] -= x / slack
                    for j, y in slopes.items():
                        hessian[i][j] += x * y / slack**2
                for i, x in curvature.items():
                    hessian[i][i] -= x / slack

            for j, row in enumerate(n):
                gradient[count + j] += strength
                for d, x in enumerate(row):
                    if x:
                        add(t[j] - x / b[d], {count + j: 1.0, d: x / b[d] ** 2}, {d: -2 * x / b[d] ** 3})
            add(1 - sum(b), {d: -1.0 for d in range(count)}, {})
            for d in range(count):
                if math.isfinite(cap[d]):
                    add(cap[d] - b[d], {d: -1.0}, {})
            step = solve_linear(hessian, [-g for g in gradient])
            decrement = -sum(g * s for g, s in zip(gradient, step))

            def merit(bs, ts):
                slacks = [ts[j] - x / bs[d] if bs[d] > 0 else -1 for j, row in enumerate(n) for d, x in enumerate(row) if x]
                slacks += [1 - sum(bs)] + [cap[d] - bs[d] for d in range(count) if math.isfinite(cap[d])] + list(bs)
                if min(slacks) <= 0:
                    return math.inf
                return strength * sum(ts) - sum(map(math.log, slacks[:-count]))

            length, before = 1.0, merit(b, t)
            while length > 1e-12:
                bs = [x + length * s for x, s in zip(b, step)]
                ts = [x + length * s for x, s in zip(t, step[count:])]
                if merit(bs, ts) <= before - 0.1 * length * decrement:
                    break
                length /= 2
            else:
                break
            b, t = bs, ts
            if decrement < 1e-12:
                break
    reached = sum(max(x / y for x, y in zip(row, b) if x) for row in n)
    # Any weights that sum to 1 per term, and prices of 0 or more, bound the optimum from below.
    price = 1 / strength / (1 - sum(b))
    caps_price = [1 / strength / (cap[d] - b[d]) if math.isfinite(cap[d]) else 0.0 for d in range(count)]
    weights = []
    for j, row in enumerate(n):
        each = [1 / (t[j] - x / b[d]) if x else 0.0 for d, x in enumerate(row)]
        weights.append([w / sum(each) for w in each])
    bound = -price - sum(p * c for p, c in zip(caps_price, cap) if p)
    for d in range(count):
        amount = sum(weights[j][d] * n[j][d] for j in range(len(n)))
        bound += 2 * math.sqrt(amount * (price + caps_price[d]))
    bandwidths = [0.0] * len(caps)
    for d, share in zip(used, b):
        bandwidths[d] = share * budget
    return compute + scale * reached, compute + scale * bound, bandwidths
