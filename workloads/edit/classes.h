// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node.h"

namespace wafertlm::edit {

/// An axis of the rectangular grid that the ranks are: along it ranks differ by `stride`, `size` of them.
struct RankAxis {
  std::uint32_t stride = 1, size = 1;
  std::string traffic_class = {};  ///< "mp", "dp", "pp", "ep"; "": it cannot be told

  bool operator<(const RankAxis& other) const {
    return std::pair(stride, size) < std::pair(other.stride, other.size);
  }
};

/// What the communication without a class of a job is, over all ranks.
struct CommunicationUse {
  struct Collectives {
    std::uint64_t nodes = 0;
    bool only_all_to_all = true;
  };
  std::uint32_t ranks = 0;
  std::map<std::string, Collectives> groups;                                  ///< by the group's one name
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> messages;  ///< from, to: nodes

  /// Adds a node of `rank`; those that have a class, or do not communicate, are left out.
  void add(const chakra::Node& node, std::uint32_t rank, const chakra::CommGroups& groups_of_job);
};

/// Which class each has, and what cannot be decided, a line each.
struct CommunicationClasses {
  std::vector<RankAxis> axes;                 ///< by stride
  std::map<std::string, std::string> groups;  ///< name: class
  std::string messages;                       ///< class of sends and receives; "": not decided
  std::vector<std::string> undecided;

  /// The class of a node without one; "": undecided, or it does not communicate.
  std::string of(const chakra::Node& node, const chakra::CommGroups& groups_of_job) const;
};

/// By the shape of groups: groups of one stride and size that have every rank once are an axis of the grid.
/// Messages go along the axis of the pipeline (pp); an axis that only has ALL_TO_ALL is of experts (ep); of
/// two others the inner is of tensor parallelism (mp), the outer of data parallelism (dp). One, or more than
/// two, cannot be told apart by shape.
CommunicationClasses classes_by_shape(const CommunicationUse& use, const chakra::CommGroups& groups);

/// The same with axes that are known, innermost first. A group, or a part of one, along an axis has its
/// class.
/// @throws std::invalid_argument: they are not of as many ranks
CommunicationClasses classes_by_axes(const CommunicationUse& use, const chakra::CommGroups& groups,
                                     std::vector<RankAxis> axes);

}  // namespace wafertlm::edit
