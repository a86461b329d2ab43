// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/rtl/fred/switch_scenario.h"

namespace wafertlm::test {

/// What the TLM switch, SwitchCore and FlowUnit as in SwitchModule, makes of a scenario; a flit takes a cycle
/// of 1 ns, all delays are whole cycles.
struct TlmRun {
  Deliveries deliveries;
  std::uint64_t phase_changes = 0;
  double seconds = 0;
};
TlmRun run_tlm(const SwitchScenario& scenario);

}  // namespace wafertlm::test
