// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/defects_spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "platform/defects/sampled_wafer.h"
#include "platform/spec/ranges.h"

namespace wafertlm::config {

std::optional<std::pair<NpuId, NpuId>> LinkName::npus() const {
  std::uint32_t a = 0, b = 0;
  if (!is_number(from, a) || !is_number(to, b)) return std::nullopt;
  return std::pair(static_cast<NpuId>(a), static_cast<NpuId>(b));
}

bool LinkName::operator==(const LinkName& other) const {
  if (one_way != other.one_way) return false;
  return (from == other.from && to == other.to) || (!one_way && from == other.to && to == other.from);
}

const DrawnDefects::Parts& DrawnDefects::parts() const {
  if (parts_) return *parts_;
  Parts drawn;
  const wafer_yield::Sampler sampler(yield);
  for (const wafer_yield::Part* const part : sampler.wafer(wafer).dead) {
    const auto cell = static_cast<NpuId>(part->cell);
    switch (part->kind) {
      case wafer_yield::PartKind::npu:
        drawn.npus.push_back(cell);
        break;
      case wafer_yield::PartKind::router:
        drawn.routers.push_back(cell);
        break;
      case wafer_yield::PartKind::link:
        drawn.links.emplace_back(cell, static_cast<NpuId>(part->end), false);
    }
  }
  parts_ = std::make_shared<const Parts>(std::move(drawn));
  return *parts_;
}

DefectsSpec DefectsSpec::complete() const {
  DefectsSpec all = *this;
  if (!drawn) return all;
  const auto add = [](std::vector<NpuId>& list, const std::vector<NpuId>& more) {
    const std::set<NpuId> known(list.begin(), list.end());
    for (const NpuId npu : more)
      if (known.count(npu) == 0) list.push_back(npu);
  };
  const DrawnDefects::Parts& parts = drawn->parts();
  add(all.npus, parts.npus);
  add(all.routers, parts.routers);
  all.links.insert(all.links.end(), parts.links.begin(), parts.links.end());
  return all;
}

std::uint32_t DefectsSpec::speed_percent(NpuId npu) const {
  const auto found =
      std::find_if(slow_npus.begin(), slow_npus.end(), [&](const SlowNpu& each) { return each.npu == npu; });
  return found == slow_npus.end() ? 100 : found->speed_percent;
}

std::uint32_t DefectsSpec::hbm_percent(NpuId npu) const {
  const auto found =
      std::find_if(hbm.begin(), hbm.end(), [&](const PartialHbm& each) { return each.npu == npu; });
  return found == hbm.end() ? 100 : found->share_percent;
}

std::string DefectsSpec::describe_slow() const {
  std::string text;
  const auto add = [&](std::size_t count, const char* what, std::uint32_t least) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "slow      " : ", ", count, what);
    if (least != 0) text += fmt::format(" (one {} %)", least);
  };
  const auto least = [](const auto& list, auto percent) {
    std::uint32_t found = 100;
    for (const auto& each : list) found = std::min(found, each.*percent);
    return found;
  };
  add(slow_links.size(), "links", least(slow_links, &SlowLink::speed_percent));
  add(slow_npus.size(), "NPUs", least(slow_npus, &SlowNpu::speed_percent));
  add(hbm.size(), "NPUs with a part of their HBM", least(hbm, &PartialHbm::share_percent));
  add(io.size(), "I/O controllers gone", 0);
  return text.empty() ? text : text + "\n";
}

}  // namespace wafertlm::config
