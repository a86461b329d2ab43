// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "workloads/trace_model/generate.h"

namespace wafertlm::trace_model {
namespace {

[[noreturn]] void refuse(std::uint32_t ranks, std::uint32_t of_model, const std::string& why) {
  throw std::invalid_argument(std::to_string(ranks) + " ranks cannot be made of " + std::to_string(of_model) +
                              ": " + why);
}

std::vector<bool> scaled_families(const Model& model) {
  std::vector<bool> scaled(model.families.size());
  for (std::size_t i = 0; i < scaled.size(); ++i)
    scaled[i] = model.families[i].size() == 1 && model.families[i].front().size() == model.ranks;
  for (const Kind& kind : model.kinds)
    if (kind.family >= 0 &&
        (kind.traffic_class.empty() || kind.traffic_class == chakra::kDefaultCollectiveClass))
      scaled[static_cast<std::size_t>(kind.family)] = true;
  return scaled;
}

}  // namespace

ScaledGroups::ScaledGroups(const Model& model, std::uint32_t ranks)
    : of_model_(model.ranks), ranks_(ranks), scaled_(scaled_families(model)) {
  if (ranks == 0 || (ranks % of_model_ != 0 && of_model_ % ranks != 0))
    refuse(ranks, of_model_, "their number must be a multiple or a divisor");
  names_.resize(model.families.size());
  for (std::size_t family = 0; family < model.families.size(); ++family) {
    names_[family].resize(ranks);
    for (const std::vector<std::uint32_t>& group : model.families[family]) {
      std::vector<std::uint32_t> members;
      for (std::uint32_t first = 0; first < std::max(ranks, of_model_); first += of_model_) {
        for (const std::uint32_t rank : group)
          if (first + rank < ranks) members.push_back(first + rank);
        if (!scaled_[family] && ranks >= of_model_) add(family, std::exchange(members, {}));
      }
      if (ranks < of_model_ && !members.empty()) {
        if (scaled_[family] ? members.size() * of_model_ != group.size() * ranks
                            : members.size() != group.size())
          refuse(ranks, of_model_, "groups of ranks that work together would be cut");
      }
      if (!members.empty()) add(family, std::move(members));
    }
  }
}

void ScaledGroups::add(std::size_t family, std::vector<std::uint32_t> ranks) {
  bool is_all = ranks.size() == ranks_;
  for (std::size_t i = 0; is_all && i < ranks.size(); ++i) is_all = ranks[i] == i;
  std::string name;
  if (!is_all) {
    const auto known =
        std::find_if(groups_.begin(), groups_.end(), [&](const auto& each) { return each.second == ranks; });
    name = known == groups_.end() ? std::to_string(groups_.size() + 1) : known->first;
  }
  for (const std::uint32_t rank : ranks) names_[family][rank].push_back(name);
  if (!is_all) groups_.emplace(name, std::move(ranks));
}

const std::string& ScaledGroups::name(const Kind& kind, std::uint32_t rank) const {
  const auto& names = names_[static_cast<std::size_t>(kind.family)][rank];
  if (kind.nth >= names.size())
    throw std::invalid_argument("rank " + std::to_string(rank) + " is in too few groups of family " +
                                std::to_string(kind.family) + " of the model");
  return names[kind.nth];
}

std::uint32_t ScaledGroups::peer(const Kind& kind, std::uint32_t rank) const {
  const std::uint32_t first = rank / of_model_ * of_model_;
  const std::uint32_t peer = first + (rank - first + kind.peer) % of_model_;
  if (peer >= ranks_) refuse(ranks_, of_model_, "ranks that exchange messages would be cut");
  return peer;
}

}  // namespace wafertlm::trace_model
