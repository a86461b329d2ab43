// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/fred/models.h"

#include <VFred12.h>
#include <VFred5.h>
#include <VFred8.h>
#include <verilated_vcd_c.h>

#include <stdexcept>

namespace wafertlm::test {

RtlRun run_rtl(const SwitchScenario& scenario, const RtlRunOptions& options) {
  if (scenario.ports == 5) return RtlSwitch<VFred5>(scenario, options).run();
  if (scenario.ports == 8) return RtlSwitch<VFred8>(scenario, options).run();
  if (scenario.ports == 12) return RtlSwitch<VFred12>(scenario, options).run();
  throw std::invalid_argument("there are verilated switches of 5, 8 and 12 ports only");
}

RtlRun run_rtl_traced(const SwitchScenario& scenario, RtlRunOptions options, const std::string& file,
                      std::uint64_t from_cycle, std::uint64_t to_cycle) {
  VerilatedVcdC waveform;
  options.sample = [&](std::uint64_t half_cycle) {
    if (half_cycle >= 2 * from_cycle && half_cycle <= 2 * to_cycle) waveform.dump(half_cycle);
  };
  RtlSwitch<VFred8> one(scenario, options);
  one.model().trace(&waveform, 1);
  waveform.open(file.c_str());
  RtlRun run = one.run();
  waveform.close();
  return run;
}

}  // namespace wafertlm::test
