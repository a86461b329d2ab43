// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/units.h"

namespace wafertlm::config {

enum class HbmLevel : std::uint8_t { flow, burst, command };
enum class HbmGeneration : std::uint8_t { none, hbm2, hbm2e, hbm3, hbm3e };
constexpr const char* kHbmGenerations[] = {"", "hbm2", "hbm2e", "hbm3", "hbm3e"};

/// What the flow level knows of a generation; written by `wafertlm memory table`.
struct EfficiencySpec {
  std::string name;
  HbmGeneration generation = HbmGeneration::none;
  std::vector<std::uint32_t> depths;
  std::vector<std::string> rows;  ///< "stacks bytes stride writes_percent efficiency…", a number per depth
};

/// The memory of one NPU.
struct HbmSpec {
  HbmLevel level = HbmLevel::flow;
  HbmGeneration generation = HbmGeneration::none;  ///< none: by read and write bandwidth
  std::uint32_t stacks = 1;
  std::optional<EfficiencySpec> efficiency;  ///< of level flow with a generation
  std::string address_map = "hashed";        ///< or fields, of the other levels
  std::uint32_t queue_visits = 32, write_high = 32, write_low = 8;
  std::uint64_t read_bandwidth_bytes_per_s = 3'000'000'000'000;
  std::uint64_t write_bandwidth_bytes_per_s = 3'000'000'000'000;
  TimePs latency_ps = 100'000;
  std::uint64_t capacity_bytes = 80'000'000'000;
  std::uint64_t request_bytes = 65'536;  ///< largest memory transaction
  std::uint32_t outstanding = 16;        ///< requests of an NPU, loads and stores each
  std::uint32_t queue_requests = 64;     ///< that the memory holds

  const char* generation_name() const { return kHbmGenerations[static_cast<std::size_t>(generation)]; }
};

}  // namespace wafertlm::config
