// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "models/ethernet/engine/engine_params.h"
#include "models/ethernet/engine/event_queue.h"
#include "models/ethernet/engine/frame.h"
#include "models/ethernet/engine/queue_pair.h"
#include "models/ethernet/network/log_histogram.h"
#include "models/ethernet/network/network.h"
#include "models/ethernet/network/pfc.h"
#include "tlm/kernel/splitmix64.h"
#include "tlm/link/line.h"

namespace wafertlm::ethernet {

/// Switches that pause each other for ever.
class Deadlock : public std::runtime_error {
 public:
  Deadlock(const std::string& what, std::vector<std::uint32_t> of)
      : std::runtime_error(what), ports(std::move(of)) {}
  std::vector<std::uint32_t> ports;  ///< that wait for each other, in order
};

/// Why a port was paused: packets waited, here or switches further on, for an output that took too little,
/// the root of the tree of pauses; the packet that was too much belonged to `work`.
struct PauseOrigin {
  std::uint32_t root = 0;
  std::uint64_t work = 0;
  bool operator==(const PauseOrigin& other) const { return root == other.root && work == other.work; }
};

/// What the engine tells about messages, and about pauses when they are over.
class MessageListener {
 public:
  virtual void on_delivered(std::uint64_t message, TimePs now) = 0;   ///< all of it is at the receiver
  virtual void on_left(std::uint64_t /*message*/, TimePs /*now*/) {}  ///< its last byte has left the sender
  virtual void on_acknowledged(std::uint64_t /*message*/, TimePs /*now*/) {}
  /// The queue pair that it had of its own is gone.
  virtual void on_closed(std::uint64_t /*message*/, const QueuePairCounters&) {}
  virtual void on_paused(std::uint32_t /*port*/, const PauseOrigin&, TimePs /*from*/, TimePs /*to*/) {}

 protected:
  ~MessageListener() = default;
};

struct PortCounters {
  std::uint64_t packets = 0, wire_bytes = 0;      ///< sent, of all kinds
  std::uint64_t payload_bytes = 0;                ///< sent, of data, with what was sent again
  std::uint64_t marks = 0, drops = 0, trims = 0;  ///< at this output
  std::uint64_t pauses = 0;                       ///< pause frames that this port has sent
  TimePs paused_ps = 0;                           ///< how long its data had to wait
  std::uint64_t most_queued_bytes = 0;
};

/// How long a port was paused for one reason.
struct PauseCause {
  std::uint32_t port = 0, root = 0;
  std::uint64_t work = 0;
  TimePs paused_ps = 0;
};

/// Packets of RoCE in an Ethernet, event by event, free of SystemC: NICs with queue pairs, congestion control
/// and transport, switches with a shared buffer, pause frames with their wire and response times. Two events
/// per packet and hop: a tail (cut-through: a head) arrives, a line is free.
class EthernetEngine {
 public:
  /// @throws std::invalid_argument: headroom below the formula; a buffer smaller than the headroom of its
  /// ports; a pause that ends before it can be repeated.
  EthernetEngine(Network network, const EthernetParams& params, MessageListener& listener);

  /// A connection; several between the same hosts have several hashes.
  std::uint32_t open(std::uint32_t from, std::uint32_t to);
  /// `message` is the caller's number, `work` what it belongs to (PauseOrigin). Messages of a queue pair go
  /// one after the other. Requires bytes > 0, now >= the time of what happened last.
  void send(std::uint32_t queue_pair, std::uint64_t bytes, std::uint64_t message, TimePs now,
            std::uint64_t work = 0);

  /// Over a queue pair of its own: another hash, and a congestion control that remembers nothing. What it
  /// keeps of one grows with the messages that have packets under way (live_queue_pairs()).
  void send_alone(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint64_t message,
                  TimePs now, std::uint64_t work = 0);

  /// kNever: nothing is under way.
  TimePs next_ps() { return events_.empty() ? kNever : events_.next_ps(); }
  /// All that is due at `until` or before. @throws Deadlock
  void run(TimePs until = kNever - 1);
  TimePs now() const { return now_; }

  const Network& network() const { return network_; }
  const EthernetParams& params() const { return params_; }
  PortCounters counters(std::uint32_t port) const;
  /// By port, root and work.
  std::vector<PauseCause> pause_causes() const;
  /// Bytes of data that packets found before them when they joined the output's queue (watch_queues).
  const LogHistogram& queue_found(std::uint32_t port) const { return ports_[port].found; }
  /// What a message takes at least that is divided over so many queue pairs: its bytes on the slowest cable
  /// (the hosts' own only, where packets of a queue pair take several ways), and the way of its last packet,
  /// on an idle network.
  TimePs alone_ps(std::uint32_t from, std::uint32_t to, std::uint32_t queue_pairs, std::uint64_t bytes);
  /// That there have been.
  std::uint64_t queue_pairs() const { return connections_; }
  std::uint64_t live_queue_pairs() const { return pairs_.size(); }  ///< at most at a time
  const QueuePairCounters& queue_pair(std::uint32_t number) const;
  QueuePairCounters all_queue_pairs() const;
  /// Of a queue pair whose network is idle: a full packet and its ACK.
  TimePs base_rtt_ps(std::uint32_t queue_pair) const { return control(queue_pair).path().base_rtt_ps; }
  const nic::CongestionControl& control(std::uint32_t queue_pair) const;
  std::uint64_t queued_bytes(std::uint32_t port) const { return ports_[port].data.bytes(); }
  std::uint64_t buffered_bytes(std::uint32_t node) const;  ///< in the pool of a switch
  std::uint64_t headroom_used(std::uint32_t port) const;   ///< most, of the input behind this port
  std::uint64_t headroom_of(std::uint32_t port) const;     ///< there is
  std::uint64_t packet_hops() const { return hops_; }
  std::uint64_t events() const { return event_count_; }
  std::uint64_t drops() const { return drops_; }
  /// Frames on their way: 0 at rest.
  std::uint64_t frames() const { return frames_.in_use(); }
  /// What it keeps when nothing is under way. Counters of queue pairs one by one, since there may be more
  /// later.
  void list_state(StateVisitor& state);
  void list_counters(std::uint32_t queue_pair, StateVisitor& state) {
    pairs_[queue_pair].counters.list_state(state);
  }
  /// Paused ports whose packets wait for each other only, now. Empty: none.
  std::vector<std::uint32_t> locked_ports() const;

 private:
  enum class What : std::uint32_t {
    arrive,
    deliver,
    line_free,
    pause,
    resume,
    refresh,
    ready,
    timer,
    timeout,
    pull
  };
  struct PortState {
    explicit PortState(const Port& of) : port(of), line(of.bytes_per_s) {}
    // What every packet touches comes first.
    Port port;
    std::uint32_t local = 0;  // number at its node
    std::uint32_t controls_in_row = 0;
    bool busy = false;
    bool refreshes = false;                              // a wake-up is on its way to repeat it
    std::uint32_t sending_bytes = 0, sending_input = 0;  // whose buffer becomes free at the end
    std::optional<std::uint32_t> pause_to_send;          // quanta
    PauseTimer pause;
    Line line;
    PortQueue control, data;
    EcnParams ecn;
    PortCounters counters;
    TimePs paused_since = kNever, xoff_ps = 0;  // XOFF: the last time
    PauseOrigin asks_for;                       // of the pause that it asks its other end for,
    PauseOrigin keeps_to;                       // and of the one that it keeps to
    LogHistogram found;

    void list_state(StateVisitor& state, const EthernetParams& params);
  };

  void happen(const EventQueue::Event& event);
  void prefetch() const;
  void schedule(TimePs at, What what, std::uint32_t whom, std::uint32_t quanta = 0) {
    events_.push(at, static_cast<std::uint32_t>(what) | quanta << 8, whom);
  }

  // Ports.
  void serve(std::uint32_t port);
  void transmit(std::uint32_t port, std::uint32_t frame);
  void transmit_pause(std::uint32_t port);
  void line_free(std::uint32_t port);
  void take_pause(std::uint32_t port, std::uint32_t quanta);
  void end_pause(std::uint32_t port);
  bool is_paused(const PortState& port) const { return port.pause.is_paused(now_); }

  // Switches.
  void arrive_at_switch(std::uint32_t node, std::uint32_t frame);
  std::uint32_t hashed_port(std::uint32_t node, const Frame& frame, PortList ways) const {
    if (ways.size() == 1) return ways.front();
    if (params_.switches.balance == LoadBalance::in_turn) return ways[frame.hash % ways.size()];
    return ways[hashed_way(frame.hash, node_seeds_[node], ways.size())];
  }
  std::uint32_t choose_port(std::uint32_t node, Frame& frame) const;
  void mark(PortState& port, Frame& frame);
  bool make_room(std::uint32_t node, std::uint32_t out, std::uint32_t frame);
  void release_buffer(std::uint32_t node, std::uint32_t in_port, std::uint32_t bytes);
  void request_pause(std::uint32_t in_port, std::uint32_t quanta);
  void refresh_pause(std::uint32_t in_port);
  TimePs refresh_ps(const PortState& in) const {
    return in.xoff_ps + pause_ps(params_.switches.pause_quanta / 2, in.port.bytes_per_s);
  }
  void check_deadlock() const;

  // NICs.
  void require_hosts(std::uint32_t from, std::uint32_t to) const;
  QueuePair& new_pair(std::uint32_t from, std::uint32_t to, std::uint32_t connection);
  QueuePair& make_pair(std::uint32_t own);
  QueuePair& pair_of(std::uint32_t id) {
    if ((id & OwnMessage::kFlag) == 0) return pairs_[id];
    const std::uint32_t own = id & ~OwnMessage::kFlag, pair = own_[own].queue_pair;
    return pair != OwnMessage::kNobody ? pairs_[pair] : make_pair(own);
  }
  std::uint64_t work_of(const Frame& frame) const;
  std::uint32_t new_frame(const QueuePair& pair);
  void release(std::uint32_t frame);
  void leave(QueuePair& pair);
  void arrive_at_host(std::uint32_t frame);
  void take(QueuePair& pair, std::uint32_t frame);
  void receive_data(QueuePair& pair, std::uint32_t frame);
  void receive_answer(QueuePair& pair, std::uint32_t frame);
  void answer(QueuePair& pair, std::uint32_t frame, const nic::Answer& answer);
  void deliver(QueuePair& pair);
  void progress(QueuePair& pair, const nic::SendSequence::Progress& made, bool trimmed);
  void send_control(std::uint32_t host, QueuePair& pair, Frame::Kind kind, std::uint32_t wire_bytes);
  void put_control(std::uint32_t host, std::uint32_t frame);
  void pull(std::uint32_t host);
  void choose_way(QueuePair& pair, Frame& frame);
  bool may_send(const QueuePair& pair, std::uint32_t payload) const;
  bool send_data(std::uint32_t host);
  bool send_packet(QueuePair& pair, std::uint32_t port);
  void make_ready(QueuePair& pair);
  void ask_timer(QueuePair& pair);
  void watch(QueuePair& pair);
  void time_out(QueuePair& pair);
  Way& way(std::uint32_t from, std::uint32_t to);
  nic::PathParams path_params(const std::vector<std::uint32_t>& ports) const;
  double bdp_bytes(const std::vector<std::uint32_t>& ports) const;
  TimePs idle_ps(const std::vector<std::uint32_t>& ports, std::uint32_t wire_bytes, bool back) const;

  const Network network_;
  const EthernetParams params_;
  const nic::SchemeNeeds needs_;
  MessageListener& listener_;
  EventQueue events_;
  FramePool frames_;
  Random random_;
  TimePs now_ = 0;
  std::vector<PortState> ports_;
  std::vector<std::unique_ptr<SharedBuffer>> buffers_;  // by switch
  std::vector<std::uint64_t> headroom_;                 // by port
  std::vector<std::uint64_t> node_seeds_;               // of hashes
  std::vector<TimePs> response_;                        // by port: of who is paused there
  using PauseKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // port, root, work
  std::map<PauseKey, TimePs> paused_by_;                                     // that are over
  std::deque<QueuePair> pairs_;
  std::vector<std::uint32_t> free_pairs_;  // of messages that are over
  std::deque<OwnMessage> own_;
  std::vector<std::uint32_t> free_own_;
  QueuePairCounters closed_;                     // of queue pairs that are gone
  std::vector<std::uint32_t> place_of_;          // by host: hosts with equal ways have one number
  std::unordered_map<std::uint64_t, Way> ways_;  // by places
  std::vector<NicHost> hosts_;
  std::uint64_t hops_ = 0, event_count_ = 0, drops_ = 0, connections_ = 0;
};

}  // namespace wafertlm::ethernet
