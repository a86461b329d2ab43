// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm::chakra {

/// A source whose all-to-alls with bytes for each peer (Node::send_bytes) are what libraries make of them: a
/// send and a receive per peer with bytes, all at once, the next rank's first, in the collective's class.
/// What waits for the collective waits for them: they come before its node, which becomes METADATA. Their ids
/// begin at 2^63, their tags are 2^31 + the number of the group. What stays on the rank does not move. next()
/// throws TraceError for a list that is not as long as the group, and for a group without the rank. Both
/// outlive it.
std::unique_ptr<NodeSource> with_peer_messages(NodeSource& source, const CommGroups& groups,
                                               std::uint32_t rank);
std::unique_ptr<NodeSource> with_peer_messages(std::unique_ptr<NodeSource> source,
                                               std::shared_ptr<const CommGroups> groups, std::uint32_t rank);

/// So many ranks that all play the trace in `file`. Parts of its all-to-alls are equal: what one rank sends
/// to each is not what each sends to it. @throws TraceError as open_trace
std::vector<std::unique_ptr<NodeSource>> replicas(const std::string& file, std::uint32_t ranks);

}  // namespace wafertlm::chakra
