// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/communication_numbers.h"

namespace wafertlm::chakra {

std::optional<CommunicationChannel> channel_of(const Node& node, std::uint32_t rank,
                                               const CommGroups& groups) {
  if (node.is_collective())
    return CommunicationChannel{node.type, static_cast<std::uint32_t>(groups.number(node.pg_name)), 0};
  if (node.type == NodeType::CommSend)
    return CommunicationChannel{node.type, node.comm_dst.value_or(rank), node.comm_tag.value_or(0)};
  if (node.type == NodeType::CommRecv)
    return CommunicationChannel{node.type, node.comm_src.value_or(rank), node.comm_tag.value_or(0)};
  return std::nullopt;
}

}  // namespace wafertlm::chakra
