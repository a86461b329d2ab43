// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/messages/message_carrier.h"
#include "models/messages/message_flows.h"
#include "models/messages/message_ports.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/packets/message_matcher.h"
#include "tlm/packets/message_service.h"
#include "tlm/program/step_runner.h"
#include "tlm/program/step_values.h"
#include "tlm/shape/equal_places.h"

namespace wafertlm {

/// A receive that has been posted.
struct ExpectedMessage {
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  std::uint64_t tag = 0, bytes = 0;
  std::uint32_t source = kNobody;                          ///< NPU
  std::uint32_t step : 30, reduces : 1, has_own_cost : 1;  ///< Step::reduced_bytes
};

/// A threadblock of a rank, with its stage and the messages that it expects.
struct MessageThreadblock : Threadblock {
  TimePs entered_ps = 0;  ///< when its stage began
  std::uint64_t port_order = 0;
  /// Where programs keep threadblocks (StepSource::keeps_threadblocks) the first receives are here, beside
  /// the rest; of more there is only the count, and their steps are found when they come: so many behind the
  /// sender's as the last time.
  std::array<ExpectedMessage, 8> expected{};
  std::uint32_t unlisted = 0, behind = 0;
};

/// A rank in a collective.
struct MessageRank : ProgramRun<MessageThreadblock> {
  CollectiveStart start;
  NpuId npu{};
  bool keeps_threadblocks = false;
  ReceivedValues received;

  RankBuffer buffer() const { return {start.buffer, start.data_type}; }
};

/// The wiring of a fabric whose NPU 0 stands for all NPUs (EqualPlaces), with one switch for each dimension
/// that has switches: links that leave a place come in at the same one.
class OneForAll {
 public:
  /// The NPU whose place a message is at behind the link, if it was at NPU 0's before; NPU 0: the same, since
  /// the link leads to a switch.
  virtual NpuId behind(const MessagePort& link, NpuId destination) const = 0;
  /// The inputs of the vertex have other numbers at other places.
  virtual bool numbers_inputs(std::uint32_t vertex) const = 0;
  /// The message crosses the link, by a program with these places.
  virtual void crosses(const MessagePort& link, const EqualPlaces& places) = 0;

 protected:
  ~OneForAll() = default;
};

/// A fabric and the endpoints of its NPUs in one engine, which carries whole messages: an event per message
/// and hop and one at its end, and the state of a rank side by side. It does what models/endpoint does with
/// the programs of collectives (both are hosts of a StepRunner), without a memory, errors or faults.
///
/// At each instant everything that is due happens first, then ports choose; those that are equal go by the
/// number of their operation and threadblock. So nothing depends on the order of events.
class MessageNetwork final : public MessageService, private Wakeable {
 public:
  /// `ports` has a vertex for each of the NPUs first.
  MessageNetwork(std::uint32_t npus, const WireFormat& format, const ClassTable& classes,
                 Scheduler& scheduler, const MessageRules& rules = {});

  /// The links; all of them before the simulation starts.
  MessagePorts& ports() { return ports_; }
  const MessagePorts& ports() const { return ports_; }

  Communication& connect(NpuId npu, MessageListener& listener, const MessageCosts& costs) override;

  /// Its one NPU stands for all, all of whose operations are collectives with places.
  void stands_for_all(OneForAll& wiring) { wiring_ = &wiring; }
  /// It moves the messages; ports() have no links then.
  void carried_by(MessageCarrier& carrier) { carrier_ = &carrier; }
  /// By the carrier: all of it has left the sender, and later: all of it is there.
  void message_left(std::uint32_t record, TimePs now) { left(records_[record], now); }
  void message_arrived(std::uint32_t record, TimePs now) { arrived(records_[record], now); }

  void observe(LinkObserver& observer) { observer_ = &observer; }
  /// Messages that are not taken in yet.
  std::uint64_t messages() const { return records_.in_use(); }
  /// What it keeps when nobody is in an operation.
  void list_state(StateVisitor& state);

 private:
  using Runner = StepRunner<MessageNetwork, MessageRank>;
  friend Runner;
  /// Who waits for a message: a step, or a point-to-point operation.
  struct Waiter {
    MessageRank* rank = nullptr;
    std::uint64_t token = 0;
    std::uint64_t bytes = 0;
    std::uint64_t reduced_bytes = 0;  ///< that it pays for
    std::uint32_t threadblock = 0, step = 0;
    bool nonblocking = false;
  };
  static Waiter waiter_of(MessageRank& rank, std::uint32_t threadblock, std::uint32_t number,
                          const Step& step);
  struct Npu final : Communication {
    void start_collective(const CollectiveStart& start, TimePs now) override {
      network->start_collective(*this, start, now);
    }
    void start_send(NpuId peer, std::uint64_t tag, std::uint64_t bytes, ClassId traffic_class,
                    std::uint64_t of_token, TimePs now) override;
    void start_receive(NpuId peer, std::uint64_t tag, std::uint64_t of_token, TimePs now) override;
    std::vector<std::string> pending() const override;
    std::uint64_t early_bytes_high_water() const override { return early_bytes_most; }
    MessageRank* rank_of(std::uint64_t operation);
    void keep_early(MessageRecord& message);
    MessageRecord& take_early(const MessageMatcher<Waiter, MessageRecord>::Entry& entry);

    MessageNetwork* network = nullptr;
    NpuId id{};
    std::uint32_t early = 0;  // messages in the matcher
    MessageListener* listener = nullptr;
    MessageRank* recent = nullptr;                    // that a message came for
    std::vector<std::unique_ptr<MessageRank>> ranks;  // collectives that it is in
    MessageMatcher<Waiter, MessageRecord> matcher;
    std::uint64_t early_bytes = 0, early_bytes_most = 0;
  };
  /// A line is free, and somebody waits for it.
  struct PortWake final : Wakeable {
    explicit PortWake(MessageNetwork& of) : owner(of) {}
    void wake(std::uint32_t port, TimePs now) override { owner.line_free(port, now); }
    MessageNetwork& owner;
  };
  /// The source of what a switch has added up.
  static constexpr NpuId kFromSwitch = static_cast<NpuId>(ExpectedMessage::kNobody);
  static constexpr std::uint32_t kChoose = ~std::uint32_t{0}, kLaunch = kChoose - 1;

  void wake(std::uint32_t what, TimePs now) override;
  void prefetch(std::uint32_t what, unsigned depth) const override;
  void due(MessageRecord& record, MessageRecord::Event event, TimePs at);

  // Links.
  void launch(MessageRecord& message, TimePs now);
  void launch_at(MessageRecord& message, TimePs at);
  void reach(MessageRecord& message, TimePs now);
  void distribute(const MessageRecord& last, MessageFlows::Sum sum, std::uint32_t vertex, TimePs now);
  void ask(std::uint32_t port, TimePs now);
  void line_free(std::uint32_t port, TimePs now);
  void choose(TimePs now);
  void serve(std::uint32_t port, TimePs now);
  void left(const MessageRecord& message, TimePs at);
  void follow(const MessagePort& port, MessageRecord& message);
  bool is_at(std::uint32_t vertex, NpuId npu) const {
    return vertex < npus_.size() && vertex == static_cast<std::uint32_t>(npu);
  }

  // Endpoints: StepRunner's host.
  void stage_started(MessageRank& rank, std::uint32_t threadblock, const Step& step, TimePs now);
  void send(MessageRank& rank, std::uint32_t threadblock, const Step& step, TimePs now);
  NpuId flow_member(const MessageRank& rank, const Step& step);
  void receive(MessageRank& rank, std::uint32_t threadblock, const Step& step, TimePs now);
  void delay(MessageRank& rank, std::uint32_t threadblock, TimePs until);
  void work(MessageRank& rank, std::uint32_t threadblock, const Step& step);
  void received_all(MessageRank& rank, std::uint32_t threadblock);
  void program_done(MessageRank& rank, TimePs now);

  // … and their messages.
  void start_collective(Npu& at, const CollectiveStart& start, TimePs now);
  void ended(MessageRank& rank);
  void sent(MessageRecord& left, TimePs now);
  void expect(const MessageKey& key, Npu& at, const Waiter& waiter, TimePs now);
  static void expect_beside_rank(const MessageKey& key, const Waiter& waiter);
  static std::uint32_t step_for(const MessageRecord& message, MessageRank& rank);
  void arrived(MessageRecord& message, TimePs now);
  TimePs match(MessageRecord& message, const Waiter& waiter);
  void take_after(TimePs cost, MessageRecord& message, TimePs now);
  void take(MessageRecord& message, TimePs now);
  TimePs reduction_ps(std::uint64_t bytes);

  Scheduler& scheduler_;
  const MessageRules rules_;
  MessageRecords records_;
  MessagePorts ports_;
  MessageFlows flows_;
  std::vector<Npu> npus_;
  Runner runner_{*this};
  MessageCosts costs_;
  PortWake port_wake_{*this};
  std::vector<std::uint32_t> due_ports_;                   // choose at the end of this instant
  std::map<TimePs, std::vector<std::uint32_t>> launches_;  // records, for the carrier
  std::uint32_t next_order_ = 0;
  std::uint64_t reduced_bytes_ = 0;  // of the last reduction
  TimePs reduced_ps_ = 0;            // … and its cost
  LinkObserver* observer_ = nullptr;
  MessageCarrier* carrier_ = nullptr;  // null: ports_
  OneForAll* wiring_ = nullptr;        // null: each NPU stands for itself
};

}  // namespace wafertlm
