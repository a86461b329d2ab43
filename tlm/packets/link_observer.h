// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tlm/kernel/units.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

/// Sees what a switch's outputs send. Without one, a grant costs one branch more.
class LinkObserver {
 public:
  /// `packet` occupies the line of output `output` of switch `observed` (the number given with the observer)
  /// from `start_ps` = now to `end_ps`. It is out of its queue.
  virtual void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
                    TimePs end_ps) = 0;

 protected:
  ~LinkObserver() = default;
};

}  // namespace wafertlm
