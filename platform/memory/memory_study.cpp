// SPDX-License-Identifier: Apache-2.0
#include "platform/memory/memory_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <queue>
#include <random>

namespace wafertlm {
namespace {

DramParams dram(const DramTiming& timing, DramLevel level, std::uint32_t stacks = 1) {
  DramParams params;
  params.timing = timing;
  params.level = level;
  params.map.stacks = stacks;
  return params;
}

constexpr std::uint64_t kSpan = std::uint64_t{1} << 32;

/// How long a closed loop runs: so many MiB for each 32 pseudo-channels.
std::uint64_t requests_for(const DramTiming& timing, std::uint32_t stacks, std::uint64_t bytes,
                           std::uint64_t mib) {
  return std::clamp<std::uint64_t>(stacks * timing.pseudo_channels * (mib << 15) / bytes, 200, 8000);
}

/// After a warm-up that fills the write buffers.
double efficiency(MemoryTiming& memory, std::uint64_t pins_bytes_per_s, const DramTiming& timing,
                  std::uint32_t stacks, const ClosedLoop& loop, std::uint64_t mib) {
  const auto result = loop.run(memory, requests_for(timing, stacks, loop.bytes, mib),
                               std::min<std::uint64_t>(requests_for(timing, stacks, loop.bytes, 4), 4000));
  return result.bytes_per_s() / static_cast<double>(pins_bytes_per_s);
}

double burst_efficiency(const DramTiming& timing, std::uint32_t stacks, const ClosedLoop& loop,
                        std::uint64_t mib) {
  DramMemory memory(dram(timing, DramLevel::burst, stacks));
  // Writes that are still buffered count as done.
  return std::min(efficiency(memory, memory.bytes_per_s(), timing, stacks, loop, mib), 1.0);
}

/// Random requests: the mean time of three seeds. Strides of ragged requests meet the same channels again
/// where one happens to fit the hash: usual is the median of three sizes near.
double typical_efficiency(const DramTiming& timing, std::uint32_t stacks, ClosedLoop loop,
                          std::uint64_t stride) {
  const std::uint64_t bytes = loop.bytes, accesses = bytes / timing.access_bytes;
  const bool ragged = accesses % 2 != 0;
  if (!ragged && stride != 0) {
    loop.stride = stride * bytes;
    // The pattern of the hash takes as many steps for fewer channels.
    return burst_efficiency(timing, stacks, loop, 32 * 32 / timing.pseudo_channels);
  }
  std::array<double, 3> times;
  for (std::size_t k = 0; k < times.size(); ++k) {
    loop.seed = k + 1;
    if (ragged) loop.bytes = (accesses * (15 + k) / 16 | 1) * timing.access_bytes;
    loop.stride = stride * loop.bytes;
    times[k] = static_cast<double>(loop.bytes) / burst_efficiency(timing, stacks, loop, stride == 0 ? 16 : 5);
  }
  std::sort(times.begin(), times.end());
  const double time = stride == 0 ? (times[0] + times[1] + times[2]) / 3 : times[1];
  return std::min(static_cast<double>(bytes) / time, 1.0);
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
  FlowMemory flow(flow_memory_params(table, timing, stacks));
  constexpr std::uint64_t kMib = 96;
  return {loop, efficiency(flow, flow.bytes_per_s(), timing, stacks, loop, kMib),
          burst_efficiency(timing, stacks, loop, kMib)};
}

std::vector<LevelComparison> flow_against_burst(const DramTiming& timing, const EfficiencyTable& table,
                                                std::uint32_t stacks) {
  std::vector<LevelComparison> rows;
  for (const std::uint64_t bytes : std::initializer_list<std::uint64_t>{256, 3072, 65'536})
    for (const std::uint64_t stride : std::initializer_list<std::uint64_t>{1, 3, 16, 0})
      for (const std::uint32_t writes : std::initializer_list<std::uint32_t>{0, 33, 50, 100})
        for (const std::uint32_t depth : std::initializer_list<std::uint32_t>{1, 3, 16, 64})
          rows.push_back(
              flow_against_burst(timing, table, stacks, {bytes, stride * bytes, writes, depth, kSpan, 2}));
  return rows;
}

EfficiencyTable measure_efficiency(const DramTiming& timing) {
  EfficiencyTable table{{1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256}, {}};
  using Numbers = std::vector<std::uint64_t>;
  const auto measure = [&](std::uint32_t stacks, const Numbers& sizes, const Numbers& strides,
                           const std::vector<std::uint32_t>& parts_of_writes) {
    for (const std::uint64_t bytes : sizes)
      for (const std::uint64_t stride : strides)
        for (const std::uint32_t writes : parts_of_writes) {
          EfficiencyTable::Row row{bytes, stride, writes, {}, stacks};
          for (const std::uint32_t depth : table.depths)
            row.efficiency.push_back(
                typical_efficiency(timing, stacks, {bytes, 0, writes, depth, kSpan, 1}, stride));
          table.rows.push_back(std::move(row));
        }
  };
  // Powers of two, 3·2ⁿ and ragged sizes.
  measure(1, {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16'384, 32'768, 65'536},
          {1, 2, 3, 4, 13, 16, 32, 64, 0}, {0, 20, 33, 50, 75, 100});
  measure(1, {1536, 3072, 6144, 12'288, 49'152}, {1, 3, 16, 45, 0}, {0, 33, 50, 100});
  measure(1, {160, 544, 1056, 2080, 3104, 4128, 8224, 16'416, 32'800, 65'568}, {1, 5, 45, 0},
          {0, 33, 50, 75, 100});
  for (const std::uint32_t stacks : std::initializer_list<std::uint32_t>{2, 4, 6}) {
    measure(stacks, {64, 256, 1024, 2048, 4096, 16'384, 65'536}, {1, 3, 16, 45, 0}, {0, 33, 50, 75, 100});
    measure(stacks, {3072, 12'288, 49'152}, {1, 3, 16, 0}, {0, 33, 50, 100});
    measure(stacks, {160, 544, 1056, 2080, 4128, 8224, 16'416, 32'800, 65'568}, {1, 5, 45, 0},
            {0, 33, 50, 100});
  }
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

ClosedLoop::Result ClosedLoop::run(MemoryTiming& memory, std::uint64_t requests,
                                   std::uint64_t warm_up) const {
  struct Event {
    TimePs at;
    std::uint64_t order;
    MemoryTiming::Id id;
    TimePs submitted;
    bool known;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::mt19937_64 random(seed);
  const std::uint64_t half = span_bytes / 2;
  const std::uint64_t part = half / streams / bytes * bytes;
  std::vector<std::uint64_t> at[2] = {std::vector<std::uint64_t>(streams),
                                      std::vector<std::uint64_t>(streams)};
  std::uint32_t turn[2] = {0, 0};
  std::uint64_t sent = 0, order = 0;
  std::uint32_t credit = 0;  // of writes, in percent
  const auto submit = [&](TimePs now) {
    credit += writes_percent;
    const bool write = credit >= 100;
    if (write) credit -= 100;
    std::uint64_t offset = 0;
    if (stride == 0) {
      offset = random() % (half / bytes) * bytes;
    } else {
      std::uint64_t& place = at[write][turn[write]];
      offset = turn[write] * part + place;
      place = (place + stride) % (part - bytes);
      turn[write] = (turn[write] + 1) % streams;
    }
    const MemoryTiming::Id id = memory.submit({write, (write ? half : 0) + offset, bytes}, now);
    const MemoryTiming::Answer answer = memory.ask(id, now);
    events.push({answer.at, order++, id, now, answer.known});
    ++sent;
  };
  for (std::uint32_t k = 0; k < outstanding; ++k) submit(0);
  std::uint64_t done = 0, waited = 0;
  TimePs from = 0, now = 0;
  while (done < warm_up + requests) {
    Event event = events.top();
    events.pop();
    now = event.at;
    if (!event.known) {
      const MemoryTiming::Answer answer = memory.ask(event.id, now);
      event.at = std::max(answer.at, now);
      event.known = answer.known;
      events.push(event);
      continue;
    }
    memory.end(event.id);
    ++done;
    if (done == warm_up) from = now;
    if (done > warm_up) waited += now - event.submitted;
    submit(now);
  }
  return {requests * bytes, now - from, waited / requests};
}

}  // namespace wafertlm
