// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

/// What an output has sent in a number of equal periods without sending single packets.
struct LinkRepeat {
  TimePs until_ps = 0;       ///< end of the period that is repeated, or of the last one that is taken back
  TimePs period_ps = 0;      ///< length of one
  std::int64_t periods = 0;  ///< behind until_ps; less than 0: before it, and they are taken back
  double busy_ps = 0;        ///< of the line in all of them; less than 0: taken back
};

/// Sees what a switch's outputs send. Without one, a grant costs one branch more.
class LinkObserver {
 public:
  /// `packet` occupies the line of output `output` of switch `observed` (the number given with the observer)
  /// from `start_ps` = now to `end_ps`. It is out of its queue.
  virtual void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
                    TimePs end_ps) = 0;
  /// It does not need every packet: repeated() will do, and what a played episode has seen (EpisodeObserver).
  /// Else what it looks at is not accelerated.
  virtual bool takes_repeats() const { return false; }
  /// In place of sent() for periods that are skipped.
  virtual void repeated(std::size_t /*observed*/, PortId /*output*/, const LinkRepeat& /*repeat*/) {}

 protected:
  ~LinkObserver() = default;
};

}  // namespace wafertlm
