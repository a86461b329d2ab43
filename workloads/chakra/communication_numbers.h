// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>

#include "workloads/chakra/node.h"

namespace wafertlm::chakra {

/// What the communications of a rank are numbered within: the collectives of a group, or the sends (or the
/// receives) of one peer and tag.
struct CommunicationChannel {
  NodeType type = NodeType::CommColl;
  std::uint32_t group_or_peer = 0;  ///< CommGroups::number(), or the other rank
  std::uint32_t tag = 0;

  friend bool operator<(const CommunicationChannel& a, const CommunicationChannel& b) {
    return std::tie(a.type, a.group_or_peer, a.tag) < std::tie(b.type, b.group_or_peer, b.tag);
  }
};

/// Numbers that depend on the trace alone, by node id, where they are not those of the file's order. From
/// validate().
using NumberExceptions = std::unordered_map<std::uint64_t, std::uint64_t>;

/// The number of every communication within its channel, as the nodes are read in the order of the file. The
/// k-th of a channel on one rank belongs to the k-th on the others: the order is that in which the nodes can
/// be done, parents first, and of those that can be done the first in the file. Where that is not the order
/// of the file, the exceptions say so. When and how a rank issues its nodes changes nothing.
class CommunicationNumbers {
 public:
  explicit CommunicationNumbers(NumberExceptions exceptions = {}) : exceptions_(std::move(exceptions)) {}

  std::uint64_t next(const CommunicationChannel& channel, std::uint64_t node) {
    Count& count = counts_[channel];
    const std::uint64_t in_file = count.read++;
    const auto exception = exceptions_.find(node);
    return count.before + (exception == exceptions_.end() ? in_file : exception->second);
  }
  /// The file starts again, and the numbers go on.
  void next_iteration() {
    for (auto& [channel, count] : counts_) count = {count.before + count.read, 0};
  }

 private:
  struct Count {
    std::uint64_t before = 0, read = 0;  // in earlier iterations, in this one
  };
  NumberExceptions exceptions_;
  std::map<CommunicationChannel, Count> counts_;
};

}  // namespace wafertlm::chakra
