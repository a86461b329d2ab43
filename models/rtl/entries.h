// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "models/rtl/event.h"
#include "tlm/packets/flow.h"

namespace wafertlm {

/// Which number a packet's header has at a switch (RtlEntry), and the packet's own there. The entries of
/// branches are used again when their flow is over, the one that has been free longest first.
class RtlEntries {
 public:
  struct Number {
    std::uint32_t flow = 0;
    std::uint64_t sequence = 0;
  };

  /// `branches`: entries of the configuration table.
  explicit RtlEntries(std::uint32_t branches) : max_branches_(branches) {}

  /// The next packet of a message to `output`.
  Number message(std::uint32_t output, std::uint32_t priority) {
    const std::uint32_t flow = RtlEntry::of_message(output, priority);
    return {flow, messages_[flow]++};
  }
  /// @throws std::runtime_error: more branches at once than entries.
  RtlEntry open(const Flow& flow, const FlowBranch& branch, std::uint32_t channel, std::uint32_t priority);
  void close(const Flow& flow);
  /// The packet of a flow at an input, or its copy at an output. @throws std::logic_error: no such branch is
  /// open.
  Number at_input(const Flow& flow, std::uint64_t sequence, std::uint32_t input) const {
    return find(inputs_, flow, sequence, input);
  }
  Number at_output(const Flow& flow, std::uint64_t sequence, std::uint32_t output) const {
    return find(outputs_, flow, sequence, output);
  }

 private:
  struct OpenBranch {
    std::uint32_t entry;
    FlowShare share;
  };
  using PortKey = std::tuple<const Flow*, std::uint32_t, std::uint32_t>;  // flow, stripe, port
  Number find(const std::map<PortKey, OpenBranch>& branches, const Flow& flow, std::uint64_t sequence,
              std::uint32_t port) const;

  std::uint32_t max_branches_;
  std::map<std::uint32_t, std::uint64_t> messages_;
  std::vector<std::uint64_t> first_, next_;  // by entry: of the flow that has it, of the one after
  std::deque<std::uint32_t> free_;
  std::map<PortKey, OpenBranch> inputs_, outputs_;
};

}  // namespace wafertlm
