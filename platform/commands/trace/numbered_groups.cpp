// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/numbered_groups.h"

#include <nlohmann/json.hpp>

namespace wafertlm {

class NumberedGroups::Source final : public chakra::ForwardingSource {
 public:
  Source(chakra::NodeSource& source, std::shared_ptr<const Names> names)
      : ForwardingSource(source), names_(std::move(names)) {}

  bool next(chakra::Node& node) override {
    if (!source().next(node)) return false;
    if (const auto found = names_->find(node.pg_name); found != names_->end()) node.pg_name = found->second;
    return true;
  }

 private:
  std::shared_ptr<const Names> names_;
};

NumberedGroups::NumberedGroups(const Groups& groups) {
  Names names;
  std::uint64_t first = 1;  // all numbers get equally many digits, so that as names they have the same order
  while (groups.size() > 9 * first) first *= 10;
  for (const auto& [name, ranks] : groups) {
    const std::uint64_t number = first + groups_.size();
    names.emplace(name, std::to_string(number));
    groups_.emplace(number, ranks);
  }
  names_ = std::make_shared<const Names>(std::move(names));
}

std::string NumberedGroups::json() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const auto& [number, ranks] : groups_) all[std::to_string(number)] = ranks;
  return all.dump(1) + "\n";
}

std::unique_ptr<chakra::NodeSource> NumberedGroups::named(chakra::NodeSource& source) const {
  return std::make_unique<Source>(source, names_);
}

}  // namespace wafertlm
