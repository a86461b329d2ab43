// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/hbm/dram/dram_memory.h"
#include "models/hbm/hbm_engine.h"
#include "platform/machine/reliability.h"
#include "tlm/kernel/units.h"
#include "tlm/link/switch_params.h"

namespace wafertlm {

class Machine;

/// What a compute model of an NPU was used for.
struct ComputeUse {
  std::uint64_t computations = 0;
  TimePs time_ps = 0;
};

/// Of one NPU.
struct NpuMeasurements {
  std::vector<ComputeUse> uses;     ///< as ComputeEngine::uses()
  std::uint64_t operand_bytes = 0;  ///< that an OperandStream has loaded
};

/// Reads or writes of one memory; times are those of HbmCounters.
struct MemoryUse {
  std::uint64_t bytes = 0;
  TimePs busy_ps = 0, idle_ps = 0;
};

/// Of the memory of one NPU.
struct MemoryMeasurements {
  std::array<MemoryUse, 2> uses{};     ///< by HbmCommand
  std::uint64_t pins_bytes_per_s = 0;  ///< 0: of no generation
  std::uint64_t is_replaced = 0;       ///< 1: Hbm::is_replaced()
  TimePs flow_idle_ps = 0, flow_end_ps = 0;
  MemoryLosses
      losses{};  ///< up to its last transfer, see extend(); channels: 0 unless it is by rows and banks

  const MemoryUse& of(HbmCommand command) const { return uses[static_cast<std::size_t>(command)]; }
};

/// What a run has counted, without the modules that did: plain integers, so that the parts of a machine may
/// be simulated by several processes. Lists are empty (of zeros) or have an entry for everything there is.
struct Measurements {
  std::vector<OutputCounters> links;         ///< in the order of machine_links()
  std::vector<NpuMeasurements> npus;         ///< by NPU
  std::vector<MemoryMeasurements> memories;  ///< by NPU
  ReliabilityTotals reliability;             ///< of Go-Back-N
  std::uint64_t packet_hops = 0;
  std::uint64_t early_bytes_most = 0;  ///< Machine::early_bytes_high_water()
  // Of the host, not of what it simulates.
  std::uint64_t scheduler_events = 0;
  std::uint64_t packets_held_most = 0;  ///< of all processes together, each at its own moment
};

/// After a run; the memories are the platform's own. What an NPU that stands for others counted is told of
/// each of them; what another process has is 0.
Measurements measure(const Machine& machine);

/// Adds what another part of the same machine has counted; of high-water marks the larger one holds.
/// @throws std::invalid_argument: lists of different machines
void add(Measurements& sum, const Measurements& part);

/// For another process of this program.
std::vector<std::byte> pack(const Measurements& measured);
/// @throws std::logic_error: of another version, cut off, or something follows
Measurements unpack(const std::vector<std::byte>& packed);

}  // namespace wafertlm
