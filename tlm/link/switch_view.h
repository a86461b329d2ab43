// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

/// Who follows the packets of one switch, or carries them in its place (models/rtl). Without one a hop costs
/// a branch more.
class SwitchView {
 public:
  /// The head of `packet` reaches `input` at `head_ps`. Returns whether the view carries it from here on.
  virtual bool arrive(PortId input, Packet& packet, TimePs head_ps, TimePs now) = 0;
  /// The room of a packet behind `output` is free at `at`. Returns whether the view had sent it.
  virtual bool credit(PortId output, Packet& packet, TimePs at, TimePs now) = 0;
  /// The switch sends a packet: its head leaves now.
  virtual void sent(PortId output, const Packet& packet, TimePs now) = 0;
  /// As FlowUnit::open() and close(): before the first packet, after the last.
  virtual void branch_opened(const Flow& flow, const FlowBranch& branch,
                             const std::vector<std::uint64_t>& credit_bytes) = 0;
  virtual void flow_closed(const Flow& flow) = 0;

 protected:
  ~SwitchView() = default;
};

}  // namespace wafertlm
