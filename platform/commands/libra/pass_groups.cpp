// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/pass_groups.h"

#include <algorithm>
#include <utility>

namespace wafertlm::astra_text {

PassGroups::PassGroups(const std::array<std::vector<int>, kPasses>& group_sizes,
                       std::vector<std::uint32_t> sizes)
    : sizes_(std::move(sizes)) {
  const auto size_of = [&](Pass pass, std::size_t d) {
    return static_cast<std::uint32_t>(std::max(1, group_sizes[static_cast<std::size_t>(pass)][d]));
  };
  for (std::size_t d = 0; d < sizes_.size(); ++d) {
    const std::uint32_t model = size_of(Pass::forward, d), data = size_of(Pass::weight_gradient, d);
    for (std::size_t pass = 0; pass < kPasses; ++pass)
      parts_[pass].push_back({size_of(static_cast<Pass>(pass), d), 1});
    if (sizes_[d] % (model * data) == 0)
      parts_[static_cast<std::size_t>(Pass::weight_gradient)].back().stride = model;
  }
}

std::vector<std::uint32_t> PassGroups::members(std::size_t pass, std::uint32_t rank) const {
  std::vector<std::uint32_t> found = {rank};
  std::uint32_t stride = 1;  // of the dimension, in ranks
  for (std::size_t d = 0; d < sizes_.size(); ++d) {
    const Part& part = parts_[pass][d];
    const std::uint32_t own = rank / stride % sizes_[d] / part.stride % part.size;
    std::vector<std::uint32_t> with;
    for (std::uint32_t i = 0; i < part.size; ++i)
      for (const std::uint32_t each : found)
        with.push_back(each + i * part.stride * stride - own * part.stride * stride);
    found = std::move(with);
    stride *= sizes_[d];
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string PassGroups::name(std::size_t pass, std::uint32_t rank) const {
  const std::vector<std::uint32_t> ranks = members(pass, rank);
  if (ranks.size() < 2) return "";
  std::string text = "groups";
  for (const Part& part : parts_[pass])
    text += "_" + std::to_string(part.size) + (part.stride == 1 ? "" : "by" + std::to_string(part.stride));
  return text + "_of_rank_" + std::to_string(ranks.front());
}

}  // namespace wafertlm::astra_text
