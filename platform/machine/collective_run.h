// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/machine/reliability.h"
#include "platform/spec/platform_spec.h"
#include "tlm/packets/flow.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// One collective of a run.
struct PlannedCollective {
  std::shared_ptr<const CollectiveProgram> program;
  std::string traffic_class;
  CollectiveCost cost;
  CollectiveCost decomposed_cost = {};  ///< of its endpoint steps, if it has any
};

/// Collectives on an idle wafer, all entered by all their ranks at time 0, or by some late.
struct CollectiveResult {
  TimePs time_ps = 0;                     ///< of the slowest, from the first entry
  TimePs skew_ps = 0;                     ///< between the first and the last entry
  TimePs predicted_ps = 0, bound_ps = 0;  ///< the largest
  std::vector<TimePs> end_ps;             ///< of each
  std::vector<bool> decomposed;  ///< of each: not done in the network, since its flows found no route
  FlowConflictCounts conflicts;
  std::uint64_t packet_hops = 0, events = 0;
  std::uint32_t simulated_npus = 0;              ///< one that stands for all, or all
  std::uint64_t busiest_link_payload_bytes = 0;  ///< of the links between routers
  /// The link between routers that was kept waiting for credits longest: its line idle, a packet ready.
  std::string starved_link;
  TimePs starved_ps = 0;
  bool proven = false;  ///< functional mode: every value was right
  std::uint64_t injected_packets = 0;
  std::optional<ReliabilityTotals> reliability;  ///< with Go-Back-N
  /// What results.json has of this kind of fabric, by its name there; else empty.
  nlohmann::ordered_json of_fabric = nlohmann::ordered_json::object();
  nlohmann::ordered_json faults;           ///< as of results.json; null without
  nlohmann::ordered_json rtl, memory_rtl;  ///< of switches and memories with RTL; null without
  std::string rtl_text, rtl_failure;
  double simulation_cpu_s = 0;  ///< of the host, without building the platform
};

/// Functional mode: values that are not what the collectives are defined to give.
class WrongValues : public std::runtime_error {
 public:
  struct Element {
    std::size_t collective;  ///< its position in the plan
    std::uint32_t rank;
    std::uint64_t element;
    bool operator<(const Element& other) const {
      return std::tie(collective, rank, element) < std::tie(other.collective, other.rank, other.element);
    }
  };
  WrongValues(const std::string& what, std::vector<Element> places)
      : std::runtime_error(what), places_(std::move(places)) {}
  /// All of them, ascending.
  const std::vector<Element>& places() const { return places_; }

 private:
  std::vector<Element> places_;
};

struct CollectivePlan {
  std::vector<PlannedCollective> collectives;
  CollectiveCost together;  ///< of the slowest one, because they share the fabric; 0: nothing is known
  std::vector<CollectiveCost> lanes = {};  ///< of the groups of each class, as they share the fabric
  std::map<NpuId, TimePs> late = {};  ///< NPUs that enter all of them later than the others, and by how much
};

/// What to run on a fabric.
using CollectivePlanner = std::function<CollectivePlan(const FabricTraits&)>;

/// @throws std::invalid_argument: the watchdog would end them, as they are predicted.
void require_watchdog(const config::PlatformSpec& spec, const CollectivePlan& plan);

/// Builds the platform and runs collectives at the same time. One call per process.
/// @throws std::invalid_argument for what cannot be planned, or as require_watchdog(); WrongValues;
/// std::runtime_error when one does not finish, one is faster than its bound, or run.fault happened and
/// changed nothing.
CollectiveResult run_collectives(const config::PlatformSpec& spec, const CollectivePlanner& planner,
                                 bool reverse = false);

/// The same with one collective.
CollectiveResult run_collective(const config::PlatformSpec& spec, const CollectiveRequest& request,
                                const std::string& traffic_class, bool reverse = false);

}  // namespace wafertlm
