// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/idle_time.h"

#include <memory>

#include "platform/machine/collective_run.h"
#include "tlm/kernel/simulation_context.h"

namespace wafertlm {

IdleTime idle_time(const config::PlatformSpec& spec) {
  if (spec.wafer.npu_count() > kMaxIdleNpus) return {};
  auto idle = std::make_shared<config::PlatformSpec>(spec);
  idle->run.functional = idle->run.checkers = false;
  idle->run.fault.reset();
  idle->wafer.fabric.rtl.clear();
  idle->wafer.fabric.bit_error_rate = 0;
  idle->npu.endpoint.launch_cost_ps = 0;  // predictions add it
  return [idle = std::shared_ptr<const config::PlatformSpec>(std::move(idle))](
             const std::shared_ptr<const CollectiveProgram>& program) {
    const SimulationContext context;
    const auto alone = [&](const FabricTraits&) -> CollectivePlan {
      return {{{program, idle->wafer.fabric.classes.front().name, {}}}, {}};
    };
    return run_collectives(*idle, alone).time_ps;
  };
}

}  // namespace wafertlm
