// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/endpoint/endpoint_params.h"
#include "models/endpoint/fault.h"
#include "models/endpoint/injector.h"
#include "models/endpoint/memory_traffic.h"
#include "models/endpoint/message_matcher.h"
#include "models/endpoint/reliability.h"
#include "tlm/data_type.h"
#include "tlm/fabric/message.h"
#include "tlm/fabric/message_service.h"
#include "tlm/flow.h"
#include "tlm/program.h"
#include "tlm/wake_slot.h"

namespace wafertlm {

/// What an endpoint tells its shell.
class EndpointHost {
 public:
  /// The head of `packet` leaves now and reaches the fabric at `head_ps`; hands the packet over.
  virtual void inject(Packet& packet, TimePs head_ps) = 0;
  /// Call Endpoint::wake_injector / wake_timer at `at`.
  virtual void request_injector_wake(TimePs at) = 0;
  virtual void request_timer_wake(TimePs at) = 0;
  /// A collective, send or receive that was started with `token` is done.
  virtual void communication_done(std::uint64_t token) = 0;
  /// Endpoints with EndpointParams::memory_traffic only: read or write the memory;
  /// Endpoint::memory_done(token) follows, not from within this call.
  virtual void access_memory(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token);

 protected:
  ~EndpointHost() = default;
};

/// The program executor: sends and receives messages, runs the steps of collectives, and matches what arrives
/// with the step that waits for it. It always accepts: data that arrives before its step is posted lands in
/// memory.
class Endpoint : private InjectorHost, private MemoryTrafficHost, private FlowParty, private ReliabilityHost {
 public:
  Endpoint(NpuId npu, const InjectorParams& injector, const ClassTable& classes, PacketPool& packets,
           MessagePool& messages, EndpointHost& host, const EndpointParams& params = {});
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  void start_collective(const CollectiveStart& start, TimePs now);
  void start_send(NpuId peer, std::uint64_t tag, std::uint64_t bytes, ClassId traffic_class,
                  std::uint64_t token, TimePs now);
  void start_receive(NpuId peer, std::uint64_t tag, std::uint64_t token, TimePs now);

  /// A packet whose tail arrives at packet.tail_ps >= now. Takes it over.
  void receive(Packet& packet, TimePs now);
  void credit(const Packet& packet, TimePs at, TimePs now) { injector_.credit(packet, at, now); }
  void wake_injector(TimePs now) { injector_.wake(now); }
  void wake_timer(TimePs now);
  /// @throws std::runtime_error if the access failed.
  void memory_done(std::uint64_t token, bool ok, TimePs now);
  /// Who admits the flows that programs with Step::Kind::flow_send enter.
  void set_flow_control(FlowControl& control) {
    flow_control_ = &control;
    if (reliability_) reliability_->set_flow_control(control);
  }
  /// Puts `fault` into a packet that leaves here.
  void set_fault(Fault& fault) { fault_ = &fault; }

  /// Null without Go-Back-N.
  const ReliabilityCounters* reliability() const {
    return reliability_ ? &reliability_->counters() : nullptr;
  }
  /// What this endpoint still waits for, in words; empty when it is idle.
  std::vector<std::string> pending() const;
  /// Who waits here for `message`, of which all has left its sender and not all has arrived; one line.
  std::string missing(const Message& message) const;
  const SwitchCore& injection_port() const { return injector_.port(); }
  /// Tells `observer`, as switch number `number`, about every packet that leaves the injection port.
  void observe(LinkObserver& observer, std::size_t number) { injector_.observe(observer, number); }
  std::uint64_t outstanding_flow_credits() const { return injector_.outstanding_flow_credits(); }
  std::uint64_t received_bytes() const { return received_bytes_; }
  /// Most bytes that lay here at one time because their step was not posted yet.
  std::uint64_t early_bytes_high_water() const { return early_high_water_; }

 private:
  /// Half a cache line: there are dozens per NPU, and all are visited in turn.
  struct Strand {
    std::uint32_t done = 0;          // steps finished
    std::uint32_t posted = 0;        // receives that are not done
    std::uint64_t expected_bytes{};  // by step `done`, if it is a receive that has been started
    // Those that wait for this strand, in the order in which they parked, as a list through `next_parked`.
    std::uint32_t first_parked = Step::kNone, last_parked = Step::kNone;
    std::uint32_t next_parked = Step::kNone;
    bool running = false;  // step `done` has been started
    bool parked = false;   // … waits for another strand
  };
  /// What few programs need of a strand.
  struct Stage {
    bool has_entered = false;
    std::uint64_t turn = 0, arrival = 0;                    // of its messages, once it has
    std::map<std::uint32_t, std::vector<std::byte>> taken;  // functional mode: what posted receives brought
  };
  struct Collective {
    CollectiveStart start;
    std::vector<Strand> strands;
    std::vector<Stage> stages;  // by strand; empty until one is needed
    std::uint32_t unfinished = 0;

    Stage& stage(std::uint32_t strand) {
      if (stages.empty()) stages.resize(strands.size());
      return stages[strand];
    }
  };
  /// Who waits for a message, or for the end of an injection: a step of a collective, or a point-to-point
  /// operation.
  struct Waiter {
    Collective* collective = nullptr;
    std::uint64_t token = 0;  // of a point-to-point operation; of a receive in a collective: its step
    std::uint32_t strand = 0;
    bool posted = false;
  };
  struct Timer {
    enum class Event : std::uint8_t {
      done,     // of the waiter: its injection, or all of a collective
      launch,   // the message's step cost is over
      arrived,  // so many bytes of the message, or all of it
      taken,    // by the waiter
      local,    // the waiter's step within its own buffer is over
      answers,  // something is due in reliability_
    };
    TimePs at;
    std::uint64_t order;
    Message* message;
    Waiter waiter;  // arrived: its token is the bytes
    Event event;
    bool operator>(const Timer& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  void inject(Packet& packet, TimePs head_ps) override;
  void request_wake(TimePs at) override { host_.request_injector_wake(at); }
  void injected(std::uint64_t ticket, TimePs at) override;
  void packet_made(Packet& packet) override { reliability_->made(packet); }
  void request_reliability_wake(TimePs at) override { set_timer(at, Timer::Event::answers, nullptr, {}); }
  void release(Message& message);
  std::uint64_t make_ticket(const Waiter& waiter, Message* contribution);

  void access_memory(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) override {
    host_.access_memory(write, address, bytes, token);
  }
  void data_available() override { injector_.resume(now_); }
  void flow_granted(const Flow& flow, std::uint64_t room_bytes, std::uint64_t token, TimePs now) override;
  void flows_decided(bool in_network, std::uint64_t collective_id, TimePs now) override;
  void begin(Collective& collective, TimePs now);
  void message_stored(Message& message) override;

  Message& make_message(const MessageKey& key, NpuId peer, std::uint64_t bytes, ClassId traffic_class);
  void send_message(Message& message, const Waiter& waiter, TimePs now, TimePs delay_ps = 0);
  void launch(Message& message, const Waiter& waiter, TimePs now);
  Message& result_of(const Flow& flow);
  void expect(const MessageKey& key, const Waiter& waiter, TimePs now);
  void advance(Collective& collective, std::uint32_t strand, TimePs now);
  bool start_step(Collective& collective, std::uint32_t strand, TimePs now);
  void step_done(Collective& collective, std::uint32_t strand, TimePs now);
  void message_arrived(Message& message, TimePs now);
  void part_arrived(Message& message, std::uint64_t bytes);
  void post_to_memory(Message& message, const Waiter& waiter);
  void wait_for_step(Message& message);
  void match(Message& message, const Waiter& waiter, TimePs now);
  void take_in(Message& message, const Waiter& waiter, TimePs now);
  TimePs receive_cost_ps(const Message& message, const Waiter& waiter) const;
  void start_send_step(Collective& collective, std::uint32_t index, const Step& step, TimePs now);
  static void store(const CollectiveStart& start, std::uint32_t strand, std::uint32_t index,
                    const std::byte* from);
  static void park(Collective& collective, std::uint32_t index, std::uint32_t other);
  void resume_parked(Collective& collective, std::uint32_t index, TimePs now);
  void finish(const Waiter& waiter, TimePs now);
  void set_timer(TimePs at, Timer::Event event, Message* message, const Waiter& waiter);
  std::string waits(const MessageKey& key, const Waiter& waiter) const;

  NpuId npu_;
  EndpointParams params_;
  EndpointHost& host_;
  MessagePool& messages_;
  PacketPool& packets_;
  Injector injector_;
  std::map<std::uint64_t, std::unique_ptr<Collective>> collectives_;  // by id
  MessageMatcher<Waiter> matcher_;
  /// A message that is to leave.
  struct Sending {
    bool is_used = false;
    Waiter waiter;
    Message* contribution = nullptr;  // if it goes into a flow
  };
  std::vector<Sending> sending_;  // by the injector's ticket
  std::vector<std::uint64_t> free_tickets_;
  std::vector<std::uint32_t> resumed_;  // a stack of strands that go on
  std::vector<Message*> results_;       // of flows, by their slot, while they arrive
  FlowControl* flow_control_ = nullptr;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::optional<MemoryTraffic> memory_;
  std::optional<Reliability> reliability_;
  std::unordered_map<const Message*, Waiter> storing_;  // posted, not yet all in the memory
  TimePs now_ = 0;                                      // of memory_done and timers
  Fault* fault_ = nullptr;
  WakeSlot timer_wake_;
  std::uint64_t timer_order_ = 0, next_arrival_ = 1;
  std::uint64_t received_bytes_ = 0, early_bytes_ = 0, early_high_water_ = 0;
};

}  // namespace wafertlm
