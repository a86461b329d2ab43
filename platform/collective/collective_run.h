// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/platform_spec.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// One collective on an idle wafer, entered by all ranks at time 0.
struct CollectiveResult {
  TimePs time_ps = 0, predicted_ps = 0, bound_ps = 0;
  std::uint64_t packet_hops = 0, events = 0;
  std::uint64_t busiest_link_payload_bytes = 0;  ///< of those between routers
  bool proven = false;                           ///< functional mode: every value was right
};

/// Functional mode: values that are not what the collective is defined to give.
class WrongValues : public std::runtime_error {
 public:
  using Place = std::pair<std::uint32_t, std::uint64_t>;  ///< rank, element
  WrongValues(const std::string& what, std::vector<Place> places)
      : std::runtime_error(what), places_(std::move(places)) {}
  /// All of them, ascending.
  const std::vector<Place>& places() const { return places_; }

 private:
  std::vector<Place> places_;
};

/// Builds the platform and runs the collective. One call per process.
/// @throws std::invalid_argument for what cannot be planned; WrongValues; std::runtime_error when it does not
/// finish, it is faster than its bound, or run.fault happened and changed nothing.
CollectiveResult run_collective(const config::PlatformSpec& spec, const CollectiveRequest& request,
                                const std::string& traffic_class, bool reverse = false);

}  // namespace wafertlm
