// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace wafertlm::pytorch {

/// Ranks in a text like "[0, 1, 2]"; nothing if it is of another form, or shortened ("[0, 1, ..., 63]").
std::optional<std::vector<std::uint32_t>> rank_list(std::string_view text);

/// start, start + stride …: `size` of them; none if that is no group (PyTorch writes a stride of 0 or -1
/// where ranks have none).
std::vector<std::uint32_t> strided_ranks(std::uint64_t start, std::uint64_t stride, std::uint64_t size);

}  // namespace wafertlm::pytorch
