// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/peer_messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "workloads/chakra/trace_file.h"

namespace wafertlm::chakra {
namespace {

class PeerMessages final : public ForwardingSource {
 public:
  PeerMessages(NodeSource& source, const CommGroups& groups, std::uint32_t rank)
      : ForwardingSource(source), groups_(groups), rank_(rank) {}

  void own(std::unique_ptr<NodeSource> source, std::shared_ptr<const CommGroups> groups) {
    owned_ = {std::move(source), std::move(groups)};
  }

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
    const auto fail = [&](const std::string& what) {
      throw TraceError(fmt::format("{}: {}: {}", name(), describe(collective), what));
    };
    bool holds = false;
    try {
      holds = groups_.holds(group, rank_);
    } catch (const TraceError& error) {
      fail(error.what());
    }
    if (!holds) fail(fmt::format("group \"{}\" does not hold rank {}", printable(group), rank_));
    const std::vector<std::uint32_t>& ranks = groups_.ranks(group);
    if (ranks.size() != collective.send_bytes.size())
      fail(fmt::format("bytes for {} peers in a group of {}", collective.send_bytes.size(), ranks.size()));
    Node message;
    message.name = collective.name;
    message.ctrl_deps = collective.ctrl_deps;
    message.data_deps = collective.data_deps;
    message.comm_priority = collective.comm_priority;
    message.comm_class = collective.comm_class.empty() ? kDefaultCollectiveClass : collective.comm_class;
    std::vector<std::uint64_t> waits;
    const auto add = [&](NodeType type, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
      if (bytes == 0) return;
      message.id = next_id_++;
      message.type = type;
      message.comm_src = from;
      message.comm_dst = to;
      message.comm_size = bytes;
      waits.push_back(message.id);
      pending_.push_back(message);
    };
    const std::size_t count = ranks.size(),
                      own = std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin();
    message.comm_tag = kFirstTag + static_cast<std::uint32_t>(groups_.number(group));
    for (std::size_t step = 1; step < count; ++step) {
      const std::size_t to = (own + step) % count, from = (own + count - step) % count;
      add(NodeType::CommSend, rank_, ranks[to], collective.send_bytes[to]);
      add(NodeType::CommRecv, ranks[from], rank_, collective.receive_bytes[from]);
    }
    Node end;
    end.id = collective.id;
    end.name = std::move(collective.name);
    end.type = NodeType::Metadata;
    end.pg_name = group;
    end.ctrl_deps = std::move(collective.ctrl_deps);
    end.data_deps = std::move(collective.data_deps);
    end.data_deps.insert(end.data_deps.end(), waits.begin(), waits.end());
    pending_.push_back(std::move(end));
  }

  const CommGroups& groups_;
  std::pair<std::unique_ptr<NodeSource>, std::shared_ptr<const CommGroups>> owned_;
  std::uint32_t rank_;
  std::deque<Node> pending_;  // to be given next
  std::uint64_t next_id_ = kFirstId;
};

/// Of parts that differ only the sum is left.
class EqualParts final : public ForwardingSource {
 public:
  explicit EqualParts(std::unique_ptr<NodeSource> source)
      : ForwardingSource(*source), owned_(std::move(source)) {}

  bool next(Node& node) override {
    if (!source().next(node)) return false;
    node.send_bytes.clear();
    node.receive_bytes.clear();
    return true;
  }

 private:
  std::unique_ptr<NodeSource> owned_;
};

}  // namespace

std::unique_ptr<NodeSource> with_peer_messages(NodeSource& source, const CommGroups& groups,
                                               std::uint32_t rank) {
  return std::make_unique<PeerMessages>(source, groups, rank);
}

std::unique_ptr<NodeSource> with_peer_messages(std::unique_ptr<NodeSource> source,
                                               std::shared_ptr<const CommGroups> groups, std::uint32_t rank) {
  auto messages = std::make_unique<PeerMessages>(*source, *groups, rank);
  messages->own(std::move(source), std::move(groups));
  return messages;
}

std::vector<std::unique_ptr<NodeSource>> replicas(const std::string& file, std::uint32_t ranks) {
  std::vector<std::unique_ptr<NodeSource>> sources;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    sources.push_back(std::make_unique<EqualParts>(open_trace(file)));
  return sources;
}

}  // namespace wafertlm::chakra
