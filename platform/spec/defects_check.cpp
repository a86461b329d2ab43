// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/spec/descriptions.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/wafer_spec.h"

namespace wafertlm::config {
namespace {

void require_npu(const WaferSpec& wafer, const NpuId& npu, const Check& check) {
  if (index_of(npu) >= wafer.npu_count())
    check.fail({&npu}, "there is no NPU {}; the {} has NPUs 0 to {}", index_of(npu),
               fabric_kind(wafer).wafer_name(wafer), wafer.npu_count() - 1);
}

void check_npus(const WaferSpec& wafer, const Check& check) {
  const DefectsSpec& defects = wafer.fabric.defects;
  std::set<NpuId> idle;
  for (const auto* list : {&defects.npus, &defects.routers})
    for (const NpuId& npu : *list) {
      require_npu(wafer, npu, check);
      if (!idle.insert(npu).second) check.fail({&npu}, "NPU {} is listed twice", index_of(npu));
    }
  const auto check_working = [&](const auto& list) {
    std::set<NpuId> seen;
    for (const auto& each : list) {
      require_npu(wafer, each.npu, check);
      if (idle.count(each.npu) != 0)
        check.fail({&each.npu}, "NPU {} does not work at all; leave one out", index_of(each.npu));
      if (!seen.insert(each.npu).second)
        check.fail({&each.npu}, "NPU {} is listed twice", index_of(each.npu));
    }
  };
  check_working(defects.slow_npus);
  check_working(defects.hbm);
}

void check_links(const DefectsSpec& defects, const Check& check) {
  std::set<std::pair<std::string, std::string>> ways;
  const auto add = [&](const LinkName& link, const void* culprit) {
    const bool is_new = ways.emplace(link.from, link.to).second;
    if (!is_new || (!link.one_way && !ways.emplace(link.to, link.from).second))
      check.fail({culprit}, "the link {} is listed twice", link.text());
  };
  for (const LinkName& link : defects.links) add(link, &link);
  for (const SlowLink& slow : defects.slow_links) add(slow.link, &slow.link);
}

void check_known(const WaferSpec& wafer, const Check& check) {
  const DefectsSpec& defects = wafer.fabric.defects;
  const KnownDefects known = fabric_kind(wafer).abilities(wafer.fabric).defects;
  const auto require = [&](bool is_known, bool is_used, const void* key, const char* what) {
    if (is_used && !is_known)
      check.fail({key, &wafer.fabric.kind}, "{} are not known of {}kind {}; leave them out", what,
                 wafer.outer ? "several wafers of " : "", wafer.fabric.kind->name());
  };
  require(known.routers, !defects.routers.empty(), &defects.routers, "routers that do not work");
  require(known.switches, !defects.switches.empty(), &defects.switches, "switches that do not work");
  require(known.chips, defects.chips.any(), defects.chips.first_key(), "chips that do not work");
  require(known.links, !defects.links.empty(), &defects.links, "links that do not work");
  require(known.slow_links, !defects.slow_links.empty(), &defects.slow_links, "slow links");
  require(known.io, !defects.io.empty(), &defects.io, "I/O controllers that do not work");
  require(known.drawn, defects.drawn.has_value(), &defects.drawn, "drawn defects");
}

}  // namespace

void check_defects(const WaferSpec& wafer, const Check& check) {
  const DefectsSpec& defects = wafer.fabric.defects;
  check_npus(wafer, check);
  check_links(defects, check);
  check_known(wafer, check);
  if (!defects.drawn) return;
  const wafer_yield::YieldSpec& drawn = defects.drawn->yield;
  if (drawn.columns != wafer.width || drawn.rows != wafer.height)
    check.fail({&defects.drawn, &wafer.width, &wafer.height},
               "'{}' is of {} x {} NPUs, and this wafer has {} x {}", drawn.name, drawn.columns, drawn.rows,
               wafer.width, wafer.height);
}

void check_dead_io(const DefectsSpec& defects, std::size_t controllers, const Check& check) {
  std::set<std::uint32_t> seen;
  for (const std::uint32_t& controller : defects.io) {
    if (controller >= controllers)
      check.fail({&controller}, "there is no I/O controller {}; the wafer has {}", controller, controllers);
    if (!seen.insert(controller).second) check.fail({&controller}, "it is listed twice");
  }
  if (controllers != 0 && seen.size() == controllers)
    check.fail({&defects.io}, "all I/O controllers; set wafer.io.controllers to none in their place");
}

}  // namespace wafertlm::config
