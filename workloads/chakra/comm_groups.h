// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {

/// The communicators of a job: group name (a node's pg_name) → ranks, in ring order. The groups "" and "0"
/// are one, all ranks, unless the file defines "0" (or "") itself.
class CommGroups {
 public:
  /// Only the group of all ranks.
  explicit CommGroups(std::uint32_t num_ranks);

  /// From `{"1": [0, 1], "2": [2, 3]}`. @throws TraceError naming file and group: not such an object, a group
  /// given twice or empty, a rank given twice or not below `num_ranks`.
  static CommGroups from_file(const std::string& path, std::uint32_t num_ranks);
  /// From a map of the same kind. @throws TraceError as from_file.
  static CommGroups from_map(const std::map<std::string, std::vector<std::uint32_t>>& groups,
                             std::uint32_t num_ranks);
  /// The same from text; `where` starts the messages.
  static CommGroups from_text(const std::string& text, std::uint32_t num_ranks, const std::string& where);

  /// One more group. @throws TraceError: there is one of that name, it is empty or holds a rank twice.
  void add(const std::string& name, std::vector<std::uint32_t> ranks);

  std::uint32_t num_ranks() const { return num_ranks_; }
  /// The one name of a group that has several ("" and "0", "2" and "2.0").
  const std::string& canonical(const std::string& name) const;
  /// @throws TraceError when there is no such group (names those there are).
  const std::vector<std::uint32_t>& ranks(const std::string& name) const { return find(name).ranks; }
  bool holds(const std::string& name, std::uint32_t rank) const;
  bool has(const std::string& name) const {
    const std::string& known = canonical(name);
    return known.empty() || groups_.count(known) != 0;
  }
  /// A number of its own for every group, below count(). @throws TraceError when there is no such group.
  std::size_t number(const std::string& name) const { return find(name).number; }
  /// The canonical name of the group with this number.
  const std::string& name(std::size_t number) const { return names_.at(number); }
  std::size_t count() const { return groups_.size() + 1; }
  /// What from_map() takes.
  std::map<std::string, std::vector<std::uint32_t>> to_map() const;

 private:
  struct Group {
    std::vector<std::uint32_t> ranks;
    std::vector<std::uint32_t> sorted;
    std::size_t number = 0;
  };

  const Group& find(const std::string& name) const;
  void add(const std::string& name, std::vector<std::uint32_t> ranks, const std::string& where);

  std::uint32_t num_ranks_;
  std::map<std::string, Group> groups_;
  std::vector<std::string> names_{""};  // by number
  Group all_;
};

}  // namespace wafertlm::chakra
