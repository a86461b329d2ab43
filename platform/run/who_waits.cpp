// SPDX-License-Identifier: Apache-2.0
#include "platform/run/who_waits.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <regex>

namespace wafertlm {

WaitChain who_waits_for_whom(const std::vector<std::unique_ptr<RankSequencer>>& ranks) {
  WaitChain chain;
  std::vector<std::string>& lines = chain.lines;
  std::uint32_t rank = 0;
  const Task* task = nullptr;
  for (; rank < ranks.size() && !task; ++rank)
    for (const Task* candidate : ranks[rank]->engine.under_way())
      if (!task && !ranks[rank]->need_of(*candidate).ranks.empty()) task = candidate;
  if (!task) return chain;
  --rank;

  std::map<const Task*, std::size_t> seen;  // task → its line, counted from 1
  while (task) {
    const auto [first, is_new] = seen.emplace(task, lines.size() + 1);
    chain.named.emplace(rank, task);
    if (!is_new) {
      lines.push_back(fmt::format("… which is line {} again: they wait in a circle", first->second));
      break;
    }
    const RankSequencer::Need need = ranks[rank]->need_of(*task);
    std::string line = fmt::format("{}. rank {}: {} waits for {}", lines.size() + 1, rank, describe(*task),
                                   need.ranks.empty() ? "its end" : need.text);
    if (need.ranks.empty()) {
      lines.push_back(line);
      break;
    }
    rank = need.ranks.front();
    const Task* wanted = nullptr;
    task = ranks[rank]->engine.blocker(need.provides, &wanted);
    if (wanted && task)
      line += fmt::format("; rank {} does that in {}, behind {}", rank, describe(*wanted), describe(*task));
    else if (!task)
      line += fmt::format("; rank {} has nothing under way", rank);
    lines.push_back(line);
  }
  return chain;
}

std::vector<std::string> in_ranks(const std::vector<std::string>& pending,
                                  const std::set<std::uint64_t>& without) {
  static const std::regex npu_of_a_rank("NPU ([0-9]+)( \\(rank [0-9]+\\))?");
  static const std::regex step(" in collective ([0-9]+) step [0-9]+ of threadblock [0-9]+");
  std::vector<std::string> lines;
  for (const std::string& line : pending) {
    std::smatch match;
    std::string known;  // the number of the collective
    if (std::regex_search(line, match, step)) {
      known = std::to_string(CollectiveRecord::record_id(std::stoull(match[1])));
      const bool lost = match.suffix().length() != 0;  // a message that left and did not arrive
      if (!lost && without.count(std::stoull(known)) != 0) continue;
    }
    std::string text = std::regex_replace(line, npu_of_a_rank, "rank $1");
    text = std::regex_replace(text, step, " in collective " + known);
    if (std::find(lines.begin(), lines.end(), text) == lines.end()) lines.push_back(std::move(text));
  }
  return lines;
}

}  // namespace wafertlm
