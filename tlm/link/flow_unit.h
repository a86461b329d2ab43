// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/kernel/ring_queue.h"
#include "tlm/link/credit_window.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

class SwitchView;

struct FlowUnitParams {
  std::size_t outputs = 0;
  TimePs pipeline_ps = 0;               ///< of the switch; copies pass it on their way to the output
  std::vector<TimePs> credit_delay_ps;  ///< per input: tail out → room known upstream
  std::uint32_t lanes = 8;              ///< queues into the outputs; flows take turns in using them
  std::uint32_t stripes = 1;            ///< that a flow may have at most
  /// Flows of one priority are a phase, and a phase is a setting of the switch. With the rule it changes to
  /// one of higher priority only when every port that the phase reads from below has a packet of it; to a
  /// lower one when no flow above it can go on. Without: at once, each packet brings its setting along.
  bool phase_rule = false;
  TimePs phase_change_ps = 0;                         ///< that a change of the setting takes
  std::array<std::uint32_t, kMaxClasses> priority{};  ///< of each class
};

/// What a flow unit tells the switch around it.
class FlowUnitHost {
 public:
  /// `copy` contends for `output` from now on as if its head came at `head_ps`. Its room in the next buffer
  /// is sure. FlowUnit::copy_left() follows when it is granted.
  virtual void send_copy(PortId output, std::uint32_t lane, Packet& copy, TimePs head_ps) = 0;
  /// The room of `packet` in the buffer of `input` is known free upstream at `at`. The packet is gone then.
  virtual void return_flow_credit(PortId input, Packet& packet, TimePs at) = 0;
  /// All packets of a branch have passed, and the last credit, here and upstream, is home at `at`. Of a flow
  /// with Go-Back-N: nothing of it is in flight.
  virtual void branch_done(const Flow& flow, TimePs at) = 0;
  /// Call FlowUnit::wake() at `at`. Only for flows with Go-Back-N.
  virtual void request_flow_wake(TimePs at) = 0;
  /// As SwitchHost::later.
  virtual TimePs later(TimePs a, TimePs b) { return std::max(a, b); }

 protected:
  ~FlowUnitHost() = default;
};

/// Who is told when a flow has passed a switch.
class FlowListener {
 public:
  /// As FlowUnitHost::branch_done.
  virtual void branch_done(const Flow& flow, TimePs at) = 0;

 protected:
  ~FlowListener() = default;
};

struct FlowRepairCounters {
  std::uint64_t discarded_packets = 0, discarded_bytes = 0;  ///< payload: repeated, or after a missing one
  std::uint64_t answers = 0;                                 ///< control packets sent
};

/// The part of a switch that reduces and distributes. Every input of a flow has a queue of its own. When each
/// has the packet of the same number, and the next buffer behind each output has room for it, they become
/// one:
///   head = max of the heads (and of the times of that room), tail = max of the tails,
/// the values added in the order of the branch, and a copy goes to each output, through the pipeline and the
/// arbitration among all packets. The inputs' room is free when the tail of the last copy has left. No
/// SystemC, and no events: all times are known when the last condition is met.
///
/// With Go-Back-N (Flow::answers) a branch keeps the number of the packet that each input brings next, so
/// that it adds each once. What it has added comes again: discarded. What comes after a missing one:
/// discarded, and that input is asked for it. A wrong packet makes the sum wrong: its mark goes on. Answers
/// of the receivers go up the flow from branch to branch, to every input. Acknowledged is what all outputs
/// have acknowledged. A NACK for a packet that the branch has added sends the branch back to it; for one that
/// is yet to come it is an old one, and ends here. A branch with one input adds nothing and lets repeated
/// packets pass.
class FlowUnit {
 public:
  /// `packets` and `host` must outlive the unit.
  FlowUnit(const FlowUnitParams& params, PacketPool& packets, FlowUnitHost& host);
  ~FlowUnit();

  /// A branch of an admitted flow. `credit_bytes`: per output, reserved in the next buffer; 0: none, the
  /// channel's credits are all there is. A flow may have two branches here, without a port in common, for
  /// each stripe.
  /// @throws std::logic_error if a port is another branch's or the order does not fit.
  void open(const Flow& flow, const FlowBranch& branch, const std::vector<std::uint64_t>& credit_bytes);
  /// Forgets the branches of a flow, which must be done.
  void close(const Flow& flow);

  /// BEGIN_REQ of an in-network packet: its head reaches `input` at `head_ps`.
  /// A packet that is missing before it stops the branch, without Go-Back-N for ever.
  /// @throws std::logic_error if no branch has this input, or if it comes again without Go-Back-N.
  void arrive(PortId input, Packet& packet, TimePs head_ps, TimePs now);
  /// END_REQ of one.
  void credit(PortId output, const Packet& packet, TimePs at, TimePs now);
  /// A copy was granted; its tail leaves at `tail_out_ps`.
  void copy_left(const Packet& copy, TimePs tail_out_ps);
  /// The tails of answers have arrived.
  void wake(TimePs now);

  /// Where packets of a flow go that come to this input.
  std::vector<PortId> outputs_behind(const Flow& flow, PortId input) const;
  /// Of the branches that have this output; what a branch has in common with its first one. At rest there are
  /// none.
  void list_state(PortId output, StateVisitor& state);

  void set_view(SwitchView& view) { view_ = &view; }
  /// The view has carried all packets of a branch, that of this stripe and output; the last credit is home at
  /// `at`.
  void branch_was_carried(const Flow& flow, std::uint32_t stripe, PortId output, TimePs at);

  /// Packets that wait at inputs for others, or until their copies have left.
  std::uint64_t queued() const { return queued_; }
  std::uint64_t phase_changes() const { return phase_changes_; }
  std::size_t open_branches() const { return branches_.size(); }
  /// Two branches take turns in one lane. Their copies leave in the order of their times, but where time runs
  /// ahead in windows one may have left before an earlier one is handed over.
  bool shares_lane() const { return shared_lanes_ != 0; }
  /// What every open branch waits for, in words; `switch_name` begins each line.
  std::vector<std::string> pending(const std::string& switch_name) const;
  /// The inputs from which a flow's branch waits for a packet while others have brought theirs.
  std::vector<PortId> missing_inputs(const Flow& flow) const;
  /// Flows with a packet in the buffer of `input`, in the order of the keys.
  std::vector<FlowKey> flows_at(PortId input) const;
  const FlowRepairCounters& repairs() const { return repairs_; }

 private:
  struct Branch;
  struct BranchInput;
  struct BranchOutput;

  /// Of a branch, that has a port.
  struct BranchPort {
    Branch* branch = nullptr;
    std::uint32_t index = 0;  // of its inputs or outputs
  };
  std::size_t table_index(const Flow& flow, std::uint32_t stripe, std::size_t ports, PortId port) const {
    return (std::size_t{flow.slot} * params_.stripes + stripe) * ports + index_of(port);
  }
  void advance(Branch& branch, TimePs now);
  std::uint32_t priority_of(const Branch& branch) const;
  bool enter_phase(const Branch& branch, TimePs now);
  void combine(Branch& branch, TimePs credit_ps, TimePs now);
  void finish_if_done(Branch& branch);
  const BranchPort& branch_at(const Packet& copy, PortId output) const;
  Packet& make_packet(const Flow& flow);
  void return_credits(PortId input, Packet& packet, TimePs at);
  // Go-Back-N (flow_repair.cpp)
  bool is_due(Branch& branch, BranchInput& input, Packet& packet, TimePs now);
  void discard(PortId input, Packet& packet, TimePs now);
  void take_answer(PortId output, const Packet& answer, TimePs now);
  void go_back(Branch& branch, std::uint64_t number, TimePs now);
  void skip_to(Branch& branch, std::uint64_t number, TimePs now);
  void answer_all(const Branch& branch, PacketKind kind, std::uint64_t number, TimePs now);
  void answer(const Branch& branch, PortId input, PacketKind kind, std::uint64_t number, TimePs now);

  FlowUnitParams params_;
  PacketPool& packets_;
  FlowUnitHost& host_;
  bool changes_cost_;  // a change of phase is something here
  std::vector<std::unique_ptr<Branch>> branches_;
  std::vector<BranchPort> by_input_, by_output_;  // [slot][stripe][port]
  std::uint32_t shared_lanes_ = 0;
  std::vector<std::uint32_t> branches_in_lane_;
  std::uint64_t queued_ = 0, phase_changes_ = 0;
  std::optional<std::uint32_t> phase_;  // the priority for which the switch is set; none: unicast only
  TimePs set_ps_ = 0;                   // since when
  TimePs last_head_ps_ = 0;             // of a packet of this phase
  // Whose tails have not arrived, by the time of that; of one instant by port, whoever called first.
  std::multimap<std::pair<TimePs, PortId>, Packet*> answers_;
  FlowRepairCounters repairs_;
  SwitchView* view_ = nullptr;
};

}  // namespace wafertlm
