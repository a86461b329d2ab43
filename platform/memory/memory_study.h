// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "models/hbm/dram/dram_memory.h"
#include "models/hbm/flow_memory.h"
#include "platform/memory/closed_loop.h"

namespace wafertlm {

/// The same requests at two levels.
struct LevelComparison {
  ClosedLoop loop;
  double fast = 0, detailed = 0;  ///< part of the pins' bandwidth
  double error_percent() const { return 100 * (fast / detailed - 1); }
};

/// Stride × part of writes × requests outstanding: one pseudo-channel by bursts against commands.
std::vector<LevelComparison> burst_against_command(const DramTiming& timing);
LevelComparison burst_against_command(const DramTiming& timing, const ClosedLoop& loop,
                                      std::uint64_t requests);

/// `stacks` by flow against bursts, at the table's points and between them.
std::vector<LevelComparison> flow_against_burst(const DramTiming& timing, const EfficiencyTable& table,
                                                std::uint32_t stacks);
LevelComparison flow_against_burst(const DramTiming& timing, const EfficiencyTable& table,
                                   std::uint32_t stacks, const ClosedLoop& loop);

/// At the burst level: one stack, and coarser two, four and six.
EfficiencyTable measure_efficiency(const DramTiming& timing);
/// As the YAML file of key npu.hbm.efficiency.
std::string efficiency_yaml(const DramTiming& timing, const EfficiencyTable& table);

}  // namespace wafertlm
