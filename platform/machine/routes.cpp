// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/routes.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "workloads/collectives/algorithm/program_steps.h"

namespace wafertlm {
namespace {

bool all_reach_each_other(const Group& group, const Fabric& fabric) {
  try {
    fabric.require_routes(group);
  } catch (const std::invalid_argument&) {
    return false;
  }
  return true;
}

}  // namespace

void require_routes(const CollectiveProgram& program, const Fabric& fabric) {
  if (all_reach_each_other(program.group, fabric)) return;
  std::set<std::pair<NpuId, NpuId>> seen;
  for_steps(program, [&](std::uint32_t rank, std::uint32_t, const Step& step) {
    if (step.kind != Step::Kind::send) return;
    const auto [a, b] = std::minmax(program.group[rank], program.group[step.peer]);
    if (seen.emplace(a, b).second && !all_reach_each_other({a, b}, fabric))
      fabric.require_routes(program.group);  // names the parts of the whole group
  });
}

}  // namespace wafertlm
