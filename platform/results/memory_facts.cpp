// SPDX-License-Identifier: Apache-2.0
#include "platform/results/memory_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "platform/command/format.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

/// Of the memory as a whole: the mean of its channels.
Json dram_facts(Json facts, DramMemory& memory, TimePs end_ps) {
  const MemoryLosses losses = attribute_losses(memory, end_ps);
  const double whole_fs = static_cast<double>(losses.channels) * static_cast<double>(losses.total_fs);
  facts["busy_fraction"] = whole_fs == 0 ? 0 : static_cast<double>(losses.sum.busy_fs) / whole_fs;
  const Json parts = loss_parts(losses);
  for (const auto& [name, fs] : parts.items())
    if (name != "busy") facts["lost"][name + "_s"] = fs.get<double>() * 1e-15 / losses.channels;
  facts["bandwidth_bytes_per_s"] = memory.bytes_per_s();
  facts["channels"] = losses.channels;
  facts["channel_time_fs"] = losses.total_fs;
  facts["time_of_all_channels_fs"] = parts;
  facts["row_visits"] = losses.sum.row_visits;
  facts["row_hits"] = losses.sum.row_hits;
  facts["activates"] = losses.sum.activates;
  facts["turnarounds"] = losses.sum.turns;
  facts["refreshes"] = losses.sum.refreshes;
  return facts;
}

Json flow_facts(Json facts, const FlowMemory& memory, TimePs end_ps) {
  const TimePs total = std::max(end_ps, memory.last_end_ps());
  const TimePs idle = memory.idle_ps() + total - memory.last_end_ps();
  const double moving = static_cast<double>(facts["bytes_read"].get<std::uint64_t>() +
                                            facts["bytes_written"].get<std::uint64_t>()) /
                        static_cast<double>(memory.bytes_per_s());
  facts["busy_fraction"] = total == 0 ? 0 : moving / seconds(total);
  facts["lost"] = {{"too_few_outstanding_s", seconds(idle)},
                   {"efficiency_s", std::max(0.0, seconds(total - idle) - moving)}};
  facts["bandwidth_bytes_per_s"] = memory.bytes_per_s();
  return facts;
}

}  // namespace

Json loss_parts(const MemoryLosses& losses) {
  Json parts = {{"busy", losses.sum.busy_fs},
                {"too_few_outstanding", losses.too_few_outstanding_fs},
                {"channel_imbalance", losses.channel_imbalance_fs}};
  for (std::size_t k = 1; k < kDramLosses; ++k)
    if (static_cast<DramLoss>(k) != DramLoss::not_told || losses.sum.lost_fs[k] != 0)
      parts[kDramLossNames[k]] = losses.sum.lost_fs[k];
  return parts;
}

Json memory_facts(Hbm& memory, TimePs end_ps) {
  const HbmCounters& read = memory.counters(HbmCommand::read);
  const HbmCounters& write = memory.counters(HbmCommand::write);
  Json facts = {{"name", memory.name()},
                {"bytes_read", read.bytes},
                {"bytes_written", write.bytes},
                {"busy_fraction", seconds(std::max(read.busy_ps, write.busy_ps)) / seconds(end_ps)},
                {"lost", Json::object()}};
  if (memory.dram()) return dram_facts(std::move(facts), *memory.dram(), end_ps);
  if (memory.flow()) return flow_facts(std::move(facts), *memory.flow(), end_ps);
  facts["lost"] = {{"too_few_outstanding_s", seconds(read.idle_ps + write.idle_ps)}};
  return facts;
}

std::string memories_text(const Json& results) {
  double bytes = 0, peak = 0, busy = 0, used = 0;
  std::map<std::string, double> lost;
  for (const Json& memory : results["memories"]) {
    if (!memory.contains("bandwidth_bytes_per_s")) return "";
    const double moved = memory["bytes_read"].get<double>() + memory["bytes_written"].get<double>();
    if (moved == 0) continue;
    bytes += moved;
    peak += memory["bandwidth_bytes_per_s"].get<double>();
    busy += memory["busy_fraction"].get<double>();
    ++used;
    for (const auto& [cause, time] : memory["lost"].items()) lost[cause] += time.get<double>();
  }
  if (bytes == 0) return "";
  double all = 0;
  std::vector<std::pair<double, std::string>> causes;
  for (const auto& [cause, time] : lost) {
    all += time;
    if (time > 0) causes.emplace_back(time, cause.substr(0, cause.size() - 2));
  }
  std::sort(causes.rbegin(), causes.rend());
  const double time = results["simulation"]["end_s"].get<double>();
  std::string text =
      fmt::format("\nMemories: {:.1f} GB at {:.1f} % of their pins' bandwidth over the run. The rest went to",
                  bytes * 1e-9, 100 * bytes / time / peak);
  for (const auto& [part, cause] : causes)
    text += fmt::format(" {} {:.1f} %,", cause, (100 - 100 * busy / used) * part / all);
  text.back() = '\n';
  return text;
}

}  // namespace wafertlm
