// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tlm/kernel/state_visitor.h"
#include "tlm/kernel/units.h"
#include "tlm/link/switch_params.h"
#include "tlm/packets/class_table.h"
#include "tlm/packets/link_observer.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

/// Chooses the output of a packet; the fabric's routing.
class RouteFunction {
 public:
  virtual PortId output_for(const Packet& packet) const = 0;
  /// At outputs whose RingPort is `by_route`: the half of its class's channels that the packet takes.
  virtual bool on_upper_half(const Packet& /*packet*/) const { return false; }

 protected:
  ~RouteFunction() = default;
};

/// What takes packets at the end of their way and asks of each but a message's last one only what its times
/// are: it may be told of them late.
class PacketSink {
 public:
  /// The packet's head left the last output at `start_ps`, which may be over.
  virtual void take(Packet& packet, TimePs start_ps) = 0;
  /// From a packet's tail to the time at which its room is known free.
  virtual TimePs credit_delay_ps() const = 0;

 protected:
  ~PacketSink() = default;
};

/// What a switch core tells its shell.
class SwitchHost {
 public:
  /// The head leaves `output` now and reaches the next input at `head_ps`; hands the packet over.
  virtual void forward(PortId output, Packet& packet, TimePs head_ps) = 0;
  /// The packet's room in the buffer of `input` (channel packet.vc) is known free upstream at `at`.
  virtual void return_credit(PortId input, Packet& packet, TimePs at) = 0;
  /// Call SwitchCore::wake(output, at) at `at`. Earlier requests stay.
  virtual void request_wake(PortId output, TimePs at) = 0;
  /// Wake-ups may come later than asked for if the core allows it.
  virtual bool may_be_late() const { return false; }
  /// For an output that need not be woken at `at`, but by `by`. Returns when it will be: now, if neither may
  /// be late nor `at` is to come.
  virtual TimePs request_late_wake(PortId output, TimePs at, TimePs /*by*/) {
    request_wake(output, at);
    return at;
  }
  /// As PendingTimes::later. Only a host that may send tails which are pending is asked.
  virtual TimePs later(TimePs a, TimePs b) { return std::max(a, b); }

 protected:
  ~SwitchHost() = default;
};

/// The link-and-port engine: an input-buffered, output-arbitrated switch with byte credits and virtual
/// channels, free of SystemC. Every fabric is made of it; with one input and one output it is an NPU's
/// injection port. How packets go through it is the implementation's: CutThroughSwitch, WormholeSwitch.
class SwitchCore {
 public:
  virtual ~SwitchCore() = default;
  SwitchCore(const SwitchCore&) = delete;
  SwitchCore& operator=(const SwitchCore&) = delete;

  /// BEGIN_REQ: the head of `packet` reaches `input` at `head_ps` >= now. Takes the packet over.
  virtual void arrive(PortId input, Packet& packet, TimePs head_ps) = 0;
  /// The same for a packet whose output is known; `input` may be one that no link leads to.
  virtual void arrive_for(PortId output, PortId input, Packet& packet, TimePs head_ps) = 0;
  /// END_REQ: `bytes` of the next buffer's channel `vc` are free from `at` >= now on.
  virtual void credit(PortId output, VcId vc, std::uint32_t bytes, TimePs at, TimePs now) = 0;
  /// Counts a packet that somebody else sends in place of this core, from `start_ps` to `end_ps`.
  virtual void count(PortId output, const Packet& packet, TimePs start_ps, TimePs end_ps) = 0;
  /// Arbitrates `output`; returns whether a packet left.
  virtual bool wake(PortId output, TimePs now) = 0;

  // Neighbours that may be called without the shell, but for in-network flows and for times that are pending;
  // before the first packet.
  /// `output` leads to `input` of `next`. `gives_back`: whose credits come back to it by calls of its own.
  virtual void lead_to(PortId /*output*/, SwitchCore& /*next*/, PortId /*input*/, bool /*gives_back*/) {}
  virtual void lead_to(PortId /*output*/, PacketSink& /*sink*/) {}
  /// All who are told of credits want to know only when they are free: packets may leave in trains. Returns
  /// whether they do, so that settle() must be called before anybody looks.
  virtual bool form_trains() { return false; }
  /// Makes up for what is to have happened until `now`.
  virtual void settle(TimePs /*now*/) {}

  // Faults in operation; before anything else happens at `now`.
  /// Packets that start from now on go at this rate; 0: none starts until there is another one.
  /// @throws std::logic_error: a switch whose ports keep their rate.
  virtual void set_rate(PortId output, std::uint64_t bytes_per_s, TimePs now);
  /// The packets that wait for `output`, whose link is down, take the ways that the routes have now.
  /// @throws std::logic_error: as set_rate().
  virtual void route_again(PortId output, TimePs now);

  PortId route(const Packet& packet) const { return routes_.output_for(packet); }
  virtual std::size_t inputs() const = 0;
  virtual std::size_t outputs() const = 0;
  virtual OutputCounters counters(PortId output) const = 0;
  virtual std::uint64_t bytes_per_s(PortId output) const = 0;
  /// Packets (flits) waiting here.
  virtual std::uint64_t queued() const = 0;
  /// Credits of all outputs that are neither here nor promised, in bytes.
  virtual std::uint64_t outstanding_credits() const = 0;

  /// All that an output keeps, with the packets that wait for it (tlm/acceleration).
  virtual void list_state(PortId /*output*/, StateVisitor& state) { state.give_up(); }
  /// Asks the host again for the wake-up that the output waits for.
  virtual void ask_again(PortId /*output*/) {}

  /// Tells `observer`, as switch number `number`, about every packet from now on.
  virtual void observe(LinkObserver& observer, std::size_t number) = 0;

  // Hints: each brings into the cache what a coming wake(output) will touch. In this order, a few wake-ups
  // apart, because each follows pointers that the one before has fetched.
  virtual void prefetch_output(PortId /*output*/) const {}
  virtual void prefetch_contenders(PortId /*output*/) const {}
  /// The packet that will leave at the next wake(output), if nothing happens before; for hints only. A packet
  /// stays readable when it is gone, since its pool keeps it.
  struct Winner {
    std::size_t input = 0;
    const Packet* packet = nullptr;
  };
  virtual Winner likely_winner(PortId /*output*/) const { return {}; }
  /// What a coming call of arrive() or credit() will touch: first the core itself, later the rest.
  void prefetch_tables() const {
    __builtin_prefetch(this);
    __builtin_prefetch(reinterpret_cast<const char*>(this) + 64);
  }
  virtual void prefetch_arrival(PortId /*input*/, const Packet&) const {}
  virtual void prefetch_credit(PortId /*output*/, VcId) const {}

 protected:
  explicit SwitchCore(const RouteFunction& routes) : routes_(routes) {}

  const RouteFunction& routes_;
};

/// The implementation for `params.switching`. `classes`, `routes` and `host` must outlive it.
/// @throws std::invalid_argument: more than 65535 outputs, or rings without the queues and channels they
/// need.
std::unique_ptr<SwitchCore> make_switch_core(const SwitchParams& params, const ClassTable& classes,
                                             const RouteFunction& routes, SwitchHost& host);

}  // namespace wafertlm
