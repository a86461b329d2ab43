// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/ranges.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "platform/text/quantity.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (!text.empty() && text.back() == separator) parts.emplace_back();  // getline drops a last empty part
  return parts;
}

std::uint64_t parse_size_argument(const std::string& text) {
  std::uint64_t bytes = 0;
  if (is_number(text, bytes)) return bytes;
  try {
    return config::parse_size(text);
  } catch (const std::exception& error) {
    throw std::invalid_argument("--size " + text + ": " + error.what());
  }
}

}  // namespace

Group parse_npus(const std::string& text, std::uint32_t npus, const std::vector<NpuId>& idle) {
  const auto is_idle = [&](NpuId npu) { return std::find(idle.begin(), idle.end(), npu) != idle.end(); };
  Group group;
  if (text.empty())
    for (std::uint32_t npu = 0; npu < npus; ++npu)
      if (!is_idle(static_cast<NpuId>(npu))) group.push_back(static_cast<NpuId>(npu));
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> ends = split(part, '-');
    std::uint32_t first = 0, last = 0;
    if (ends.empty() || ends.size() > 2 || !is_number(ends.front(), first) || !is_number(ends.back(), last))
      throw std::invalid_argument("'" + text + "' is not a list of NPUs; write it like 0-4,10");
    if (first > last)
      throw std::invalid_argument(
          fmt::format("--npus {}: the first NPU is behind the last; write {}-{}", part, last, first));
    if (last >= npus)
      throw std::invalid_argument(fmt::format("--npus {}: the wafer has NPUs 0 to {}", part, npus - 1));
    for (std::uint32_t npu = first; npu <= last; ++npu) {
      group.push_back(static_cast<NpuId>(npu));
      if (is_idle(group.back()))
        throw std::invalid_argument(
            fmt::format("--npus {0}: NPU {1} or router {1} does not work (wafer.defects)", part, npu));
    }
  }
  return group;
}

std::vector<std::uint64_t> parse_sizes(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  const std::vector<std::string> range = split(text, ':');
  if (range.size() == 1) {
    for (const std::string& part : split(text, ',')) sizes.push_back(parse_size_argument(part));
    return sizes;
  }
  if (range.size() != 3)
    throw std::invalid_argument("--size " + text + ": write one size, a list, or FROM:TO:FACTOR");
  const std::uint64_t from = parse_size_argument(range[0]), to = parse_size_argument(range[1]);
  std::uint64_t factor = 0;
  if (!is_number(range[2], factor) || factor < 2 || from == 0 || from > to)
    throw std::invalid_argument("--size " + text + ": needs 0 < FROM <= TO and a whole FACTOR of at least 2");
  for (std::uint64_t size = from; size <= to; size *= factor) {
    sizes.push_back(size);
    if (size > to / factor) break;
  }
  return sizes;
}

std::string platform_algorithm(const config::CollectivesSpec& spec, CollectiveType type, bool is_partial) {
  for (const std::string& own : {is_partial ? spec.partial_groups.of(type) : "auto", spec.by_type.of(type)})
    if (own != "auto") return own;
  if (spec.algorithm == kFastest || spec.algorithm == kNccl) return spec.algorithm;
  if (spec.algorithm == "auto" && spec.choice == config::CollectivesSpec::Choice::nccl) return kNccl;
  const std::vector<std::string> possible = algorithms_for(type);
  return std::find(possible.begin(), possible.end(), spec.algorithm) == possible.end() ? "" : spec.algorithm;
}

}  // namespace wafertlm
