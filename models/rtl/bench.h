// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/rtl/clock.h"
#include "models/rtl/event.h"
#include "models/rtl/scoreboard.h"
#include "models/rtl/stream.h"

namespace wafertlm {

/// Ports that stand still by the will of a test; edges are those of the clock.
class RtlStalls {
 public:
  /// The input is given no flit at this edge.
  virtual bool input(std::uint32_t port, std::uint64_t edge) const = 0;
  /// The output gets no credit, or is not ready.
  virtual bool output(std::uint32_t port, std::uint64_t edge) const = 0;
  /// After the last of them.
  virtual std::uint64_t end() const = 0;

 protected:
  ~RtlStalls() = default;
};

/// Sees which packets pass the pins of the RTL.
class RtlPinWatch {
 public:
  virtual void head_in(const RtlEvent& packet, TimePs at_ps) = 0;
  virtual void head_out(std::uint32_t output, const RtlHeader& header, TimePs at_ps) = 0;

 protected:
  ~RtlPinWatch() = default;
};

/// The words of an entry's configuration, as (number, value), in the order in which they are written.
using RtlConfiguration = std::function<std::vector<std::pair<std::uint32_t, std::uint32_t>>(const RtlEntry&)>;

struct RtlBenchParams {
  RtlClock clock;
  /// Flits behind output o on channel c: [o * channels + c]. 0: no limit.
  std::vector<std::uint32_t> rooms;
  /// The words of an entry's configuration; none: the module has none.
  RtlConfiguration configuration;
  const RtlStalls* stalls = nullptr;
  /// Without a move on the pins the clock stops after so many cycles, while packets wait for something: a
  /// phase or a counter of the module may still have to run down.
  std::uint32_t patience_cycles = 256;
  RtlPinWatch* watch = nullptr;
};

class RtlBenchHost {
 public:
  /// The first flit of a packet goes in; `room`: credits that the sender has for it.
  virtual void head_in(const RtlEvent& /*packet*/, std::uint32_t /*room*/, TimePs /*at_ps*/) {}
  virtual void head_out(std::uint32_t output, std::uint32_t flow, std::uint64_t sequence, TimePs at_ps) = 0;
  /// A flit of it, the head included.
  virtual void flit_out(std::uint32_t /*output*/, std::uint32_t /*flow*/, std::uint64_t /*sequence*/) {}
  /// The last flit of a packet is out: it leaves from head_ps to tail_ps. Without data after a broken rule
  /// that they follow from.
  virtual void packet_out(const RtlTransaction& packet, TimePs tail_ps) = 0;
  virtual void broken_rule(const RtlDivergence& broken) = 0;

 protected:
  ~RtlBenchHost() = default;
};

/// Packets into an RTL switch, and out of it, with a clock that stops while nothing moves. No SystemC: the
/// caller gives it the time.
///
/// What happens at `now` takes part in the edge at `now`, whoever is called first, because an edge is worked
/// off a picosecond later: wake() at next_wake_ps(). The packets of a channel go in one after the other;
/// those of in-network flows in one order for all inputs, that in which the first packet of a number came, so
/// that no two flows wait for each other at different inputs.
class RtlBench final : private RtlStreamHost {
 public:
  /// `design`, `model` and `host` must outlive it.
  RtlBench(const RtlDesign& design, RtlModel& model, RtlBenchParams params, RtlBenchHost& host);

  /// What happened at the switch. That the model sent something is nothing to the RTL.
  void apply(const RtlEvent& event);
  void open(const RtlEntry& entry, TimePs now);
  /// @throws std::logic_error: no such entry, or input.
  void arrive(const RtlEvent& packet);
  void credit(std::uint32_t output, std::uint32_t channel, std::uint32_t flits, TimePs at, TimePs now);
  /// A flit of a packet with RtlEvent::flit_times comes at `at`.
  void flit_comes(TimePs at) { start(at); }
  /// Writes a word that belongs to no branch.
  void configure(std::uint32_t entry, std::uint32_t word, std::uint32_t value, TimePs now);

  /// kNever: the clock stands.
  TimePs next_wake_ps() const { return running_ ? params_.clock.edge_ps(edge_) + 1 : kNever; }
  void wake();
  /// Works off all edges before `now`.
  void advance(TimePs now) {
    while (next_wake_ps() <= now) wake();
  }
  /// Holds the reset, and forgets everything.
  void restart();

  /// Packets that came in and have not left everywhere.
  std::size_t inside() const { return packets_.size(); }
  /// What these are, in words: the one that entered first comes first.
  std::vector<RtlDivergence> pending() const;
  std::uint64_t cycles() const { return cycles_; }
  /// Without a move on the pins, up to now.
  std::uint32_t quiet_cycles() const { return quiet_; }
  /// The next edge of the clock, if it runs.
  std::uint64_t edge() const { return edge_; }
  /// Of an input and channel, credits that have come back minus flits that have left by all outputs: at rest
  /// 0, before that at most what is on its way through the pipeline.
  struct Returned {
    std::int64_t now = 0, most = 0;
  };
  /// Of an output and channel, credits that the module has not used.
  std::uint32_t credits_of_module(std::uint32_t output, std::uint32_t channel) const {
    return stream_->credits_of_module(output, channel);
  }
  /// On which the last packet has begun to leave `output`.
  std::uint32_t channel_out(std::uint32_t output) const { return channel_out_[output]; }
  const Returned& returned(std::uint32_t input, std::uint32_t channel) const {
    return returned_[at(input, channel)];
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  // entry, sequence in 24 bits
  struct Incoming {
    RtlEvent packet;
    std::uint32_t sent = 0;  // flits
  };
  /// Of an input and channel.
  struct Queue {
    std::deque<Incoming> messages;
    // Of in-network packets that have to go in here, by time, entry and sequence in all bits.
    std::map<std::tuple<TimePs, std::uint32_t, std::uint64_t>, char> order;
    std::map<Key, Incoming> flows;
  };
  struct Packet {
    std::uint32_t channel = 0, flits = 0, bytes = 0;
    std::uint64_t sequence = 0;
    TimePs arrival_ps = 0;
    std::size_t inputs_due = 0;
    std::vector<std::uint32_t> outputs_due;
    std::vector<std::uint32_t> inputs;
    std::map<std::uint32_t, std::uint32_t> flits_out;  // by output
    std::uint32_t left = 0;                            // flits, by all outputs
    std::uint64_t entered = 0;                         // counts from 1 by first heads; 0: not yet
  };
  /// Of an output and channel: the packet that is leaving, and the room behind.
  struct Leaving {
    std::uint64_t credits = 0;  // flits that the module does not know to be free
    bool bounded = false;
    std::multimap<TimePs, std::uint32_t> coming;  // credits by the time
    Key key{};
    Packet* packet = nullptr;
    TimePs head_ps = 0;
    std::uint32_t flits = 0;
    std::vector<std::byte> data;
  };

  void went_in(std::uint32_t input) override;
  void credit_came(std::uint32_t input, std::uint32_t channel) override;
  void came_out(std::uint32_t output, const RtlFlit& flit) override;
  bool may_leave(std::uint32_t output, const RtlFlit& flit) override;
  void broken(RtlSide side, std::uint32_t port, RtlRule rule, const std::string& seen,
              const RtlFlit* flit = nullptr) override;

  std::size_t at(std::uint32_t port, std::uint32_t channel) const {
    return std::size_t{port} * design_.channels + channel;
  }
  void start(TimePs at_ps);
  void catch_up();
  void run_edge();
  void empty_rooms();
  TimePs next_announced_ps() const;
  void give_flits(TimePs now);
  TimePs next_flit_ps(const Incoming& from) const;
  Incoming* next_for(std::uint32_t input, TimePs now);
  Incoming* front_of(Queue& queue, TimePs now);
  void give_flit(std::uint32_t input, Incoming& from);
  void give_credits(TimePs now);
  void configure();
  bool is_configured(std::uint32_t entry) const;
  Key front_key(const Queue& queue) const;
  void packet_begins(std::uint32_t output, const RtlFlit& flit, Leaving& leaving);
  void check_order(std::uint32_t output, const RtlFlit& flit, const Packet& packet);
  void packet_done(std::uint32_t output, const RtlFlit& flit, Leaving& leaving);
  void flit_left(std::uint32_t output, Packet& packet);
  bool is_quiet() const;

  const RtlDesign& design_;
  RtlBenchParams params_;
  RtlBenchHost& host_;
  std::unique_ptr<RtlStream> stream_;
  std::map<std::uint32_t, RtlEntry> entries_;  // branches that are open
  std::map<Key, Packet> packets_;
  std::vector<Queue> queues_;                                 // [input][channel]
  std::vector<std::pair<std::uint32_t, Incoming*>> current_;  // [input]: channel and packet that is going in
  std::vector<Leaving> leaving_;                              // [output][channel]
  std::vector<std::uint32_t> next_credit_;                    // [output]: round robin
  std::vector<std::uint32_t> channel_out_;                    // [output]
  const std::uint32_t class_channels_;                        // side by side; packets may change among them
  // Of each stream of packets that keep their order, the last that left: when it entered, its sequence. A
  // stream is (entry, 0, output) or (kMessage + input, channel, output).
  std::map<std::array<std::uint32_t, 3>, std::pair<std::uint64_t, std::uint64_t>> last_out_;
  std::uint64_t entered_ = 0;          // packets
  std::vector<Returned> returned_;     // [input][channel]
  std::vector<std::size_t> credited_;  // of these, at the edge that is worked off
  struct Word {
    std::uint32_t entry, word, value;
    std::uint64_t first;  // packets before it must be gone
  };
  std::deque<Word> configuration_;
  std::map<std::uint32_t, std::uint32_t> words_due_;  // by entry
  bool running_ = false, sleeps_ = false;             // the clock, and that it is set to go on later
  std::uint64_t edge_ = 0, next_edge_ = 0;  // the next one; after a pause the first that was left out
  std::uint64_t cycles_ = 0;
  TimePs now_ps_ = 0;  // of the edge that is worked off
  std::uint32_t quiet_ = 0;
};

}  // namespace wafertlm
