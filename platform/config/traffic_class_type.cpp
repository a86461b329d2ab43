// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "platform/config/descriptions.h"
#include "platform/config/fabric_spec.h"
#include "platform/config/value_types.h"

namespace wafertlm::config {
namespace {

std::uint32_t first_vc(const TrafficClassSpec& row) { return static_cast<std::uint32_t>(row.vc); }
std::uint32_t end_vc(const TrafficClassSpec& row) { return first_vc(row) + row.vcs; }

void check_class_pair(const TrafficClassSpec& a, const TrafficClassSpec& b, const Check& check) {
  if (a.name == b.name)
    check.fail({&b.name}, fmt::format("there are two classes called '{}'; rename one", b.name));
  const bool share = first_vc(a) < end_vc(b) && first_vc(b) < end_vc(a);
  if (share && a.priority != b.priority)
    check.fail({&b.priority},
               fmt::format("the class '{}' shares virtual channel {} with '{}' and must have its "
                           "priority {}, not {}; or give it a channel of its own",
                           b.name, std::max(first_vc(a), first_vc(b)), a.name, a.priority, b.priority));
}

}  // namespace

std::shared_ptr<const Struct<TrafficClassSpec>> traffic_class_type() {
  auto type = std::make_shared<Struct<TrafficClassSpec>>("traffic_class");
  type->required("name", &TrafficClassSpec::name, word(), "Name of the traffic class")
      .required("vc", &TrafficClassSpec::vc, integer<VcId>(0, 15), "First virtual channel of the class")
      .required("priority", &TrafficClassSpec::priority, integer<std::uint32_t>(0, 255),
                "The larger goes first")
      .optional("vcs", &TrafficClassSpec::vcs, integer<std::uint32_t>(1, 16),
                "Number of consecutive virtual channels the class may use");
  return type;
}

void check_classes(const FabricSpec& fabric, const Check& check) {
  for (const TrafficClassSpec& row : fabric.classes) {
    if (end_vc(row) > fabric.virtual_channels)
      check.fail({&row.vc, &fabric.virtual_channels},
                 fmt::format("the class '{}' uses virtual channel {}, but {} is {}, so the last one is {}",
                             row.name, end_vc(row) - 1, check.path(&fabric.virtual_channels),
                             fabric.virtual_channels, fabric.virtual_channels - 1));
    for (const TrafficClassSpec* before = fabric.classes.data(); before != &row; ++before)
      check_class_pair(*before, row, check);
  }
}

std::vector<TrafficClassSpec> default_traffic_classes() {
  return {{"mp", VcId{0}, 3, 1},     {"ep", VcId{0}, 3, 1},     {"pp", VcId{1}, 2, 1},
          {"dp", VcId{2}, 1, 1},     {"input", VcId{3}, 0, 1},  {"weights", VcId{3}, 0, 1},
          {"memory", VcId{3}, 0, 1}, {"control", VcId{3}, 0, 1}};
}

}  // namespace wafertlm::config
