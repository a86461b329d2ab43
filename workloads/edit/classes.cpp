// SPDX-License-Identifier: Apache-2.0
#include "workloads/edit/classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace wafertlm::edit {
namespace {

using Ranks = std::vector<std::uint32_t>;

Ranks sorted(Ranks ranks) {
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// Stride and size of ranks with equal distances; nothing: others, or fewer than two.
std::optional<RankAxis> line_of(const Ranks& ranks) {
  if (ranks.size() < 2) return std::nullopt;
  const std::uint32_t stride = ranks[1] - ranks[0];
  for (std::size_t i = 1; i < ranks.size(); ++i)
    if (ranks[i] - ranks[i - 1] != stride) return std::nullopt;
  return RankAxis{stride, static_cast<std::uint32_t>(ranks.size())};
}

/// Whether all these ranks differ only along the axis.
bool is_along(const Ranks& ranks, const RankAxis& axis) {
  const auto others = [&](std::uint32_t rank) {
    return std::pair(rank % axis.stride, rank / (axis.stride * axis.size));
  };
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](std::uint32_t rank) { return others(rank) == others(ranks.front()); });
}

/// Lines of one stride and size that have every rank once; each lies along the axis.
bool is_axis(const RankAxis& axis, const std::vector<Ranks>& lines, std::uint32_t ranks) {
  std::vector<bool> seen(ranks);
  std::size_t count = 0;
  for (const Ranks& line : lines) {
    if (!is_along(line, axis)) return false;
    for (const std::uint32_t rank : line) {
      if (seen[rank]) return false;
      seen[rank] = true;
      ++count;
    }
  }
  return count == ranks;
}

/// Every axis is a multiple of what is inside it.
bool is_grid(const std::vector<RankAxis>& axes, std::uint32_t ranks) {
  std::uint64_t inner = 1;
  for (const RankAxis& axis : axes) {
    if (axis.stride % inner != 0) return false;
    inner = std::uint64_t{axis.stride} * axis.size;
  }
  return ranks % inner == 0;
}

std::string shown(const Ranks& ranks) {
  constexpr std::size_t kShown = 4;
  const std::size_t count = std::min(ranks.size(), kShown);
  return fmt::format("{}{}",
                     fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(count), ", "),
                     ranks.size() > kShown ? ", …" : "");
}

std::string group_name(const std::string& name) { return name.empty() ? "of all ranks" : "'" + name + "'"; }

/// The axis along which all messages go; nothing: there is none, or they go different ways.
std::optional<RankAxis> axis_of_messages(const CommunicationUse& use) {
  std::optional<RankAxis> axis;
  std::uint32_t stride = 0, farthest = 0;
  for (const auto& [ends, nodes] : use.messages) {
    const auto [from, to] = ends;
    const std::uint32_t distance = std::max(from, to) - std::min(from, to);
    if (distance == 0) return std::nullopt;
    stride = std::gcd(stride, distance);
    farthest = std::max(farthest, distance);
  }
  if (stride == 0) return std::nullopt;
  // Only neighbours talk to each other, and the last with the first. Ends of lines tell how long these are.
  for (std::uint32_t size = 2; std::uint64_t{size} * stride <= use.ranks; ++size) {
    const RankAxis each{stride, size};
    if (use.ranks % (size * stride) != 0) continue;
    const bool fits = std::all_of(use.messages.begin(), use.messages.end(), [&](const auto& message) {
      const auto& [from, to] = message.first;
      const std::uint32_t distance = std::max(from, to) - std::min(from, to);
      return is_along({from, to}, each) && (distance == stride || distance == stride * (size - 1));
    });
    if (fits) return each;
  }
  return std::nullopt;
}

/// Puts groups and messages on the axes.
void decide(const CommunicationUse& use, const chakra::CommGroups& groups, CommunicationClasses& found) {
  for (const auto& [name, collectives] : use.groups) {
    const Ranks ranks = sorted(groups.ranks(name));
    if (ranks.size() < 2) continue;  // nothing crosses the fabric
    const auto axis = std::find_if(found.axes.begin(), found.axes.end(),
                                   [&](const RankAxis& each) { return is_along(ranks, each); });
    if (axis != found.axes.end() && !axis->traffic_class.empty()) {
      found.groups[name] = axis->traffic_class;
      continue;
    }
    const std::string why =
        axis == found.axes.end()
            ? std::string("it is no line of the grid")
            : fmt::format("the axis of stride {} and size {} may be of tensor or of data parallelism",
                          axis->stride, axis->size);
    found.undecided.push_back(fmt::format("group {} (ranks {}; {} collectives): {}", group_name(name),
                                          shown(ranks), collectives.nodes, why));
  }
  if (use.messages.empty()) return;
  const auto axis = std::find_if(found.axes.begin(), found.axes.end(), [&](const RankAxis& each) {
    return std::all_of(use.messages.begin(), use.messages.end(), [&](const auto& message) {
      return is_along({message.first.first, message.first.second}, each);
    });
  });
  if (axis != found.axes.end() && !axis->traffic_class.empty()) {
    found.messages = axis->traffic_class;
    return;
  }
  std::uint64_t nodes = 0;
  for (const auto& [ends, count] : use.messages) nodes += count;
  found.undecided.push_back(
      fmt::format("{} sends and receives between {} pairs of ranks: they do not go along one axis", nodes,
                  use.messages.size()));
}

}  // namespace

void CommunicationUse::add(const chakra::Node& node, std::uint32_t rank,
                           const chakra::CommGroups& groups_of_job) {
  if (!node.comm_class.empty() || node.io_stream) return;
  if (node.is_collective()) {
    Collectives& of = groups[groups_of_job.canonical(node.pg_name)];
    ++of.nodes;
    of.only_all_to_all = of.only_all_to_all && node.comm_type == chakra::CollectiveType::AllToAll;
  } else if (node.type == chakra::NodeType::CommSend) {
    ++messages[{node.comm_src.value_or(rank), node.comm_dst.value_or(rank)}];
  } else if (node.type == chakra::NodeType::CommRecv) {
    ++messages[{node.comm_src.value_or(rank), node.comm_dst.value_or(rank)}];
  }
}

std::string CommunicationClasses::of(const chakra::Node& node,
                                     const chakra::CommGroups& groups_of_job) const {
  if (node.type == chakra::NodeType::CommSend || node.type == chakra::NodeType::CommRecv) return messages;
  if (!node.is_collective() || node.io_stream) return "";
  const auto group = groups.find(groups_of_job.canonical(node.pg_name));
  return group == groups.end() ? "" : group->second;
}

CommunicationClasses classes_by_shape(const CommunicationUse& use, const chakra::CommGroups& groups) {
  std::map<RankAxis, std::vector<Ranks>> lines;
  std::map<RankAxis, bool> only_all_to_all;
  for (const auto& [name, collectives] : use.groups) {
    const Ranks ranks = sorted(groups.ranks(name));
    const std::optional<RankAxis> axis = line_of(ranks);
    if (!axis) continue;
    std::vector<Ranks>& of_axis = lines[*axis];
    if (std::find(of_axis.begin(), of_axis.end(), ranks) == of_axis.end()) of_axis.push_back(ranks);
    const auto known = only_all_to_all.emplace(*axis, true).first;
    known->second = known->second && collectives.only_all_to_all;
  }
  CommunicationClasses found;
  const std::optional<RankAxis> pipeline = axis_of_messages(use);
  for (const auto& [axis, members] : lines)
    if (axis.size < use.ranks ? is_axis(axis, members, use.ranks) : lines.size() == 1 && !pipeline)
      found.axes.push_back(axis);
  if (pipeline) {
    const auto same = [&](const RankAxis& each) { return each.stride == pipeline->stride; };
    const auto axis = std::find_if(found.axes.begin(), found.axes.end(), same);
    if (axis == found.axes.end()) found.axes.push_back(*pipeline);
    std::sort(found.axes.begin(), found.axes.end());
    std::find_if(found.axes.begin(), found.axes.end(), same)->traffic_class = "pp";
  }
  if (!is_grid(found.axes, use.ranks)) {
    found.undecided.push_back("the groups are no axes of one grid of ranks");
    for (RankAxis& axis : found.axes) axis.traffic_class.clear();
    decide(use, groups, found);
    return found;
  }
  std::vector<RankAxis*> others;
  for (RankAxis& axis : found.axes) {
    if (!axis.traffic_class.empty()) continue;
    if (only_all_to_all[axis])
      axis.traffic_class = "ep";
    else
      others.push_back(&axis);
  }
  if (others.size() == 2) {
    others[0]->traffic_class = "mp";
    others[1]->traffic_class = "dp";
  }
  decide(use, groups, found);
  return found;
}

CommunicationClasses classes_by_axes(const CommunicationUse& use, const chakra::CommGroups& groups,
                                     std::vector<RankAxis> axes) {
  std::uint64_t inner = 1;
  for (RankAxis& axis : axes) {
    axis.stride = static_cast<std::uint32_t>(inner);
    inner *= axis.size;
    if (inner > use.ranks) break;
  }
  if (inner != use.ranks)
    throw std::invalid_argument(
        fmt::format("the axes are of {} ranks or more, and the traces of {}", inner, use.ranks));
  CommunicationClasses found;
  found.axes = std::move(axes);
  decide(use, groups, found);
  return found;
}

}  // namespace wafertlm::edit
