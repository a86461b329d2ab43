// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/chakra/communication_numbers.h"
#include "workloads/chakra/dependency_window.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::chakra {

/// What other ranks must agree with.
struct Communication {
  std::uint64_t node = 0;  ///< id
  std::uint64_t bytes = 0;
  std::uint32_t group = 0;  ///< CommGroups::number(); collectives only
  std::uint32_t peer = 0;   ///< sends and receives only, as is the tag
  std::uint32_t tag = 0;
  NodeType type = NodeType::CommColl;
  CollectiveType collective = CollectiveType::AllReduce;
  bool io_stream = false;
  std::uint8_t traffic_class = 0;  ///< index in RankCheck::classes
};

struct RankCheck {
  TraceSummary summary;
  std::vector<Communication> communications;  ///< parents first; where that leaves a choice, in file order
  std::vector<std::string> classes;           ///< traffic classes that they name, or count as
};

RankCheck check_rank(NodeSource& source, std::uint32_t rank, const CommGroups& groups,
                     const ValidateOptions& options);

/// describe() of the nodes with these ids, in this order: reads the source once more, for error messages.
std::vector<std::string> describe_nodes(NodeSource& source, const std::vector<std::uint64_t>& ids);

/// The nodes of a rank in the order that dependencies and then the file give, as if each were done as soon as
/// its parents are. Numbers communications in both orders. Memory: a bit per node, and the nodes that came
/// before a parent of theirs.
class DependencyOrder {
 public:
  /// @param done called for each node when its turn has come.
  explicit DependencyOrder(std::function<void(std::uint64_t id)> done = {}) : done_(std::move(done)) {}

  struct Missing {
    std::uint64_t node, parent;
    bool control;
  };

  /// This dependency counts as fulfilled.
  void satisfy(std::uint64_t parent) { window_.satisfy(parent); }
  /// The next node of the file, and what it communicates. Ids that came before are only noted, see
  /// duplicate().
  void add(const Node& node, const std::optional<Communication>& communication);

  bool has_seen(std::uint64_t id) const { return seen_.contains(id); }
  /// The first id that two nodes have.
  std::optional<std::uint64_t> duplicate() const { return duplicate_; }

  // After the last node.
  /// Dependencies on nodes that there are not, in file order.
  std::vector<Missing> missing() const;
  /// The ids of a cycle, each needing the next and the last the first; empty: none, or something is missing.
  std::vector<std::uint64_t> cycle() const;
  /// In the order of the dependencies.
  std::vector<Communication>& communications() { return communications_; }
  /// Those whose number in their channel is another one than the file's order gives.
  NumberExceptions& numbers() { return numbers_; }

 private:
  struct Numbered {
    Communication communication;
    std::uint64_t in_file = 0;  // its number if the file's order were that of the dependencies
  };
  /// A node that came before a parent of its own.
  struct Held {
    std::uint64_t id = 0;
    std::vector<std::pair<std::uint64_t, bool>> parents;  // control?
    std::optional<Numbered> communication;
    bool used = false;
  };
  void finish(std::uint64_t id, const std::optional<Numbered>& communication);
  void number(const Numbered& entry);
  std::vector<const Held*> held_in_order() const;

  std::function<void(std::uint64_t)> done_;
  DependencyWindow window_;
  IdSet seen_;
  std::optional<std::uint64_t> duplicate_;
  std::map<CommunicationChannel, std::uint64_t> in_file_, in_order_;
  std::vector<Held> held_;  // by slot, as are the positions
  std::vector<std::uint64_t> position_;
  std::vector<std::uint32_t> free_;
  std::uint64_t nodes_ = 0;
  std::vector<Communication> communications_;
  NumberExceptions numbers_;
};

}  // namespace wafertlm::chakra
