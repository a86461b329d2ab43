// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/model/memory/memory_study.h"

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
  return std::min(result.bytes_per_s() / static_cast<double>(pins_bytes_per_s), 1.0);
}

double burst_efficiency(const DramTiming& timing, std::uint32_t stacks, const ClosedLoop& loop,
                        std::uint64_t mib) {
  DramMemory memory(dram(timing, DramLevel::burst, stacks));
  return efficiency(memory, memory.bytes_per_s(), timing, stacks, loop, mib);
}

/// All combinations, reading, writing and both; strides in accesses.
std::vector<ClosedLoop> closed_loops(std::initializer_list<std::uint64_t> sizes,
                                     std::initializer_list<std::uint64_t> strides,
                                     std::initializer_list<std::uint32_t> depths, std::uint64_t span_bytes,
                                     std::uint64_t seed) {
  std::vector<ClosedLoop> points;
  for (const std::uint64_t bytes : sizes)
    for (const std::uint64_t stride : strides)
      for (const std::uint32_t writes : {0U, 33U, 50U, 100U})
        for (const std::uint32_t depth : depths)
          points.push_back({bytes, stride * bytes, writes, depth, span_bytes, seed});
  return points;
}

}  // namespace

double typical_efficiency(const DramTiming& timing, const EfficiencyTable::Row& of, std::uint32_t depth) {
  ClosedLoop loop{of.bytes, of.stride * of.bytes, of.writes_percent, depth, kSpan, 1};
  const std::uint64_t accesses = of.bytes / timing.access_bytes;
  const bool ragged = accesses % 2 != 0;
  // The pattern of the hash takes as many steps for fewer channels.
  if (!ragged && of.stride != 0)
    return burst_efficiency(timing, of.stacks, loop, 32 * 32 / timing.pseudo_channels);
  std::array<double, 3> times;
  for (std::size_t k = 0; k < times.size(); ++k) {
    loop.seed = k + 1;
    if (ragged) loop.bytes = (accesses * (15 + k) / 16 | 1) * timing.access_bytes;
    loop.stride = of.stride * loop.bytes;
    times[k] =
        static_cast<double>(loop.bytes) / burst_efficiency(timing, of.stacks, loop, of.stride == 0 ? 16 : 5);
  }
  std::sort(times.begin(), times.end());
  const double time = of.stride == 0 ? (times[0] + times[1] + times[2]) / 3 : times[1];
  return std::min(static_cast<double>(of.bytes) / time, 1.0);
}

LevelComparison burst_against_command(const DramTiming& timing, const ClosedLoop& loop,
                                      std::uint64_t requests, DramRefresh refresh) {
  const auto part_of_pins = [&](DramLevel level) {
    DramParams params = dram(timing, level);
    params.timing.pseudo_channels = 1;
    params.queue.refresh = refresh;
    DramMemory memory(params);
    return loop.run_all(memory, requests).bytes_per_s() / static_cast<double>(memory.bytes_per_s());
  };
  return {loop, part_of_pins(DramLevel::burst), part_of_pins(DramLevel::command)};
}

std::vector<ClosedLoop> burst_command_points() {
  return closed_loops({32, 256, 2048}, {1, 3, 64, 0}, {1, 4, 16, 64}, std::uint64_t{1} << 28, 1);
}

LevelComparison burst_against_command(const DramTiming& timing, const ClosedLoop& loop, DramRefresh refresh) {
  const std::uint64_t requests = loop.bytes == 32 ? 24'000 : loop.bytes == 256 ? 8000 : 1500;
  return burst_against_command(timing, loop, requests, refresh);
}

LevelComparison flow_against_burst(const DramTiming& timing, const EfficiencyTable& table,
                                   std::uint32_t stacks, const ClosedLoop& loop) {
  FlowMemory flow(flow_memory_params(table, timing, stacks));
  constexpr std::uint64_t kMib = 96;
  return {loop, efficiency(flow, flow.bytes_per_s(), timing, stacks, loop, kMib),
          burst_efficiency(timing, stacks, loop, kMib)};
}

std::vector<ClosedLoop> flow_burst_points() {
  return closed_loops({256, 3072, 65'536}, {1, 3, 16, 0}, {1, 3, 16, 64}, kSpan, 2);
}

EfficiencyTable efficiency_points() {
  EfficiencyTable table{{1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256}, {}};
  using Numbers = std::vector<std::uint64_t>;
  const auto add = [&](std::uint32_t stacks, const Numbers& sizes, const Numbers& strides,
                       const std::vector<std::uint32_t>& parts_of_writes) {
    for (const std::uint64_t bytes : sizes)
      for (const std::uint64_t stride : strides)
        for (const std::uint32_t writes : parts_of_writes)
          table.rows.push_back({bytes, stride, writes, {}, stacks});
  };
  // Powers of two, 3·2ⁿ and ragged sizes.
  add(1, {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16'384, 32'768, 65'536}, {1, 2, 3, 4, 13, 16, 32, 64, 0},
      {0, 20, 33, 50, 75, 100});
  add(1, {1536, 3072, 6144, 12'288, 49'152}, {1, 3, 16, 45, 0}, {0, 33, 50, 100});
  add(1, {160, 544, 1056, 2080, 3104, 4128, 8224, 16'416, 32'800, 65'568}, {1, 5, 45, 0},
      {0, 33, 50, 75, 100});
  for (const std::uint32_t stacks : std::initializer_list<std::uint32_t>{2, 4, 6}) {
    add(stacks, {64, 256, 1024, 2048, 4096, 16'384, 65'536}, {1, 3, 16, 45, 0}, {0, 33, 50, 75, 100});
    add(stacks, {3072, 12'288, 49'152}, {1, 3, 16, 0}, {0, 33, 50, 100});
    add(stacks, {160, 544, 1056, 2080, 4128, 8224, 16'416, 32'800, 65'568}, {1, 5, 45, 0}, {0, 33, 50, 100});
  }
  return table;
}

EfficiencyTable measure_efficiency(const DramTiming& timing) {
  EfficiencyTable table = efficiency_points();
  for (EfficiencyTable::Row& row : table.rows)
    for (const std::uint32_t depth : table.depths)
      row.efficiency.push_back(typical_efficiency(timing, row, depth));
  return table;
}

std::string efficiency_yaml(const DramTiming& timing, const EfficiencyTable& table) {
  std::string text = fmt::format(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# What part of their pins' bandwidth stacks of {0} deliver at the burst level (models/hbm/README.md), "
      "hashed address\n"
      "# map, closed loop. Written by: wafertlm model memory table {0}\n"
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

namespace {

/// The requests of a loop, in their order.
class Requests {
 public:
  explicit Requests(const ClosedLoop& of)
      : loop_(of),
        random_(of.seed),
        half_(of.span_bytes / 2),
        part_(half_ / of.streams / of.bytes * of.bytes) {
    for (auto& each : at_) each.resize(of.streams);
  }

  TimedAccess next() {
    credit_ += loop_.writes_percent;
    const bool write = credit_ >= 100;
    if (write) credit_ -= 100;
    return {write, (write ? half_ : 0) + offset(write), loop_.bytes};
  }

 private:
  std::uint64_t offset(bool write) {
    if (loop_.stride == 0) return random_() % (half_ / loop_.bytes) * loop_.bytes;
    std::uint32_t& turn = turn_[write];
    std::uint64_t& place = at_[write][turn];
    const std::uint64_t offset = turn * part_ + place;
    place = (place + loop_.stride) % (part_ - loop_.bytes);
    turn = (turn + 1) % loop_.streams;
    return offset;
  }

  const ClosedLoop& loop_;
  std::mt19937_64 random_;
  const std::uint64_t half_, part_;  // of the span for a direction, of that for a stream
  std::vector<std::uint64_t> at_[2];
  std::uint32_t turn_[2] = {0, 0};
  std::uint32_t credit_ = 0;  // of writes, in percent
};

struct Underway {
  TimePs at;
  std::uint64_t order;
  MemoryTiming::Id id;
  TimePs submitted;
  bool known;
  bool operator>(const Underway& other) const { return at != other.at ? at > other.at : order > other.order; }
};

/// Calls `ended(submitted, now)` for each request that ends, until `most` have been sent and all are over, or
/// it returns false.
template <typename Ended>
void play(const ClosedLoop& loop, MemoryTiming& memory, std::uint64_t most, Ended ended) {
  std::priority_queue<Underway, std::vector<Underway>, std::greater<>> events;
  Requests requests(loop);
  std::uint64_t sent = 0;
  const auto submit = [&](TimePs now) {
    if (sent == most) return;
    const MemoryTiming::Id id = memory.submit(requests.next(), now);
    const MemoryTiming::Answer answer = memory.ask(id, now);
    events.push({answer.at, sent++, id, now, answer.known});
  };
  for (std::uint32_t k = 0; k < loop.outstanding; ++k) submit(0);
  while (!events.empty()) {
    Underway event = events.top();
    events.pop();
    const TimePs now = event.at;
    if (!event.known) {
      const MemoryTiming::Answer answer = memory.ask(event.id, now);
      event.at = std::max(answer.at, now);
      event.known = answer.known;
      events.push(event);
      continue;
    }
    memory.end(event.id);
    if (!ended(event.submitted, now)) return;
    submit(now);
  }
}

}  // namespace

ClosedLoop::Result ClosedLoop::run_all(MemoryTiming& memory, std::uint64_t requests) const {
  Result result{requests * bytes, 0, 0, 0};
  TimePs waited = 0;
  play(*this, memory, requests, [&](TimePs submitted, TimePs now) {
    result.time_ps = now;
    waited += now - submitted;
    result.worst_latency_ps = std::max(result.worst_latency_ps, now - submitted);
    return true;
  });
  result.latency_ps = waited / requests;
  return result;
}

ClosedLoop::Result ClosedLoop::run(MemoryTiming& memory, std::uint64_t requests,
                                   std::uint64_t warm_up) const {
  Result result{requests * bytes, 0, 0, 0};
  std::uint64_t done = 0;
  TimePs from = 0, waited = 0;
  play(*this, memory, kNever, [&](TimePs submitted, TimePs now) {
    if (++done == warm_up) from = now;
    if (done <= warm_up) return true;
    waited += now - submitted;
    result.worst_latency_ps = std::max(result.worst_latency_ps, now - submitted);
    result.time_ps = now - from;
    return done < warm_up + requests;
  });
  result.latency_ps = waited / requests;
  return result;
}

}  // namespace wafertlm
