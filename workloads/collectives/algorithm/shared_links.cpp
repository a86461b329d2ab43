// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/shared_links.h"

#include "workloads/collectives/algorithm/fabric_loads.h"
#include "workloads/collectives/algorithm/program_steps.h"

namespace wafertlm {
namespace {

/// A flow is counted once, by its first contributor.
void add_flow(FabricLoads& loads, const CollectiveProgram& program, std::uint64_t tag, std::uint32_t rank,
              std::uint64_t wire) {
  const FlowMembers members = program.ranks[rank]->flow(tag);
  if (members.contributors.front() != rank) return;
  const auto npus = [&](const std::vector<std::uint32_t>& ranks) {
    Group list;
    for (const std::uint32_t each : ranks) list.push_back(program.group[each]);
    return list;
  };
  loads.add_flow(npus(members.contributors), npus(members.receivers), wire);
}

}  // namespace

TimePs shared_links_ps(const std::vector<const CollectiveProgram*>& programs, const FabricTraits& fabric) {
  std::uint64_t steps = 0;
  for (const CollectiveProgram* const program : programs) steps += steps_of(*program);
  if (steps > kMaxSharedSteps) return 0;
  FabricLoads loads(fabric);
  for (const CollectiveProgram* const program : programs)
    for_steps(*program, [&](std::uint32_t rank, std::uint32_t, const Step& step) {
      if (step.bytes == 0) return;
      const std::uint64_t wire = fabric.format.message_wire_bytes(step.bytes);
      if (step.kind == Step::Kind::send) loads.add(program->group[rank], program->group[step.peer], wire);
      if (step.kind == Step::Kind::flow_send) add_flow(loads, *program, step.tag, rank, wire);
    });
  return loads.busiest_ps();
}

}  // namespace wafertlm
