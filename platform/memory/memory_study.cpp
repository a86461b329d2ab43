// SPDX-License-Identifier: Apache-2.0
#include "platform/memory/memory_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

namespace wafertlm {
namespace {

DramParams dram(const DramTiming& timing, DramLevel level, std::uint32_t stacks = 1) {
  DramParams params;
  params.timing = timing;
  params.level = level;
  params.map.stacks = stacks;
  return params;
}

/// Enough to fill and drain the write buffers of all channels some times.
std::uint64_t requests_for(const ClosedLoop& loop, std::uint32_t stacks) {
  return std::clamp<std::uint64_t>(stacks * (std::uint64_t{12} << 20) / loop.bytes, 400, 8000);
}

double burst_efficiency(const DramTiming& timing, std::uint32_t stacks, const ClosedLoop& loop) {
  DramMemory memory(dram(timing, DramLevel::burst, stacks));
  const double part =
      loop.run(memory, requests_for(loop, stacks)).bytes_per_s() / static_cast<double>(memory.bytes_per_s());
  return std::min(part, 1.0);  // writes that are still buffered count as done
}

}  // namespace

LevelComparison burst_against_command(const DramTiming& timing, const ClosedLoop& loop,
                                      std::uint64_t requests) {
  DramTiming channel = timing;
  channel.pseudo_channels = 1;
  DramMemory burst(dram(channel, DramLevel::burst)), command(dram(channel, DramLevel::command));
  const auto peak = static_cast<double>(burst.bytes_per_s());
  return {loop, loop.run(burst, requests).bytes_per_s() / peak,
          loop.run(command, requests).bytes_per_s() / peak};
}

std::vector<LevelComparison> burst_against_command(const DramTiming& timing) {
  std::vector<LevelComparison> rows;
  for (const std::uint64_t bytes : std::initializer_list<std::uint64_t>{32, 256, 2048})
    for (const std::uint64_t stride : std::initializer_list<std::uint64_t>{1, 3, 64, 0})
      for (const std::uint32_t writes : std::initializer_list<std::uint32_t>{0, 33, 50, 100})
        for (const std::uint32_t depth : std::initializer_list<std::uint32_t>{1, 4, 16, 64}) {
          const ClosedLoop loop{bytes, stride * bytes, writes, depth, std::uint64_t{1} << 28, 1};
          rows.push_back(burst_against_command(timing, loop,
                                               bytes == 32    ? 24'000
                                               : bytes == 256 ? 8000
                                                              : 1500));
        }
  return rows;
}

LevelComparison flow_against_burst(const DramTiming& timing, const EfficiencyTable& table,
                                   std::uint32_t stacks, const ClosedLoop& loop) {
  FlowMemory flow({table, timing.stack_bytes_per_s(), stacks});
  const std::uint64_t requests = requests_for(loop, stacks);
  return {loop, loop.run(flow, requests).bytes_per_s() / static_cast<double>(flow.bytes_per_s()),
          burst_efficiency(timing, stacks, loop)};
}

std::vector<LevelComparison> flow_against_burst(const DramTiming& timing, const EfficiencyTable& table,
                                                std::uint32_t stacks) {
  std::vector<LevelComparison> rows;
  for (const std::uint64_t bytes : std::initializer_list<std::uint64_t>{256, 3072, 65'536})
    for (const std::uint64_t stride : std::initializer_list<std::uint64_t>{1, 3, 16, 0})
      for (const std::uint32_t writes : std::initializer_list<std::uint32_t>{0, 33, 50, 100})
        for (const std::uint32_t depth : std::initializer_list<std::uint32_t>{1, 3, 16, 64})
          rows.push_back(flow_against_burst(
              timing, table, stacks, {bytes, stride * bytes, writes, depth, std::uint64_t{1} << 32, 2}));
  return rows;
}

EfficiencyTable measure_efficiency(const DramTiming& timing) {
  EfficiencyTable table{{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256}, {}};
  const auto measure = [&](std::uint32_t stacks, const std::vector<std::uint64_t>& sizes,
                           const std::vector<std::uint32_t>& parts_of_writes) {
    for (const std::uint64_t bytes : sizes)
      for (const std::uint64_t stride : std::initializer_list<std::uint64_t>{1, 2, 3, 4, 8, 16, 64, 0})
        for (const std::uint32_t writes : parts_of_writes) {
          EfficiencyTable::Row row{bytes, stride, writes, {}, stacks};
          for (const std::uint32_t depth : table.depths)
            row.efficiency.push_back(burst_efficiency(
                timing, stacks, {bytes, stride * bytes, writes, depth, std::uint64_t{1} << 32, 1}));
          table.rows.push_back(std::move(row));
        }
  };
  measure(1, {64, 128, 256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12'288, 16'384, 32'768, 65'536},
          {0, 10, 25, 33, 50, 67, 75, 90, 100});
  for (const std::uint32_t stacks : std::initializer_list<std::uint32_t>{2, 4, 6})
    measure(stacks, {64, 256, 512, 1024, 2048, 3072, 6144, 16'384, 65'536}, {0, 20, 33, 50, 75, 100});
  return table;
}

std::string efficiency_yaml(const DramTiming& timing, const EfficiencyTable& table) {
  std::string text = fmt::format(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# What part of their pins' bandwidth stacks of {0} deliver at the burst level (models/hbm/README.md), "
      "hashed address\n"
      "# map, closed loop. Written by: wafertlm memory table {0}\n"
      "# Timings: {1}.\n"
      "efficiency: \"burst level of WaferTLM {2}, one stack and several\"\n"
      "generation: {0}\ndepths: [",
      timing.name, timing.provenance, WAFERTLM_VERSION);
  for (const std::uint32_t& depth : table.depths)
    text += fmt::format("{}{}", &depth == table.depths.data() ? "" : ", ", depth);
  text +=
      "]\n# stacks, bytes, stride in sizes (0: random), percent of writes, efficiency for each "
      "depth\nrows:\n";
  for (const EfficiencyTable::Row& row : table.rows) {
    text += fmt::format("  - \"{} {} {} {}", row.stacks, row.bytes, row.stride, row.writes_percent);
    for (const double efficiency : row.efficiency) text += fmt::format(" {:.3g}", efficiency);
    text += "\"\n";
  }
  return text;
}

}  // namespace wafertlm
