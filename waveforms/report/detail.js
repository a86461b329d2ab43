// SPDX-License-Identifier: Apache-2.0
// Level of detail of the timeline: what is thinner than a column of pixels is drawn as shares of the column.

/// Of stretches of one row and lane in order, [{start, end, parts: [[category, ps], ...]}], as they are seen in columns
/// of `width` ps from `from` to `to`: {whole: [{item, start, end}], columns: [{start, end, free, parts, single}]}. A stretch fills the
/// columns that it covers; the rest of it goes into the columns that it shares with others. All of them together
/// sum to what is in view. `single`: the stretch that is alone in its column. `exact`: what is as wide as a column is
/// whole, from where it starts to where it ends. `free`: what whole ones leave of a column.
function inColumns(stretches, from, to, width, exact = false) {
  const whole = [], shared = new Map(), taken = new Map();
  const take = (column, start, end) => {
    const ps = Math.min(end, from + (column + 1) * width) - Math.max(start, from + column * width);
    if (ps > 0) taken.set(column, (taken.get(column) ?? 0) + ps);
  };
  const add = (item, start, end) => {
    for (let column = Math.floor((start - from) / width); start < end; ++column) {
      const stop = Math.min(end, from + (column + 1) * width);
      if (stop <= start) continue;
      const into = shared.get(column) ?? {parts: new Map(), single: item};
      if (into.single !== item) into.single = null;
      for (const [category, ps] of item.parts)
        into.parts.set(category, (into.parts.get(category) ?? 0) + (ps * (stop - start)) / (item.end - item.start));
      shared.set(column, into);
      start = stop;
    }
  };
  for (const item of stretches) {
    const start = Math.max(item.start, from), end = Math.min(item.end, to);
    if (start >= end) continue;
    if (exact && item.end - item.start >= width) {
      whole.push({item, start: item.start, end: item.end});
      const ends = new Set([start, end].map((at) => Math.floor((at - from) / width)));
      for (const column of ends) take(column, start, end);
      continue;
    }
    const first = from + Math.ceil((start - from) / width) * width, last = from + Math.floor((end - from) / width) * width;
    if (last <= first) {
      add(item, start, end);
      continue;
    }
    add(item, start, first);
    whole.push({item, start: first, end: last});
    add(item, last, end);
  }
  const columns = [...shared].map(([column, {parts, single}]) => {
    const start = from + column * width, end = Math.min(to, start + width);
    return {start, end, free: Math.max(width * 1e-6, end - start - (taken.get(column) ?? 0)), parts: [...parts], single};
  });
  return {whole, columns};
}

/// What a row shows of a time, stacked: of its height the parts take [from, to].
function stackOf(parts, ps, order) {
  let at = 0;
  return parts.slice().sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)).map(([category, part]) => {
    const share = Math.min(1, part / ps);
    at += share;
    return {category, share, from: at - share, to: at};
  });
}

const sharesWords = (parts, ps) => parts.slice().sort((a, b) => b[1] - a[1]).map(([category, part]) => `${category} ${formatPercent(part / ps)}`).join(", ");
