// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/ring_rules.h"

#include <stdexcept>

namespace wafertlm {

RingRules::RingRules(const SwitchParams& params, const ClassTable& classes) {
  if (params.ring_outputs.empty()) return;
  if (params.input_queue != InputQueue::per_output)
    throw std::invalid_argument("rings need a queue per output");
  for (std::size_t c = 0; c < classes.size(); ++c)
    if (const TrafficClass& each = classes[static_cast<ClassId>(c)]; each.vcs % 2 != 0)
      throw std::invalid_argument("rings need an even number of channels for each class; class " + each.name +
                                  " has " + std::to_string(each.vcs));
  for (std::size_t o = 0; o < params.outputs.size(); ++o) {
    const RingPort out = params.ring_outputs[o];
    for (std::size_t vc = 0; vc < classes.virtual_channels(); ++vc)
      for (std::size_t i = 0; i < params.credit_delay_ps.size(); ++i) {
        const bool stays = i < params.ring_inputs.size() && params.ring_inputs[i].ring == out.ring;
        rules_.push_back(out.by_route    ? Rule::by_route
                         : out.ring == 0 ? Rule::any
                         : out.dateline  ? Rule::upper
                         : stays         ? Rule::keep
                                         : Rule::lower);
      }
  }
}

}  // namespace wafertlm
