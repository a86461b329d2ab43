// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/program/program.h"

namespace wafertlm::backends {

/// Declared time of one operation up to a size: α + size / β, rounded up to the picosecond.
struct CostRange {
  std::uint64_t up_to_bytes = ~std::uint64_t{0};  ///< inclusive
  TimePs alpha_ps = 0;
  std::uint64_t bytes_per_s = 1;  ///< β
};

/// Who moves a backend's operations on.
enum class Progress : std::uint8_t {
  stream,  ///< the device: an operation waits for the compute stream, and the compute stream for it
  host,    ///< a library call of the host (MPI): an event of a stream does not cover it
};

/// A communication backend: what its operations cost, and what moves them on.
struct Backend {
  std::string name;
  std::map<CollectiveType, std::vector<CostRange>> costs = {};  ///< ranges ascending by up_to_bytes
  /// Progress engine; backends of one name share it, and it holds one operation of a rank at a time, until
  /// all ranks have joined that one. Empty: an engine of its own.
  std::string engine = {};
  Progress progress = Progress::stream;
  TimePs barrier_ps = 0;  ///< of Progress::host: before each operation

  const std::string& engine_name() const { return engine.empty() ? name : engine; }
  /// nullopt: it cannot, or not at this size.
  std::optional<TimePs> time_ps(CollectiveType type, std::uint64_t bytes) const;
};

/// @throws std::invalid_argument, saying what is wrong: no name, a rate of 0, ranges that do not ascend, a
/// barrier of a backend that progresses on the stream.
void require_valid(const Backend& backend);

/// The largest size at which `low_latency`, of the smaller α, takes no longer than `high_rate`:
/// (α₂ − α₁) β₁ β₂ / (β₂ − β₁), rounded down. nullopt: one of them is never slower than the other.
std::optional<std::uint64_t> cross_over_bytes(const CostRange& low_latency, const CostRange& high_rate);

}  // namespace wafertlm::backends
