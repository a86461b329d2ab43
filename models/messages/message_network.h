// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/endpoint/message_matcher.h"
#include "models/messages/message_ports.h"
#include "models/messages/message_rank.h"
#include "tlm/scheduler.h"

namespace wafertlm {

/// A fabric and the endpoints of its NPUs in one engine, which carries whole messages: an event per message
/// and hop and one at its end, and the state of a rank side by side. It does what models/endpoint does with
/// the programs of collectives, without a memory, flows, errors or faults.
///
/// At each instant everything that is due happens first, then ports choose; those that are equal go by the
/// number of their operation and strand. So nothing depends on the order of events.
class MessageNetwork final : public MessageService, private Wakeable {
 public:
  /// `ports` has a vertex for each of the NPUs first.
  MessageNetwork(std::uint32_t npus, const WireFormat& format, const ClassTable& classes,
                 Scheduler& scheduler);

  /// The links; all of them before the simulation starts.
  MessagePorts& ports() { return ports_; }
  const MessagePorts& ports() const { return ports_; }

  void connect(NpuId npu, MessageListener& listener, const MessageCosts& costs) override;
  void start_collective(NpuId npu, const CollectiveStart& start, TimePs now) override;
  void start_send(NpuId npu, NpuId peer, std::uint64_t tag, std::uint64_t bytes, ClassId traffic_class,
                  std::uint64_t token, TimePs now) override;
  void start_receive(NpuId npu, NpuId peer, std::uint64_t tag, std::uint64_t token, TimePs now) override;
  std::vector<std::string> pending(NpuId npu) const override;

  void observe(LinkObserver& observer) { observer_ = &observer; }
  /// Messages that are not taken in yet.
  std::uint64_t messages() const { return records_.in_use(); }

 private:
  /// Who waits for a message: a step, or a point-to-point operation.
  struct Waiter {
    MessageRank* rank = nullptr;
    std::uint64_t token = 0;
    std::uint64_t bytes = 0;
    std::uint32_t strand = 0, step = 0;
    bool reduces = false, posted = false;
  };
  struct Npu {
    MessageListener* listener = nullptr;
    MessageRank* recent = nullptr;                    // that a message came for
    std::uint32_t early = 0;                          // messages in the matcher
    std::vector<std::unique_ptr<MessageRank>> ranks;  // collectives that it is in
    MessageMatcher<Waiter, MessageRecord> matcher;
  };
  /// A line is free, and somebody waits for it.
  struct PortWake final : Wakeable {
    explicit PortWake(MessageNetwork& of) : owner(of) {}
    void wake(std::uint32_t port, TimePs now) override { owner.line_free(port, now); }
    MessageNetwork& owner;
  };
  static constexpr std::uint32_t kChoose = ~std::uint32_t{0};

  void wake(std::uint32_t what, TimePs now) override;
  void prefetch(std::uint32_t what, unsigned depth) const override;
  void due(MessageRecord& record, MessageRecord::Event event, TimePs at);

  // Links.
  void launch(MessageRecord& message, TimePs now);
  void ask(std::uint32_t port, TimePs now);
  void line_free(std::uint32_t port, TimePs now);
  void choose(TimePs now);
  void serve(std::uint32_t port, TimePs now);

  // Endpoints.
  void begin(MessageRank& rank, TimePs now);
  void advance(MessageRank& rank, std::uint32_t strand, TimePs now);
  bool start_step(MessageRank& rank, std::uint32_t strand, TimePs now);
  void local_done(MessageRank& rank, std::uint32_t strand, TimePs now);
  void send_step(MessageRank& rank, std::uint32_t strand, const Step& step, TimePs now);
  void expect(const MessageKey& key, Npu& at, const Waiter& waiter, TimePs now);
  void step_done(MessageRank& rank, std::uint32_t strand, TimePs now);
  void resume_parked(MessageRank& rank, std::uint32_t strand, TimePs now);
  void arrived(MessageRecord& message, TimePs now);
  TimePs match(MessageRecord& message, const Waiter& waiter);
  void take_after(TimePs cost, MessageRecord& message, TimePs now);
  void take(MessageRecord& message, TimePs now);
  void store(MessageRank& rank, std::uint32_t strand, std::uint32_t step, const std::byte* from);
  void store_taken(MessageRank& rank, std::uint32_t strand);
  void ended(MessageRank& rank, TimePs now);
  static MessageRank* rank_of(Npu& npu, std::uint64_t operation);
  TimePs reduction_ps(std::uint64_t bytes);

  Scheduler& scheduler_;
  MessageRecords records_;
  MessagePorts ports_;
  std::vector<Npu> npus_;
  MessageCosts costs_;
  PortWake port_wake_{*this};
  std::vector<std::uint32_t> due_ports_;  // choose at the end of this instant
  std::uint32_t next_order_ = 0;
  std::uint64_t reduced_bytes_ = 0;  // of the last reduction
  TimePs reduced_ps_ = 0;            // … and its cost
  LinkObserver* observer_ = nullptr;
};

}  // namespace wafertlm
