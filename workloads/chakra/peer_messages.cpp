// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/peer_messages.h"

#include <fmt/core.h>

#include <deque>
#include <utility>

namespace wafertlm::chakra {
namespace {

class PeerMessages final : public ForwardingSource {
 public:
  PeerMessages(std::unique_ptr<NodeSource> source, std::shared_ptr<const CommGroups> groups,
               std::uint32_t rank)
      : ForwardingSource(*source), owned_(std::move(source)), groups_(std::move(groups)), rank_(rank) {}

  bool next(Node& node) override {
    if (pending_.empty()) {
      if (!source().next(node)) return false;
      if (node.send_bytes.empty()) return true;
      expand(node);
    }
    node = std::move(pending_.front());
    pending_.pop_front();
    return true;
  }
  /// The messages have none.
  NodeIo io() const override { return pending_.empty() ? source().io() : NodeIo{}; }
  void rewind() override {
    pending_.clear();
    next_id_ = kFirstId;
    source().rewind();
  }

 private:
  static constexpr std::uint64_t kFirstId = std::uint64_t{1} << 63;
  static constexpr std::uint32_t kFirstTag = std::uint32_t{1} << 31;

  void expand(Node& collective) {
    const std::string& group = collective.pg_name;
    const std::vector<std::uint32_t>& ranks = groups_->ranks(group);
    const auto fail = [&](const std::string& what) {
      throw TraceError(fmt::format("{}: {}: {}", name(), describe(collective), what));
    };
    if (!groups_->holds(group, rank_)) fail(fmt::format("its group does not hold rank {}", rank_));
    if (ranks.size() != collective.send_bytes.size())
      fail(fmt::format("bytes for {} peers in a group of {}", collective.send_bytes.size(), ranks.size()));
    Node message;
    message.name = collective.name;
    message.ctrl_deps = collective.ctrl_deps;
    message.data_deps = collective.data_deps;
    message.comm_tag = kFirstTag + static_cast<std::uint32_t>(groups_->number(group));
    message.comm_priority = collective.comm_priority;
    message.comm_class = collective.comm_class.empty() ? kDefaultCollectiveClass : collective.comm_class;
    std::vector<std::uint64_t> waits;
    const auto add = [&](NodeType type, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
      if (from == to || bytes == 0) return;
      message.id = next_id_++;
      message.type = type;
      message.comm_src = from;
      message.comm_dst = to;
      message.comm_size = bytes;
      waits.push_back(message.id);
      pending_.push_back(message);
    };
    for (std::size_t i = 0; i < ranks.size(); ++i)
      add(NodeType::CommSend, rank_, ranks[i], collective.send_bytes[i]);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      add(NodeType::CommRecv, ranks[i], rank_, collective.receive_bytes[i]);
    Node end;
    end.id = collective.id;
    end.name = std::move(collective.name);
    end.type = NodeType::Metadata;
    end.ctrl_deps = std::move(collective.ctrl_deps);
    end.data_deps = std::move(collective.data_deps);
    end.data_deps.insert(end.data_deps.end(), waits.begin(), waits.end());
    pending_.push_back(std::move(end));
  }

  std::unique_ptr<NodeSource> owned_;
  std::shared_ptr<const CommGroups> groups_;
  std::uint32_t rank_;
  std::deque<Node> pending_;  // to be given next
  std::uint64_t next_id_ = kFirstId;
};

}  // namespace

std::unique_ptr<NodeSource> with_peer_messages(std::unique_ptr<NodeSource> source,
                                               std::shared_ptr<const CommGroups> groups, std::uint32_t rank) {
  return std::make_unique<PeerMessages>(std::move(source), std::move(groups), rank);
}

}  // namespace wafertlm::chakra
