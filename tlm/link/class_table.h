// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/units.h"

namespace wafertlm {

/// Most traffic classes that one platform can have; per-class counters are arrays of this length.
constexpr std::size_t kMaxClasses = 8;
constexpr std::size_t kMaxVcs = 16;

/// A traffic class may use the virtual channels first_vc … first_vc + vcs − 1. Higher priority is served
/// first.
struct TrafficClass {
  std::string name;
  std::uint32_t first_vc = 0;
  std::uint32_t vcs = 1;
  std::uint32_t priority = 0;
};

/// The classes of a platform, and the order in which an output serves its virtual channels.
class ClassTable {
 public:
  /// @throws std::invalid_argument with the classes' names: more than kMaxClasses, a channel out of range, or
  /// classes that share a channel but not a priority (a packet of the lower one would hold up the higher one
  /// behind it).
  /// With `flows` every channel gets a second one, for the in-network packets of the classes that start
  /// there.
  ClassTable(std::vector<TrafficClass> classes, std::uint32_t virtual_channels, bool flows = false);

  std::size_t size() const { return classes_.size(); }
  /// With those of flows, which come last.
  std::uint32_t virtual_channels() const { return flows_ ? 2 * virtual_channels_ : virtual_channels_; }
  bool has_flows() const { return flows_; }
  bool is_flow_channel(std::size_t vc) const { return vc >= virtual_channels_; }
  /// The channel of a class's in-network packets. Requires has_flows().
  VcId flow_vc(ClassId id) const {
    return static_cast<VcId>(virtual_channels_ + classes_[index_of(id)].first_vc);
  }
  const TrafficClass& operator[](ClassId id) const { return classes_[index_of(id)]; }
  /// @throws std::invalid_argument naming the known classes.
  ClassId find(const std::string& name) const;

  /// Virtual channels of equal priority, highest priority first. Unused channels come last.
  const std::vector<std::vector<VcId>>& service_order() const { return service_order_; }

 private:
  std::vector<TrafficClass> classes_;
  std::uint32_t virtual_channels_;
  bool flows_;
  std::vector<std::vector<VcId>> service_order_;
};

}  // namespace wafertlm
