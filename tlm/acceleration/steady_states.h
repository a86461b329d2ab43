// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tlm/acceleration/state_record.h"
#include "tlm/acceleration/steady_source.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/message.h"
#include "tlm/packets/protocol.h"

namespace wafertlm {

class SwitchModule;

/// What was not simulated because it repeats.
struct SteadyCounts {
  std::uint64_t stretches = 0;  ///< of time, of one component each
  std::uint64_t periods = 0;    ///< in them
  std::uint64_t packets = 0;    ///< that left their sources in them
  std::uint64_t verified = 0;   ///< stretches that were simulated, or a period behind them, and compared
  std::uint64_t put_back = 0;   ///< stretches that something came into
  std::uint64_t started = 0;    ///< packets of the messages that were simulated, with those in periods
  std::uint64_t of_short = 0;   ///< of these, of messages that are too short to be looked at
};

/// Skips what repeats, exactly.
///
/// Messages that share an output, directly or through others, are a *component*: what happens to one part of
/// it depends on nothing else, until a message begins or ends. Long messages soon move in step, and the state
/// of the component (all that its outputs and sources list, times seen from now) is what it was a period
/// before. It will then repeat, so that k periods can be skipped at once: all its times are moved on by k
/// periods, all counts by k times what one adds.
///
/// k is as large as nothing can come in between: no message of the component ends, nothing else is due
/// (Scheduler::quiet_until_ps), no other message can have ended and started something.
class SteadyStates final : private AfterInstant {
 public:
  /// Packets of messages are at most `packet_bytes` large; messages of few packets are left alone. With a
  /// seed a tenth of what would be skipped, chosen at random, is simulated instead, and compared; behind
  /// everything else a period is.
  SteadyStates(Scheduler& scheduler, std::uint32_t packet_bytes,
               std::optional<std::uint64_t> verify_seed = {});
  SteadyStates(const SteadyStates&) = delete;
  SteadyStates& operator=(const SteadyStates&) = delete;

  /// The injection port of an endpoint, of this speed, and what it leads to.
  void add_source(NpuId endpoint, SteadySource& source, FabricForwardIf& leads_to, std::uint64_t bytes_per_s);

  // An endpoint says what becomes of a message.
  /// A message, or a contribution to a flow that has been admitted.
  void starts(Message& message);
  /// What a flow brings to a receiver.
  void starts_result(Message& message, const Flow& flow);
  /// Message::watch has counted down to 0 with a packet that was made.
  void look_at(Message& message);
  /// Its last packet has been made.
  void ends(Message& message);
  /// All of it is there.
  void arrived(Message& message);

  /// There are components, so that the scheduler must stop between instants.
  bool is_looking() const { return components_.size() != free_components_.size(); }
  const SteadyCounts& counts() const { return counts_; }
  /// While it looks the scheduler has no windows of time, which costs.
  void looking_forgoes_windows() { forgoes_windows_ = true; }

 private:
  using PartNumber = std::uint32_t;
  using Route = std::vector<PartNumber>;  // the source, and the outputs behind it
  /// An output of a switch, or a source.
  struct Part {
    SwitchModule* at = nullptr;
    PortId output{};
    SteadySource* source = nullptr;
    std::uint32_t component = kNone;
    PartNumber root = 0;  // of those that messages join, while components are looked for
    std::uint64_t search = 0;
  };
  /// What is under way.
  struct Transfer {
    Message* message;    // null: a contribution that has left, of a flow that is still open
    const Route* route;  // empty: not known
    const Flow* flow = nullptr;
    FlowKey key;  // of the flow
  };
  struct OpenFlow {
    const Flow* flow = nullptr;
    std::map<NpuId, Route> routes;  // of its contributions
  };
  struct Component {
    std::vector<Message*> messages;
    std::vector<PartNumber> parts;
    Message* marker = nullptr;
    bool has_flows = false;
    std::size_t differing_part = 0;         // at which the last comparison ended
    std::uint32_t looks = 0;                // since it is there
    std::uint32_t next_reference = 1;       // look at which there is a new one
    StateRecord reference;                  // at a later time than now: it has been moved on
    std::vector<std::uint64_t> growth;      // of counts in a period
    std::vector<std::uint64_t> of_message;  // bytes that a period sends of each
    TimePs period_ps = 0;                   // 0: not known
    std::uint64_t packets = 0;              // that leave their sources in a period
    StateRecord expected;                   // while it is verified
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void after_instant(TimePs now) override;
  bool may_look();
  void rest(TimePs now);
  std::uint64_t events_looking() const;
  const Route& route(const Message& message);
  bool walk_flow(const Flow& flow, const LinkEnd& from, Route& route);
  void add(Message& message, const Route* route, const Flow* flow);
  void remove(std::uint32_t transfer);
  PartNumber part(SwitchModule* at, PortId output, SteadySource* source);
  PartNumber root_of(PartNumber part);
  enum class Found { component, not_yet, nothing };
  Found find_component(Message& marker);
  void dissolve(std::uint32_t component, std::uint32_t packets);
  void compare(Component& component, TimePs now);
  bool is_same(Component& component, TimePs now, std::vector<std::uint64_t>& growth);
  void list(Component& component, StateVisitor& state);
  std::uint64_t periods_to_skip(const Component& component, TimePs now);
  TimePs next_end_ps(const Component& but, TimePs now);
  void forget_closed_flows();
  std::uint64_t periods_undisturbed(const Component& component, TimePs now);
  void skip(Component& component, std::uint64_t periods, TimePs now);
  void move(Component& component, TimePs at, std::uint64_t periods);
  void ask_again(const Component& component);
  void put_back(Component& component);
  void skip_and_expect(Component& component, std::uint64_t periods, TimePs now);
  void expect(Component& component, std::uint64_t periods, TimePs now);
  void verify(Component& component, TimePs now);
  [[noreturn]] void fail(const Component& component, const std::string& what) const;

  struct Source {
    SteadySource* source = nullptr;
    FabricForwardIf* leads_to = nullptr;
    std::uint64_t bytes_per_s = 0;
    std::vector<std::unique_ptr<const Route>> routes;  // by destination, as they are needed
  };
  Scheduler& scheduler_;
  const std::uint32_t packet_bytes_;
  std::optional<std::mt19937_64> verify_;
  std::vector<Source> sources_;  // by endpoint
  std::vector<Part> parts_;
  std::map<std::pair<const void*, PortId>, PartNumber> part_numbers_;
  std::vector<Transfer> active_;  // from start to arrival
  std::map<FlowKey, OpenFlow> open_flows_;
  std::uint64_t fastest_ = 1;  // source or link, bytes/s
  std::vector<std::unique_ptr<Component>> components_;
  std::vector<std::uint32_t> free_components_;
  std::vector<Message*> due_;  // to look at after this instant
  std::uint64_t search_ = 0;
  std::vector<std::uint64_t> growth_;  // scratch
  SteadyCounts counts_;
  // What searching has cost.
  std::uint64_t listed_ = 0;         // values
  std::uint64_t looked_ = 0;         // events while there were components, but for the present ones
  std::uint64_t looking_since_ = 0;  // event
  bool forgoes_windows_ = false;
  bool rests_ = false;
};

}  // namespace wafertlm
