// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/link/switch_params.h"

namespace wafertlm {

class Machine;

/// One output of a switch or of an injection port, as results name it and as Machine::observe_links numbers
/// it.
struct MachineLink {
  std::string name;
  std::size_t from = 0;  ///< number of the switch, or of switches + endpoint
  PortId output{};
  std::uint64_t bytes_per_s = 0;
  bool is_wire = true;  ///< and not a part of the endpoint
};

/// All of them, in the order of results.json.
std::vector<MachineLink> machine_links(const Machine& machine);
/// What each of them has counted so far; zeros for one that another process has.
std::vector<OutputCounters> link_counters(const Machine& machine);

/// Their places in that list, by number and output.
class LinkPlaces {
 public:
  explicit LinkPlaces(const std::vector<MachineLink>& links);
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// kNone for a link that results do not list.
  std::size_t of(std::size_t from, PortId output) const {
    if (from >= places_.size() || index_of(output) >= places_[from].size()) return kNone;
    return places_[from][index_of(output)];
  }

 private:
  std::vector<std::vector<std::size_t>> places_;
};

}  // namespace wafertlm
