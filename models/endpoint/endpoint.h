// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "models/endpoint/endpoint_params.h"
#include "models/endpoint/fault.h"
#include "models/endpoint/injector.h"
#include "models/endpoint/memory_traffic.h"
#include "models/endpoint/reliability.h"
#include "models/endpoint/timed_queue.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/message.h"
#include "tlm/packets/message_matcher.h"
#include "tlm/packets/message_service.h"
#include "tlm/program/program.h"
#include "tlm/program/step_runner.h"
#include "tlm/program/step_values.h"

namespace wafertlm {

class SteadyStates;
struct FabricForwardIf;

/// What an endpoint tells its shell.
class EndpointHost : public MessageListener {
 public:
  /// The head of `packet` leaves now and reaches the fabric at `head_ps`; hands the packet over.
  virtual void inject(Packet& packet, TimePs head_ps) = 0;
  /// Call Endpoint::wake_injector / wake_timer at `at`.
  virtual void request_injector_wake(TimePs at) = 0;
  virtual void request_timer_wake(TimePs at) = 0;
  /// Endpoints with EndpointParams::memory_traffic only: read or write the memory;
  /// Endpoint::memory_done(token) follows, not from within this call.
  virtual void access_memory(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token);

 protected:
  ~EndpointHost() = default;
};

/// The program executor: sends and receives messages, runs the steps of collectives, and matches what arrives
/// with the step that waits for it. It always accepts: data that arrives before its step is posted lands in
/// memory.
class Endpoint final : public Communication,
                       private InjectorHost,
                       private MemoryTrafficHost,
                       private FlowParty,
                       private ReliabilityHost {
 public:
  Endpoint(NpuId npu, const InjectorParams& injector, const ClassTable& classes, PacketPool& packets,
           MessagePool& messages, EndpointHost& host, const EndpointParams& params = {});
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  void start_collective(const CollectiveStart& start, TimePs now) override;
  void start_send(NpuId peer, std::uint64_t tag, std::uint64_t bytes, ClassId traffic_class,
                  std::uint64_t token, TimePs now) override;
  void start_receive(NpuId peer, std::uint64_t tag, std::uint64_t token, TimePs now) override;

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
  /// Who skips what repeats; `leads_to` is behind the injection port.
  void set_steady_states(SteadyStates& steady, FabricForwardIf& leads_to);
  /// What is kept when no operation is under way (tlm/acceleration).
  void list_state(StateVisitor& state);
  /// Puts `fault` into a packet that leaves here.
  void set_fault(Fault& fault) { fault_ = &fault; }

  /// Null without Go-Back-N.
  const ReliabilityCounters* reliability() const {
    return reliability_ ? &reliability_->counters() : nullptr;
  }
  std::vector<std::string> pending() const override;
  /// Who waits here for `message`, of which all has left its sender and not all has arrived; one line.
  std::string missing(const Message& message) const;
  const SwitchCore& injection_port() const { return injector_.port(); }
  /// Packets cross it and nothing else: no memory, no acknowledgements, no fault.
  bool is_plain() const { return !memory_ && !reliability_ && !fault_; }
  bool has_port_per_link() const { return injector_.has_port_per_link(); }
  /// Of one that is plain: its packets go to `input` of `next` without EndpointHost::inject().
  void lead_to(SwitchCore& next, PortId input) { injector_.lead_to(next, input); }
  /// Tells `observer`, as switch number `number`, about every packet that leaves the injection port.
  void observe(LinkObserver& observer, std::size_t number) { injector_.observe(observer, number); }
  std::uint64_t outstanding_flow_credits() const { return injector_.outstanding_flow_credits(); }
  std::uint64_t early_bytes_high_water() const override { return early_high_water_; }

 private:
  /// The sender of what comes out of a flow.
  static constexpr NpuId kFabric{~std::uint32_t{0}};

  struct State : Threadblock {
    std::uint64_t expected_bytes{};  // by step `done`, if it is a receive that has been started
  };
  /// The stage that a threadblock is in, where ports choose by it.
  struct Stage {
    std::uint64_t port_order = 0, arrival = 0;
    bool has_started = false;
  };
  struct Collective : ProgramRun<State> {
    CollectiveStart start;
    std::vector<Stage> stages;  // by threadblock; empty until one is needed
    ReceivedValues received;

    RankBuffer buffer() const { return {start.buffer, start.data_type}; }
  };
  using Runner = StepRunner<Endpoint, Collective>;
  friend Runner;
  /// Who waits for a message, or for the end of an injection: a step of a collective, or a point-to-point
  /// operation.
  struct Waiter {
    Collective* collective = nullptr;
    std::uint64_t token = 0;  // of a point-to-point operation; of a receive in a collective: its step
    std::uint32_t threadblock = 0;
    bool nonblocking = false;

    std::uint32_t step() const { return static_cast<std::uint32_t>(token); }
  };
  struct Timer {
    enum class Event : std::uint8_t {
      sent,      // all of the waiter's message
      launch,    // the message's step cost is over
      arrived,   // so many bytes of the message, or all of it
      taken,     // by the waiter
      local,     // the waiter's step within its own buffer is over
      finished,  // all of the waiter's collective
      answers,   // something is due in reliability_
    };
    Message* message;
    Waiter waiter;  // arrived: its token is the bytes
    Event event;
    /// At one time in an order that does not depend on which packet was looked at first: event, operation,
    /// tag, source, threadblock, token. All equal: in the order in which they were set.
    using Place = std::tuple<Event, std::uint64_t, std::uint64_t, NpuId, std::uint32_t, std::uint64_t>;
    Place place = {};

    struct Less {
      bool operator()(const Timer& a, const Timer& b) const { return a.place < b.place; }
    };
  };
  /// A message that is to leave.
  struct Sending {
    bool is_used = false;
    Waiter waiter;
    Message* contribution = nullptr;  // if it goes into a flow
  };

  // StepRunner's host.
  void stage_started(Collective& collective, std::uint32_t threadblock, const Step& step, TimePs now);
  void send(Collective& collective, std::uint32_t threadblock, const Step& step, TimePs now);
  void receive(Collective& collective, std::uint32_t threadblock, const Step& step, TimePs now);
  void delay(Collective& collective, std::uint32_t threadblock, TimePs until);
  void work(Collective& collective, std::uint32_t threadblock, const Step& step);
  void received_all(Collective& collective, std::uint32_t threadblock);
  void program_done(Collective& collective, TimePs now);

  void inject(Packet& packet, TimePs head_ps) override;
  void request_wake(TimePs at) override { host_.request_injector_wake(at); }
  void injected(std::uint64_t ticket, TimePs at) override;
  void packet_made(Packet& packet) override { reliability_->made(packet); }
  void watched(Message& message) override;
  void request_reliability_wake(TimePs at) override { set_timer(at, Timer::Event::answers, nullptr, {}); }
  void release(Message& message);
  std::uint64_t make_ticket(const Waiter& waiter, Message* contribution);

  void access_memory(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) override {
    host_.access_memory(write, address, bytes, token);
  }
  void data_available() override { injector_.resume(now_); }
  void flow_granted(const Flow& flow, std::uint64_t credit_bytes, std::uint64_t token, TimePs now) override;
  void flows_decided(bool in_network, std::uint64_t collective_id, TimePs now) override;
  void begin(Collective& collective, TimePs now);
  void end(Collective& collective);
  void message_stored(Message& message) override;

  Message& make_message(const MessageKey& key, NpuId peer, std::uint64_t bytes, ClassId traffic_class);
  void send_message(Message& message, const Waiter& waiter, TimePs now, TimePs delay_ps = 0);
  void launch(Message& message, const Waiter& waiter, TimePs now);
  void enter_flow(Message& contribution, const Waiter& waiter, TimePs now);
  Message& result_of(const Flow& flow);
  void expect(const MessageKey& key, const Waiter& waiter, TimePs now);
  void message_arrived(Message& message, TimePs now);
  void part_arrived(Message& message, std::uint64_t bytes);
  std::optional<Waiter> take_waiter(const Message& message);
  void store_in_memory(Message& message, const Waiter& waiter);
  void keep_early(Message& message);
  void take_in(Message& message, const Waiter& waiter, TimePs now);
  TimePs receive_cost_ps(const Waiter& waiter) const;
  void sent(const Waiter& waiter, TimePs now);
  void handle(const Timer& timer, TimePs now);
  void set_timer(TimePs at, Timer::Event event, Message* message, const Waiter& waiter);
  static std::string name_of(NpuId npu);
  std::string waits(const MessageKey& key, const Waiter& waiter) const;

  NpuId npu_;
  EndpointParams params_;
  EndpointHost& host_;
  MessagePool& messages_;
  PacketPool& packets_;
  Injector injector_;
  Runner runner_{*this};
  std::map<std::uint64_t, std::unique_ptr<Collective>> collectives_;  // by id
  MessageMatcher<Waiter> matcher_;
  std::vector<Sending> sending_;  // by the injector's ticket
  std::vector<std::uint64_t> free_tickets_;
  std::vector<Message*> results_;  // of flows, by their slot, while they arrive
  FlowControl* flow_control_ = nullptr;
  TimedQueue<Timer, Timer::Less> timers_;
  std::optional<MemoryTraffic> memory_;
  std::optional<Reliability> reliability_;
  std::unordered_map<const Message*, Waiter> storing_;  // expected, not yet all in the memory
  TimePs now_ = 0;                                      // of memory_done and timers
  Fault* fault_ = nullptr;
  SteadyStates* steady_ = nullptr;
  std::uint64_t next_arrival_ = 1;
  std::uint64_t early_bytes_ = 0, early_high_water_ = 0;
};

}  // namespace wafertlm
