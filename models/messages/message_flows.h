// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/messages/message_ports.h"
#include "tlm/packets/flow.h"

namespace wafertlm {

/// In-network flows of whole messages: a switch holds what contributors send until it has all of a flow, adds
/// it up in the order of the contributors, and a copy goes to each receiver. So a flow goes on when its last
/// head is there, and ends with the last tail. Contributors and receivers are NPUs of one switch.
class MessageFlows {
 public:
  /// All of a flow is at the switch.
  struct Sum {
    std::vector<NpuId> receivers;
    TimePs tail_ps = 0;
    PsFraction head_fraction = 0;
    std::uint16_t input = 0;  ///< the first contributor's
    std::unique_ptr<std::vector<std::byte>> data;
  };

  /// A contributor is about to send. @return another member of the flow: the way to it leads through the
  /// switch
  NpuId enter(const FlowKey& key, NpuId contributor, const StepSource& program, const Group& group,
              DataType type);
  /// What a contributor sent is at a switch. @return all of the flow, if this was the last one
  /// @throws std::logic_error: contributors are at different switches
  std::optional<Sum> add(const MessageRecord& message, MessageWay& way, TimePs now);
  bool empty() const { return flows_.empty(); }

 private:
  static constexpr std::uint32_t kNoVertex = ~std::uint32_t{0};
  struct Open {
    std::vector<NpuId> receivers;
    std::pair<NpuId, NpuId> members;  // two of them
    DataType type{};
    std::uint32_t vertex = kNoVertex;
    std::size_t missing = 0;
    TimePs tail_ps = 0;
    std::pair<NpuId, std::uint16_t> first_input = {static_cast<NpuId>(kNoVertex), 0};
    std::map<NpuId, std::unique_ptr<std::vector<std::byte>>> data;
  };
  std::map<FlowKey, Open> flows_;
};

}  // namespace wafertlm
