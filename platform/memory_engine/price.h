// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/memory_engine/access_pattern.h"
#include "platform/config/remote_memory_spec.h"
#include "tlm/units.h"

namespace wafertlm {

struct PriceOptions {
  std::uint64_t accesses = 1000;  ///< to whole pages, alone and again under load
  std::uint32_t load_percent = 50;
  std::uint64_t seed = 1;
};

/// Of one way of protection, for a host with a memory engine of its own.
struct Price {
  std::string name;
  TimePs load_ps = 0, store_ps = 0;  ///< of a page, one at a time; mean
  // With as many under way as the engine takes.
  TimePs mean_ps = 0, p99_ps = 0;
  double bytes_per_s = 0;
  double amplification = 0;  ///< bytes on the engine network / bytes that the host asked for
  /// Do the addresses that the provider sees depend on the pages asked for?
  IndependenceTest::Result pattern;
};

/// The ladder: plain RDMA, validated, encrypted and authenticated, with a tree, and each way of hiding. What
/// a rung does not name is as in `spec`, which has engines. Half of the accesses go to a sixteenth of the
/// pages. One elaboration, so once in a process.
/// @throws std::invalid_argument for pages larger than a request.
std::vector<Price> price_of_security(const config::RemoteMemorySpec& spec, std::uint32_t npus,
                                     const PriceOptions& options);

}  // namespace wafertlm
