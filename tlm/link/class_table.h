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
  ClassTable(std::vector<TrafficClass> classes, std::uint32_t virtual_channels);

  std::size_t size() const { return classes_.size(); }
  std::uint32_t virtual_channels() const { return virtual_channels_; }
  const TrafficClass& operator[](ClassId id) const { return classes_[index_of(id)]; }
  /// @throws std::invalid_argument naming the known classes.
  ClassId find(const std::string& name) const;

  /// Virtual channels of equal priority, highest priority first. Unused channels come last.
  const std::vector<std::vector<VcId>>& service_order() const { return service_order_; }

 private:
  std::vector<TrafficClass> classes_;
  std::uint32_t virtual_channels_;
  std::vector<std::vector<VcId>> service_order_;
};

}  // namespace wafertlm
