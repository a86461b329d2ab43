// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tlm/packets/link_observer.h"
#include "waveforms/vcd_writer.h"
#include "waveforms/worker.h"

namespace wafertlm {

/// Waveforms of links: per link `busy`, the traffic `class` on the line and the `source` and `destination`
/// NPU of the packet. The last three keep their value while the line is idle.
class LinkWaves final : public LinkObserver {
 public:
  explicit LinkWaves(const std::string& path);

  /// Announces output `output` of switch `observed`, before the run.
  void add_link(std::size_t observed, PortId output, const std::string& name);
  /// Of links that were not announced nothing is shown.
  void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
            TimePs end_ps) override;
  void finish(TimePs end_ps);

 private:
  struct Link {
    std::size_t busy = 0, traffic_class = 0, source = 0, destination = 0;
    bool is_shown = false;
  };
  struct Event {
    const Link* link;
    TimePs start_ps, end_ps;
    std::uint32_t source, destination;
    std::uint8_t traffic_class;
  };
  void play(const Event& event);

  VcdWriter vcd_;
  std::vector<std::vector<Link>> links_;  // [switch][output]
  std::vector<Event> chunk_;
  Worker<std::vector<Event>> worker_;
};

}  // namespace wafertlm
