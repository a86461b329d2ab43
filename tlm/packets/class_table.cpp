// SPDX-License-Identifier: Apache-2.0
#include "tlm/packets/class_table.h"

#include <functional>
#include <map>
#include <stdexcept>

namespace wafertlm {

ClassTable::ClassTable(std::vector<TrafficClass> classes, std::uint32_t virtual_channels, bool flows)
    : classes_(std::move(classes)), virtual_channels_(virtual_channels), flows_(flows) {
  if (classes_.empty() || classes_.size() > kMaxClasses)
    throw std::invalid_argument(std::to_string(classes_.size()) + " traffic classes: 1 to " +
                                std::to_string(kMaxClasses) + " are possible");
  if (virtual_channels == 0 || virtual_channels > kMaxVcs)
    throw std::invalid_argument(std::to_string(virtual_channels) + " virtual channels: 1 to " +
                                std::to_string(kMaxVcs) + " are possible");
  if (flows && 2 * virtual_channels > kMaxVcs)
    throw std::invalid_argument(
        std::to_string(virtual_channels) +
        " virtual channels: in-network flows need as many again, and there are at most " +
        std::to_string(kMaxVcs));

  std::vector<const TrafficClass*> owner(virtual_channels, nullptr);
  for (const TrafficClass& entry : classes_) {
    if (entry.vcs == 0)
      throw std::invalid_argument("class " + entry.name + ": needs at least one virtual channel");
    if (entry.vcs > virtual_channels || entry.first_vc > virtual_channels - entry.vcs)
      throw std::invalid_argument("class " + entry.name + ": needs virtual channels " +
                                  std::to_string(entry.first_vc) + " to " +
                                  std::to_string(std::uint64_t{entry.first_vc} + entry.vcs - 1) + " of " +
                                  std::to_string(virtual_channels));
    for (std::uint32_t vc = entry.first_vc; vc < entry.first_vc + entry.vcs; ++vc) {
      if (owner[vc] && owner[vc]->priority != entry.priority)
        throw std::invalid_argument("classes " + owner[vc]->name + " and " + entry.name +
                                    " share virtual channel " + std::to_string(vc) + " but not a priority");
      owner[vc] = &entry;
    }
  }
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    channels_of_[c] = {static_cast<std::uint8_t>(classes_[c].first_vc),
                       static_cast<std::uint8_t>(classes_[c].vcs)};
    if (flows_)
      channels_of_[kMaxClasses + c] = {static_cast<std::uint8_t>(flow_vc(static_cast<ClassId>(c))), 1};
  }
  std::map<std::uint32_t, ServiceGroup, std::greater<>> by_priority;
  for (std::uint32_t vc = 0; vc < this->virtual_channels(); ++vc) {
    const TrafficClass* const of = owner[vc % virtual_channels];
    ServiceGroup& group = by_priority[of ? of->priority : 0];
    group.mask |= std::uint32_t{1} << vc;
    group.vcs[group.size++] = static_cast<VcId>(vc);
  }
  for (const auto& [priority, group] : by_priority) service_order_.push_back(group);
}

ClassId ClassTable::find(const std::string& name) const {
  std::string known;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].name == name) return static_cast<ClassId>(i);
    known += (known.empty() ? "" : ", ") + classes_[i].name;
  }
  throw std::invalid_argument("no traffic class '" + name + "'; there are " + known);
}

}  // namespace wafertlm
