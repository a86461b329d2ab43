// SPDX-License-Identifier: Apache-2.0
#include "platform/run/who_waits.h"

#include <map>

namespace wafertlm {

std::vector<std::string> who_waits_for_whom(const std::vector<std::unique_ptr<RankSequencer>>& ranks) {
  std::vector<std::string> lines;
  std::uint32_t rank = 0;
  const Task* task = nullptr;
  for (; rank < ranks.size() && !task; ++rank)
    for (const Task* candidate : ranks[rank]->engine.under_way())
      if (!task && !ranks[rank]->need_of(*candidate).ranks.empty()) task = candidate;
  if (!task) return lines;
  --rank;

  std::map<const Task*, std::size_t> seen;  // task → its line, counted from 1
  while (task) {
    const auto [place, is_new] = seen.emplace(task, lines.size() + 1);
    if (!is_new) {
      lines.push_back("… which is line " + std::to_string(place->second) + " again: they wait in a circle");
      break;
    }
    const RankSequencer::Need need = ranks[rank]->need_of(*task);
    std::string line = std::to_string(lines.size() + 1) + ". rank " + std::to_string(rank) + ": " +
                       describe(*task) + " waits for " + (need.ranks.empty() ? "its end" : need.text);
    if (need.ranks.empty()) {
      lines.push_back(line);
      break;
    }
    rank = need.ranks.front();
    const Task* wanted = nullptr;
    task = ranks[rank]->engine.blocker(need.provides, &wanted);
    if (wanted && task)
      line += "; rank " + std::to_string(rank) + " does that in " + describe(*wanted) + ", behind " +
              describe(*task);
    else if (!task)
      line += "; rank " + std::to_string(rank) + " has nothing under way";
    lines.push_back(line);
  }
  return lines;
}

}  // namespace wafertlm
