// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/hbm/dram/dram_memory.h"
#include "models/hbm/dram/memory_timing.h"
#include "models/hbm/flow_memory.h"

namespace wafertlm {

/// Requests of `bytes` each, `outstanding` at a time, their addresses `stride` apart (0: random, aligned to
/// `bytes`), `writes_percent` of them writes. Reads and writes walk through a half of `span_bytes` each, and
/// begin again at its end.
struct ClosedLoop {
  std::uint64_t bytes = 65'536;
  std::uint64_t stride = 65'536;
  std::uint32_t writes_percent = 0;
  std::uint32_t outstanding = 16;
  std::uint64_t span_bytes = std::uint64_t{1} << 34;
  std::uint64_t seed = 1;
  std::uint32_t streams =
      1;  ///< of each direction, in turns, each in a part of the half; random ones have none

  struct Result {
    std::uint64_t bytes;
    TimePs time_ps;
    TimePs latency_ps;        ///< mean, from submission to end
    TimePs worst_latency_ps;  ///< of all
    double bytes_per_s() const { return static_cast<double>(bytes) / static_cast<double>(time_ps) * 1e12; }
  };
  /// `requests` of them, from the first to the end of the last one: never more than passes the pins.
  Result run_all(MemoryTiming& memory, std::uint64_t requests) const;
  /// Ends of `requests` of them in a loop that goes on, after those of `warm_up`. What was under way before
  /// counts, and what is under way then does not: by chance that is more than passes the pins meanwhile.
  Result run(MemoryTiming& memory, std::uint64_t requests, std::uint64_t warm_up) const;
  /// After an eighth as many.
  Result run(MemoryTiming& memory, std::uint64_t requests) const {
    return run(memory, requests, requests / 8);
  }
};

/// The same requests at two levels.
struct LevelComparison {
  ClosedLoop loop;
  double fast = 0, detailed = 0;  ///< part of the pins' bandwidth
  double error_percent() const { return 100 * (fast / detailed - 1); }
};

/// Size × stride × part of writes × requests outstanding, for one pseudo-channel by bursts against commands.
std::vector<ClosedLoop> burst_command_points();
LevelComparison burst_against_command(const DramTiming& timing, const ClosedLoop& loop,
                                      std::uint64_t requests, DramRefresh refresh = DramRefresh::per_bank);
/// With as many requests as its size needs.
LevelComparison burst_against_command(const DramTiming& timing, const ClosedLoop& loop, DramRefresh refresh);

/// The same for stacks by flow against bursts, at the table's points and between them.
std::vector<ClosedLoop> flow_burst_points();
LevelComparison flow_against_burst(const DramTiming& timing, const EfficiencyTable& table,
                                   std::uint32_t stacks, const ClosedLoop& loop);

/// What a table holds: one stack, and coarser two, four and six. Rows without efficiencies.
EfficiencyTable efficiency_points();
/// At the burst level. Random requests: the mean time of three seeds. Strides of ragged requests meet the
/// same channels again where one happens to fit the hash: usual is the median of three sizes near.
double typical_efficiency(const DramTiming& timing, const EfficiencyTable::Row& of, std::uint32_t depth);
EfficiencyTable measure_efficiency(const DramTiming& timing);
/// As the YAML file of key npu.hbm.efficiency.
std::string efficiency_yaml(const DramTiming& timing, const EfficiencyTable& table);

}  // namespace wafertlm
