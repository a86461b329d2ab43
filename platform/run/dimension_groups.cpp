// SPDX-License-Identifier: Apache-2.0
#include "platform/run/dimension_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace wafertlm {
namespace {

using Involved = std::vector<bool>;  ///< by dimension of the fabric

/// Which dimensions a node's collective goes over, if it leaves some out; else empty. `zero_is_all`: the
/// group "0" is that of all ranks.
Involved involved_in(const chakra::Node& node, bool zero_is_all, std::size_t dimensions,
                     const std::string& source) {
  const std::vector<bool>& list = node.involved_dim;
  const bool names_all = node.pg_name.empty() || (zero_is_all && node.pg_name == "0");
  if (!node.is_collective() || !names_all || std::find(list.begin(), list.end(), false) == list.end())
    return {};
  const auto fail = [&](const std::string& text) {
    throw chakra::TraceError(fmt::format("{}: {}: involved_dim {}", source, chakra::describe(node), text));
  };
  if (dimensions == 0)
    fail(
        "leaves dimensions out, but the fabric has none; take a fabric of dimensions, or name the group of "
        "ranks (pg_name)");
  if (list.size() < dimensions)
    fail(fmt::format("has {} of the fabric's {} dimensions; it needs true or false for each", list.size(),
                     dimensions));
  const Involved involved(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(dimensions));
  if (std::find(involved.begin(), involved.end(), true) == involved.end())
    fail("leaves all dimensions of the fabric out; one at least must be true");
  if (std::find(involved.begin(), involved.end(), false) == involved.end()) return {};
  return involved;
}

/// A source whose collectives name the group that their dimensions stand for.
class GroupedSource final : public chakra::ForwardingSource {
 public:
  GroupedSource(std::unique_ptr<chakra::NodeSource> source, bool zero_is_all, std::size_t dimensions,
                std::map<Involved, std::string> names)
      : ForwardingSource(*source),
        owned_(std::move(source)),
        zero_is_all_(zero_is_all),
        dimensions_(dimensions),
        names_(std::move(names)) {}

  bool next(chakra::Node& node) override {
    if (!source().next(node)) return false;
    const Involved involved = involved_in(node, zero_is_all_, dimensions_, name());
    if (!involved.empty()) node.pg_name = names_.at(involved);
    return true;
  }

 private:
  std::unique_ptr<chakra::NodeSource> owned_;
  bool zero_is_all_;
  std::size_t dimensions_;
  std::map<Involved, std::string> names_;
};

std::set<Involved> involved_in_trace(chakra::NodeSource& source, bool zero_is_all, std::size_t dimensions) {
  std::set<Involved> found;
  chakra::Node node;
  source.rewind();
  while (source.next(node)) {
    Involved involved = involved_in(node, zero_is_all, dimensions, source.name());
    if (!involved.empty()) found.insert(std::move(involved));
  }
  source.rewind();
  return found;
}

/// The ranks that differ from `rank` in these dimensions only.
std::vector<std::uint32_t> ranks_along(std::uint32_t rank, const Involved& involved,
                                       const Dimensions& dimensions, const Placement& npus) {
  std::vector<std::uint32_t> along;
  for (std::uint32_t other = 0; other < npus.size(); ++other) {
    bool same = true;
    for (std::size_t d = 0; d < involved.size(); ++d)
      same = same &&
             (involved[d] || dimensions.coordinate(npus[other], d) == dimensions.coordinate(npus[rank], d));
    if (same) along.push_back(other);
  }
  return along;
}

std::string name_of_group(const Involved& involved, std::uint32_t first_rank) {
  std::string name = "dimensions";
  for (std::size_t d = 0; d < involved.size(); ++d)
    if (involved[d]) name += fmt::format("_{}", d);
  return fmt::format("{}_of_rank_{}", name, first_rank);
}

}  // namespace

std::set<std::string> add_dimension_groups(std::vector<std::unique_ptr<chakra::NodeSource>>& ranks,
                                           chakra::CommGroups& groups, const Dimensions& dimensions,
                                           const Placement& npus) {
  std::set<std::string> added;
  const std::size_t count = dimensions.count();
  const bool zero_is_all = groups.canonical("0").empty();
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    std::map<Involved, std::string> names;
    for (const Involved& involved : involved_in_trace(*ranks[rank], zero_is_all, count)) {
      const std::vector<std::uint32_t> along = ranks_along(rank, involved, dimensions, npus);
      const std::string name = names[involved] = name_of_group(involved, along.front());
      if (added.insert(name).second) groups.add(name, along);
    }
    if (!names.empty())
      ranks[rank] =
          std::make_unique<GroupedSource>(std::move(ranks[rank]), zero_is_all, count, std::move(names));
  }
  return added;
}

}  // namespace wafertlm
