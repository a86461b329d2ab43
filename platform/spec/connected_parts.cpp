// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/connected_parts.h"

#include <fmt/core.h>

#include <algorithm>

namespace wafertlm {

std::vector<Group> connected_parts(std::uint32_t npus, const std::vector<NpuId>& idle,
                                   const std::function<bool(NpuId from, NpuId to)>& reaches) {
  std::vector<bool> is_placed(npus);
  for (const NpuId npu : idle) is_placed[index_of(npu)] = true;
  std::vector<Group> parts;
  for (std::uint32_t n = 0; n < npus; ++n) {
    if (is_placed[n]) continue;
    const auto first = static_cast<NpuId>(n);
    parts.emplace_back();
    for (std::uint32_t m = n; m < npus; ++m) {
      const auto other = static_cast<NpuId>(m);
      if (is_placed[m] || !reaches(first, other) || !reaches(other, first)) continue;
      is_placed[m] = true;
      parts.back().push_back(other);
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Group& a, const Group& b) { return a.size() > b.size(); });
  return parts;
}

std::string describe_cut_off(const std::vector<Group>& parts) {
  std::string text;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    text += fmt::format("cut off   NPU{}", parts[k].size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < std::min<std::size_t>(parts[k].size(), 8); ++i)
      text += fmt::format("{}{}", i == 0 ? " " : ", ", index_of(parts[k][i]));
    if (parts[k].size() > 8) text += fmt::format(" and {} more", parts[k].size() - 8);
    text += ": no links that work lead to the others and back\n";
  }
  return text;
}

void RouteLengths::add(std::uint32_t taken, std::uint32_t whole, bool is_other) {
  ++pairs;
  around += is_other ? 1 : 0;
  hops += taken;
  whole_hops += whole;
  if (whole != 0) longest = std::max(longest, static_cast<double>(taken) / whole);
}

std::string RouteLengths::text(const std::string& those) const {
  return fmt::format("{} of {} pairs; routes are {:.2f} times as long as {}, one {:.1f} times", around, pairs,
                     whole_hops == 0 ? 1 : static_cast<double>(hops) / static_cast<double>(whole_hops), those,
                     longest);
}

}  // namespace wafertlm
