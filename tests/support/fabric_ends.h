// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <map>
#include <vector>

#include "tlm/kernel/scheduler.h"
#include "tlm/link/switch_core.h"
#include "tlm/packets/class_table.h"
#include "tlm/packets/protocol.h"

namespace wafertlm {

/// Sends given packets in order, each not before its created_ps, at the line's rate and within its credits.
/// Does its own arithmetic, without the link-and-port engine.
class FabricSource : public sc_core::sc_module, private FabricBackwardIf, private Wakeable {
 public:
  FabricSource(const sc_core::sc_module_name& name, const OutputParams& link, const ClassTable& classes,
               Scheduler& scheduler);

  FabricInitiatorSocket socket{"socket"};

  /// Before the simulation starts. Channel, class and bytes are the caller's to set.
  void add(const Packet& packet) { packets_.push_back(packet); }
  std::size_t sent() const { return next_; }

 private:
  struct Channel {
    std::uint64_t room;
    std::multimap<TimePs, std::uint64_t> returns;
  };
  ::tlm::tlm_sync_enum nb_transport_bw(Packet& packet, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void start_of_simulation() override;
  void wake(std::uint32_t what, TimePs now) override;
  TimePs line_free_ps() const;
  void plan(TimePs at);

  const OutputParams link_;
  Scheduler& scheduler_;
  std::deque<Packet> packets_;
  std::size_t next_ = 0;
  std::vector<Channel> channels_;
  Uint128 line_free_ = 0;  // times bytes_per_s
  TimePs planned_ps_ = kNever;
};

/// Takes everything, notes when it came, and gives the room back when the tail is there: announced at
/// BEGIN_REQ, or by a call at that time. Then it wipes the packet, as if a pool had given it to somebody
/// else.
class FabricSink : public sc_core::sc_module, private FabricForwardIf, private Wakeable {
 public:
  enum class Credit { announced, when_free };
  FabricSink(const sc_core::sc_module_name& name, Credit credit, Scheduler& scheduler);

  FabricTargetSocket socket{"socket"};

  struct Arrival {
    NpuId source;
    std::uint64_t sequence;
    std::uint32_t payload_bytes;
    TimePs head_ps, tail_ps;
    const Message* message = nullptr;
    /// But for the message.
    bool operator==(const Arrival& other) const;
  };
  const std::vector<Arrival>& arrivals() const { return arrivals_; }

 private:
  ::tlm::tlm_sync_enum nb_transport_fw(Packet& packet, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void wake(std::uint32_t what, TimePs now) override;
  void give_back(Packet& packet);

  const Credit credit_;
  Scheduler& scheduler_;
  std::multimap<TimePs, Packet*> held_;  // by the time of the tail
  std::vector<Arrival> arrivals_;
};

}  // namespace wafertlm
