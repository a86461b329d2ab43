// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "tlm/link/flow_unit.h"
#include "tlm/link/packet_state.h"

namespace wafertlm {

struct FlowUnit::BranchInput {
  struct Waiting {
    Packet* packet;
    TimePs head_ps;
    std::uint64_t position;  // in the branch's share; kept here, so that waiting packets are not touched
  };
  static void list_state(BranchInput& input, StateVisitor& state) {
    [[maybe_unused]] auto& [port, queue, arrived, asked] = input;
    state.count(arrived);
    state.derived(queue.size());
    for (std::size_t i = 0; i < queue.size(); ++i) {
      auto& [packet, head_ps, position] = queue[i];
      list_packet(*packet, state);
      state.moment(head_ps);
      state.count(position);
    }
  }

  PortId port{};
  RingQueue<Waiting> queue;   // those that have been combined come first
  std::uint64_t arrived = 0;  // position after that of the last packet taken
  bool asked = false;  // Go-Back-N: it will bring packet `arrived` again, what comes before that is discarded
};

struct FlowUnit::BranchOutput {
  static void list_state(BranchOutput& output, StateVisitor& state) {
    [[maybe_unused]] auto& [port, reserved, credits, left, credited, last_credit_ps, acknowledged] = output;
    credits.list_state(state);
    state.count(left);
    state.count(credited);
    state.deadline(last_credit_ps);
  }

  PortId port{};
  bool reserved = false;
  CreditWindow credits{0};
  std::uint64_t left = 0, credited = 0;  // copies
  TimePs last_credit_ps = 0;
  std::uint64_t acknowledged = 0;  // Go-Back-N: all before this one have arrived below it
};

/// What a flow does here, and how far it is. Packets are combined, and leave, in the order of their numbers;
/// with Go-Back-N some do so more than once.
struct FlowUnit::Branch {
  struct Combined {
    std::uint32_t copies_left;
    TimePs tail_out_ps;
  };

  const Flow* flow = nullptr;
  FlowShare share;
  std::uint64_t packets = 0;  // of the share; positions in it are counted below
  AdditionOrder order;
  std::optional<PortId> from_above;
  std::vector<BranchInput> inputs;
  std::vector<BranchOutput> outputs;
  RingQueue<Combined> combined;    // whose copies have not all left
  std::uint64_t gone = 0;          // whose copies have all left
  std::uint64_t number = 0;        // of the packet that is combined next
  std::uint64_t acknowledged = 0;  // Go-Back-N: said to the inputs
  std::size_t ready = 0;           // so many of the inputs, from the first on, have brought packet `number`
  std::uint32_t lane = 0;
  TimePs done_ps = 0;
  bool done = false;

  /// No packet has come yet: all is as open() made it.
  bool is_untouched() const {
    return number == 0 && std::all_of(inputs.begin(), inputs.end(),
                                      [](const BranchInput& input) { return input.arrived == 0; });
  }
  /// Without the outputs. What a branch is has been said when it was opened; `acknowledged` is of Go-Back-N.
  static void list_state(Branch& branch, StateVisitor& state) {
    [[maybe_unused]] auto& [flow, share, packets, order, from_above, inputs, outputs, combined, gone, number,
                            acknowledged, ready, lane, done_ps, done] = branch;
    state.value(ready);
    state.derived(number == 0);  // nothing has been combined yet
    state.derived(combined.size());
    for (std::size_t i = 0; i < combined.size(); ++i) {
      auto& [copies_left, tail_out_ps] = combined[i];
      state.value(copies_left);
      state.deadline(tail_out_ps);  // 0 until the first copy leaves
    }
    state.count(number);
    state.count(gone);
    state.deadline(done_ps);
    for (BranchInput& input : inputs) BranchInput::list_state(input, state);
  }

  /// Whether the input has brought what is combined next.
  bool has_next(const BranchInput& input) const {
    const std::size_t place = combined.size();
    return input.queue.size() > place && (inputs.size() == 1 || input.queue[place].position == number);
  }
  /// Packet `number` is another one from now on.
  void set_number(std::uint64_t next) {
    number = next;
    ready = 0;
  }
  /// Whether every input has brought the next packet. Each is asked once per packet.
  bool has_all() {
    while (ready < inputs.size() && has_next(inputs[ready])) ++ready;
    return ready == inputs.size();
  }
};

}  // namespace wafertlm
