// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "platform/command/format.h"
#include "platform/results/fields.h"
#include "platform/results/parts.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

struct MemoryRow {
  std::string name;
  HbmCounters read, write;
  const DramMemory* dram = nullptr;
  const FlowMemory* flow = nullptr;
  TimePs end_ps = 0;
  MemoryLosses losses;  // with dram: of its channels

  double bytes() const { return static_cast<double>(read.bytes + write.bytes); }
  // With flow.
  TimePs total_ps() const { return std::max(end_ps, flow->last_end_ps()); }
  TimePs idle_ps() const { return flow->idle_ps() + total_ps() - flow->last_end_ps(); }
  double moving_s() const { return bytes() / static_cast<double>(flow->bytes_per_s()); }
};

double memory_busy_fraction(const MemoryRow& row) {
  if (row.dram) {  // the mean of its channels
    const double whole_fs =
        static_cast<double>(row.losses.channels) * static_cast<double>(row.losses.total_fs);
    return whole_fs == 0 ? 0 : static_cast<double>(row.losses.sum.busy_fs) / whole_fs;
  }
  if (row.flow) return row.total_ps() == 0 ? 0 : row.moving_s() / seconds(row.total_ps());
  return seconds(std::max(row.read.busy_ps, row.write.busy_ps)) / seconds(row.end_ps);
}

Json lost(const MemoryRow& row) {
  if (row.flow)
    return {{"too_few_outstanding_s", seconds(row.idle_ps())},
            {"efficiency_s", std::max(0.0, seconds(row.total_ps() - row.idle_ps()) - row.moving_s())}};
  if (!row.dram) return {{"too_few_outstanding_s", seconds(row.read.idle_ps + row.write.idle_ps)}};
  Json json = Json::object();
  const Json parts = loss_parts(row.losses);
  for (const auto& [name, fs] : parts.items())
    if (name != "busy") json[name + "_s"] = fs.get<double>() * 1e-15 / row.losses.channels;
  return json;
}

const results::Fields<MemoryRow>& memory_fields() {
  static const results::Fields<MemoryRow> fields([](results::Fields<MemoryRow>& f) {
    namespace schema = results::schema;
    using R = const MemoryRow&;
    f.add("name", schema::text(), [](R row) { return row.name; });
    f.add("bytes_read", schema::count(), [](R row) { return row.read.bytes; });
    f.add("bytes_written", schema::count(), [](R row) { return row.write.bytes; });
    f.add("busy_fraction", schema::fraction(), memory_busy_fraction);
    f.add("lost", schema::map_of(schema::seconds(), "Time in which data could have moved, by cause"), lost);
    f.add_if([](R row) { return row.dram || row.flow; }, "bandwidth_bytes_per_s",
             schema::described({{"type", "number"}, {"exclusiveMinimum", 0}},
                               "Of the pins, with npu.hbm.generation"),
             [](R row) { return row.dram ? row.dram->bytes_per_s() : row.flow->bytes_per_s(); });
    const auto add = [&f](const char* name, Json schema, auto value) {
      f.add_if([](R row) { return row.dram != nullptr; }, name, std::move(schema),
               [value](R row) { return Json(value(row.losses)); });
    };
    using L = const MemoryLosses&;
    add("channels", schema::count("Pseudo-channels; this and what follows at level burst and command"),
        [](L losses) { return losses.channels; });
    add("channel_time_fs", schema::count("Of each channel, to the end of the run or of the last transfer"),
        [](L losses) { return losses.total_fs; });
    add("time_of_all_channels_fs", schema::map_of(schema::count(), "Sums to channels times channel_time_fs"),
        loss_parts);
    add("row_visits", schema::count(), [](L losses) { return losses.sum.row_visits; });
    add("row_hits", schema::count(), [](L losses) { return losses.sum.row_hits; });
    add("activates", schema::count(), [](L losses) { return losses.sum.activates; });
    add("turnarounds", schema::count(), [](L losses) { return losses.sum.turns; });
    add("refreshes", schema::count(), [](L losses) { return losses.sum.refreshes; });
  });
  return fields;
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

Json memory_json(Hbm& memory, TimePs end_ps) {
  MemoryRow row{memory.name(),
                memory.counters(HbmCommand::read),
                memory.counters(HbmCommand::write),
                memory.dram(),
                memory.flow(),
                end_ps,
                {}};
  if (memory.dram()) row.losses = attribute_losses(*memory.dram(), end_ps);
  return memory_fields().json(row);
}

Json memory_schema() { return memory_fields().schema(); }

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
