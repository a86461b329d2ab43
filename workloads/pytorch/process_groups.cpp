// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/process_groups.h"

#include <limits>

#include "workloads/pytorch/communication.h"

namespace wafertlm::pytorch {

std::optional<std::vector<std::uint32_t>> rank_list(std::string_view text) {
  const auto numbers = number_list(text);
  if (!numbers || numbers->empty()) return std::nullopt;
  std::vector<std::uint32_t> ranks;
  for (const std::uint64_t number : *numbers) {
    if (number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    ranks.push_back(static_cast<std::uint32_t>(number));
  }
  return ranks;
}

std::vector<std::uint32_t> strided_ranks(std::uint64_t start, std::uint64_t stride, std::uint64_t size) {
  constexpr std::uint64_t kMostRanks = 65'536;
  if (size == 0 || size > kMostRanks || start >= kMostRanks || stride >= kMostRanks) return {};
  if (stride == 0 && size > 1) return {};
  if (start + (size - 1) * stride >= kMostRanks) return {};
  std::vector<std::uint32_t> ranks;
  for (std::uint64_t rank = 0; rank < size; ++rank)
    ranks.push_back(static_cast<std::uint32_t>(start + rank * stride));
  return ranks;
}

}  // namespace wafertlm::pytorch
