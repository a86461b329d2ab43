// SPDX-License-Identifier: Apache-2.0
#include "waveforms/link_waves.h"

namespace wafertlm {

void LinkWaves::add_link(std::size_t observed, PortId output, const std::string& name) {
  if (links_.size() <= observed) links_.resize(observed + 1);
  auto& outputs = links_[observed];
  if (outputs.size() <= index_of(output)) outputs.resize(index_of(output) + 1);
  outputs[index_of(output)] = {vcd_.add_signal(name, "busy", 1), vcd_.add_signal(name, "class", 4),
                               vcd_.add_signal(name, "source", 32), vcd_.add_signal(name, "destination", 32),
                               true};
}

void LinkWaves::sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
                     TimePs end_ps) {
  if (observed >= links_.size() || index_of(output) >= links_[observed].size()) return;
  const Link& link = links_[observed][index_of(output)];
  if (!link.is_shown) return;
  vcd_.change(start_ps, start_ps, link.busy, 1);
  vcd_.change(start_ps, start_ps, link.traffic_class, index_of(packet.traffic_class));
  vcd_.change(start_ps, start_ps, link.source, index_of(packet.source));
  vcd_.change(start_ps, start_ps, link.destination, index_of(packet.destination));
  vcd_.change(start_ps, end_ps, link.busy, 0);
}

}  // namespace wafertlm
