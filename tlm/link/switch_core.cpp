// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/switch_core.h"

#include <stdexcept>

#include "tlm/link/cut_through.h"
#include "tlm/link/wormhole.h"

namespace wafertlm {

std::unique_ptr<SwitchCore> make_switch_core(const SwitchParams& params, const ClassTable& classes,
                                             const RouteFunction& routes, SwitchHost& host) {
  if (params.switching == Switching::wormhole)
    return std::make_unique<WormholeSwitch>(params, classes, routes, host);
  return std::make_unique<CutThroughSwitch>(params, classes, routes, host);
}

void SwitchCore::set_rate(PortId, std::uint64_t, TimePs) {
  throw std::logic_error("the ports of this switch keep their rate");
}

void SwitchCore::route_again(PortId, TimePs) {
  throw std::logic_error("the packets of this switch keep their way");
}

}  // namespace wafertlm
