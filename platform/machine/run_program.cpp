// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/run_program.h"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "platform/machine/collective_run.h"
#include "platform/spec/load.h"
#include "tlm/shape/fabric_traits.h"

namespace wafertlm {
namespace {

/// @throws std::invalid_argument: a rank without a source of steps, or on an NPU that there is not.
void require_npus(const CollectiveProgram& program, const FabricTraits& fabric) {
  if (program.group.empty() || program.ranks.size() != program.group.size())
    throw std::invalid_argument(fmt::format(
        "the program {} has steps for {} ranks, and its group has {} NPUs; expected as many, at least one",
        program.algorithm, program.ranks.size(), program.group.size()));
  for (const NpuId npu : program.group)
    if (index_of(npu) >= fabric.npus())
      throw std::invalid_argument(
          fmt::format("the program {} is for NPU {}, and the platform has NPUs 0 to {}", program.algorithm,
                      index_of(npu), fabric.npus() - 1));
}

}  // namespace

ProgramResult run_program(const std::string& platform_file, const std::vector<std::string>& overrides,
                          std::shared_ptr<const CollectiveProgram> program,
                          const std::string& traffic_class) {
  const config::PlatformSpec platform = config::load_platform(platform_file, overrides);
  const CollectiveResult result = run_collectives(platform, [&](const FabricTraits& fabric) {
    require_npus(*program, fabric);
    CollectivePlan plan;
    plan.collectives.push_back({std::move(program), traffic_class, {}});
    return plan;
  });
  return {result.time_ps, result.packet_hops, result.busiest_link_payload_bytes, result.proven};
}

}  // namespace wafertlm
