// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"

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

struct ChannelRange {
  std::uint8_t first = 0, count = 0;
};

/// Virtual channels of equal priority.
struct ServiceGroup {
  std::uint32_t mask = 0;  ///< bit per channel
  std::uint32_t size = 0;
  std::array<VcId, kMaxVcs> vcs{};  ///< the first `size`, ascending
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

  /// The channels that a packet of the class may take, in-network or not.
  const ChannelRange& channels_of(ClassId id, bool in_flow) const {
    return channels_of_[index_of(id) + (in_flow ? kMaxClasses : 0)];
  }
  /// Highest priority first. Unused channels come last. The same for all outputs, so that a thousand switches
  /// read the same cache lines.
  const std::vector<ServiceGroup>& service_order() const { return service_order_; }

 private:
  std::vector<TrafficClass> classes_;
  std::uint32_t virtual_channels_;
  bool flows_;
  std::array<ChannelRange, 2 * kMaxClasses> channels_of_{};
  std::vector<ServiceGroup> service_order_;
};

}  // namespace wafertlm
