// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/lanes.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::trace_model {
namespace {

using chakra::Node;
using chakra::NodeType;
using statistics::TraceGraph;

using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, tag
using Places = std::vector<std::uint32_t>;                                // in the order of a rank

bool is_message(const Node& node) {
  return node.type == NodeType::CommSend || node.type == NodeType::CommRecv;
}

/// Lanes of the messages between two ranks: each goes where the last one before it was received latest, of
/// those received earlier.
void assign(const std::map<std::uint32_t, std::uint32_t>& received_by_sent, Places& of_sender,
            Places& of_receiver) {
  std::vector<std::uint32_t> last;  // by lane: where the last message was received
  for (const auto& [sent, received] : received_by_sent) {
    std::size_t best = last.size();
    for (std::size_t lane = 0; lane < last.size(); ++lane)
      if (last[lane] < received && (best == last.size() || last[lane] > last[best])) best = lane;
    if (best == last.size()) last.push_back(0);
    last[best] = received;
    of_sender[sent] = of_receiver[received] = static_cast<std::uint32_t>(best);
  }
}

}  // namespace

std::uint32_t peer_of(const Node& message) {
  const auto& peer = message.type == NodeType::CommSend ? message.comm_dst : message.comm_src;
  return peer.value_or(0);
}

std::vector<std::vector<std::uint32_t>> lanes_of(const std::vector<TraceGraph>& ranks) {
  std::map<Channel, Places> sends, receives;
  std::vector<Places> lanes(ranks.size());
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const TraceGraph& graph = ranks[rank];
    lanes[rank].resize(graph.order.size());
    for (std::uint32_t at = 0; at < graph.order.size(); ++at) {
      const Node& node = graph.nodes[graph.order[at]];
      if (!is_message(node)) continue;
      const std::uint32_t peer = peer_of(node), tag = node.comm_tag.value_or(0);
      if (peer >= ranks.size())
        throw chakra::TraceError(graph.name + ": " + chakra::describe(node) + " has rank " +
                                 std::to_string(peer) + " for its peer, and there are " +
                                 std::to_string(ranks.size()) + " ranks");
      if (node.type == NodeType::CommSend)
        sends[{rank, peer, tag}].push_back(at);
      else
        receives[{peer, rank, tag}].push_back(at);
    }
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& [channel, sent] : sends) {
    const auto& [from, to, tag] = channel;
    const Places& received = receives[channel];
    if (received.size() != sent.size())
      throw chakra::TraceError(ranks[from].name + ": " + std::to_string(sent.size()) + " sends to rank " +
                               std::to_string(to) + " with tag " + std::to_string(tag) + ", which receives " +
                               std::to_string(received.size()));
    for (std::size_t i = 0; i < sent.size(); ++i) pairs[{from, to}].emplace(sent[i], received[i]);
  }
  for (const auto& [channel, received] : receives)
    if (sends.count(channel) == 0)
      throw chakra::TraceError(ranks[std::get<1>(channel)].name + ": receives from rank " +
                               std::to_string(std::get<0>(channel)) + " with tag " +
                               std::to_string(std::get<2>(channel)) + " what that rank does not send");
  for (const auto& [pair, messages] : pairs) assign(messages, lanes[pair.first], lanes[pair.second]);
  return lanes;
}

}  // namespace wafertlm::trace_model
