// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tlm/program.h"
#include "workloads/chakra/node.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {

/// The traces of all ranks of one collective: sends and receives of a chunk each, and computations.
struct ChakraCollective {
  std::string prefix;
  CollectiveType type{};
  std::vector<std::string> files;                ///< by rank
  std::vector<std::vector<chakra::Node>> nodes;  ///< by rank, without metadata

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(nodes.size()); }
};

/// Of data and control.
std::vector<std::uint64_t> parents_of(const chakra::Node& node);

/// Which chunks the messages carry. The nodes of a trace do not say so, so it is found from the dependencies:
/// a send passes on what the receives before it brought, directly or over computations, and what is reduced
/// into one another is one chunk. Which part of the vector a chunk is follows from the type of the
/// collective. The proof of the algorithm tells whether all this was right.
class ChakraChunks {
 public:
  /// `job` outlives it. @throws std::invalid_argument: the dependencies do not tell.
  explicit ChakraChunks(const ChakraCollective& job);

  /// Of the vector.
  std::uint32_t count() const { return count_; }
  /// The chunk of a send or a receive, where the rank has it.
  CustomChunks at(std::uint32_t rank, std::uint64_t node, bool sends) const;
  /// The receives whose data a send passes on: the nearest ones above it.
  std::set<std::uint64_t> brought_by(std::uint32_t rank, const chakra::Node& send) const;
  /// By computation of a rank: the receives that it reduces.
  const std::map<std::uint64_t, std::vector<std::uint64_t>>& reduces(std::uint32_t rank) const {
    return reduces_[rank];
  }
  /// Whether what a send sends did not come from anybody.
  bool is_fresh(std::uint32_t rank, std::uint64_t send) const {
    return messages_[message_of_[rank].at(send)].fresh;
  }
  /// Whether what a receive brought is sent on.
  bool goes_on(std::uint32_t rank, std::uint64_t receive) const {
    return messages_[message_of_[rank].at(receive)].goes_on;
  }

 private:
  /// A message of the job: both its ends.
  struct Message {
    std::uint32_t from = 0, to = 0;
    bool fresh = false;    // what is sent did not come from anybody
    bool goes_on = false;  // what has come is sent on
    std::uint32_t chunk = 0;
    std::uint32_t owner = 0;  // the rank whose block the chunk was
  };
  class Sets;
  /// What a set of messages that carry one chunk stands for: all-reduce nothing but itself; else the rank
  /// whose block it is, and of an all-to-all whose it becomes.
  struct Owner {
    std::uint32_t from = 0, to = 0;
    bool operator<(const Owner& other) const {
      return from != other.from ? from < other.from : to < other.to;
    }
  };

  void match();
  void follow_data(Sets& sets);
  /// By owner: the sets of messages that carry a chunk of the block.
  using Blocks = std::map<Owner, std::vector<std::size_t>>;
  Blocks find_blocks(Sets& sets) const;
  void merge_disjoint(Blocks& blocks, Sets& sets) const;
  void number_chunks(Sets& sets);

  const ChakraCollective& job_;
  std::uint32_t count_ = 0, per_block_ = 0;
  std::vector<Message> messages_;
  std::vector<std::unordered_map<std::uint64_t, std::size_t>> message_of_;     // by rank and node
  std::vector<std::unordered_map<std::uint64_t, const chakra::Node*>> by_id_;  // by rank
  std::vector<std::map<std::uint64_t, std::vector<std::uint64_t>>> reduces_;   // by rank
};

}  // namespace wafertlm
