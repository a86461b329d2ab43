// SPDX-License-Identifier: Apache-2.0
// Ranks that behave alike: of many ranks one of each group is shown.

/// Up to so many ranks are shown one by one.
const kMostRanksAlone = 24;
const kMostGroups = 24;

/// Ranks in groups: in every part of the breakdown they differ from the first rank of their group by `within` of
/// the iteration's time at most, which is as small as `kMostGroups` groups allow: [{ranks, mean_s, within}].
function rankGroups(iteration) {
  const parts = partsOf(iteration), time = iteration.time_s || 1;
  for (let within = 0.005; ; within *= 2) {
    const groups = [];
    for (const rank of iteration.ranks) {
      const alike = ({ranks: [first]}) => parts.every((part) => Math.abs(first.breakdown_s[part] - rank.breakdown_s[part]) <= within * time);
      const group = groups.find(alike);
      if (group) group.ranks.push(rank);
      else groups.push({ranks: [rank], within});
      if (groups.length > kMostGroups) break;
    }
    if (groups.length > kMostGroups) continue;
    for (const group of groups) {
      const mean = (part) => group.ranks.reduce((sum, rank) => sum + rank.breakdown_s[part], 0) / group.ranks.length;
      group.mean_s = Object.fromEntries(parts.map((part) => [part, mean(part)]));
    }
    return groups;
  }
}

/// "0–7, 12, 16–19".
function rangesOf(numbers, most = 12) {
  const ranges = [];
  for (const each of numbers)
    if (ranges.length > 0 && ranges.at(-1)[1] === each - 1) ranges.at(-1)[1] = each;
    else ranges.push([each, each]);
  const words = ranges.slice(0, most).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return words.join(", ") + (ranges.length > most ? ` and ${ranges.length - most} more ranges` : "");
}

function groupsTable(groups, iteration) {
  return element("div", {},
    element("p", {}, `${iteration.ranks.length} ranks in ${groups.length} group${groups.length === 1 ? "" : "s"}: the ranks of a group differ from its first by at most ${fixed(100 * groups[0].within, 1)} % of the iteration in every part. Shown is the mean of a group.`),
    table("groups-table", [
      {title: "ranks", key: true, text: true, long: true, of: (each) => each.ranks[0].rank, show: (_, each) => rangesOf(each.ranks.map(({rank}) => rank))},
      {title: "number", of: (each) => each.ranks.length},
      ...partsOf(iteration).map((part) => ({title: part, of: (each) => each.mean_s[part], show: (value) => `${formatSeconds(value)} (${formatPercent(value / iteration.time_s)})`})),
    ], groups, {dropZeros: true}));
}
