// SPDX-License-Identifier: Apache-2.0
// What must hold between the ranks of a job.
#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "workloads/chakra/dependency_order.h"
#include "workloads/chakra/peer_messages.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::chakra {
namespace {

/// Takes the ranks one after another; holds one list of collectives per group and the unmatched messages.
class JobChecker {
 public:
  JobChecker(const std::vector<NodeSource*>& ranks, const CommGroups& groups)
      : ranks_(ranks), groups_(groups) {}

  void take_rank(std::uint32_t rank, const RankCheck& check) {
    std::map<std::uint32_t, std::vector<Communication>> collectives;
    for (Communication entry : check.communications) {
      entry.traffic_class = job_class(check.classes[entry.traffic_class]);
      if (entry.type == NodeType::CommColl)
        collectives[entry.group].push_back(entry);
      else
        take_message(rank, entry);
    }
    for (auto& [group, list] : collectives) compare(rank, group, list);
    for (const auto& [group, first] : first_)  // groups in which this rank runs nothing
      if (collectives.count(group) == 0 && groups_.holds(groups_.name(group), rank)) compare(rank, group, {});
    for (auto& [group, list] : collectives) first_.try_emplace(group, First{rank, std::move(list)});
  }

  void finish() const {
    for (const auto& [route, waiting] : messages_) {
      if (waiting.empty()) continue;
      const auto& [rank, entry] = waiting.front();
      const bool sent = entry.type == NodeType::CommSend;
      throw TraceError(fmt::format("{}: a {} without a {} rank {} ({}); {} on this route are unmatched",
                                   location(rank, entry.node), route_text(route, sent),
                                   sent ? "receive at" : "send from", entry.peer, ranks_[entry.peer]->name(),
                                   waiting.size()));
    }
  }

 private:
  struct First {
    std::uint32_t rank;
    std::vector<Communication> list;
  };
  using Route = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // source, destination, tag

  /// The list of `rank` in `group` against that of the first rank that had one.
  void compare(std::uint32_t rank, std::uint32_t group, const std::vector<Communication>& list) const {
    const auto found = first_.find(group);
    if (found == first_.end()) {
      // Ranks before this one had none in the group.
      for (const std::uint32_t other : groups_.ranks(groups_.name(group)))
        if (other < rank) one_has_more({rank, list}, other, 0, group);
      return;
    }
    const First& first = found->second;
    const std::size_t both = std::min(list.size(), first.list.size());
    for (std::size_t index = 0; index < both; ++index)
      if (list[index].collective != first.list[index].collective ||
          list[index].io_stream != first.list[index].io_stream ||
          list[index].bytes != first.list[index].bytes ||
          list[index].traffic_class != first.list[index].traffic_class)
        throw TraceError(fmt::format("ranks disagree on collective {} of {}: {}, but {}", index,
                                     group_text(group), text(first.rank, first.list[index]),
                                     text(rank, list[index])));
    if (list.size() > both) one_has_more({rank, list}, first.rank, both, group);
    if (first.list.size() > both) one_has_more(first, rank, both, group);
  }

  [[noreturn]] void one_has_more(const First& more, std::uint32_t other, std::size_t index,
                                 std::uint32_t group) const {
    throw TraceError(fmt::format("ranks disagree on collective {} of {}: {}, but rank {} ({}) has only {}",
                                 index, group_text(group), text(more.rank, more.list[index]), other,
                                 ranks_[other]->name(), index));
  }

  void take_message(std::uint32_t rank, const Communication& entry) {
    const bool sent = entry.type == NodeType::CommSend;
    const Route route = sent ? Route{rank, entry.peer, entry.tag} : Route{entry.peer, rank, entry.tag};
    auto& waiting = messages_[route];
    if (waiting.empty() || waiting.front().second.type == entry.type) {
      waiting.emplace_back(rank, entry);
      return;
    }
    const auto [other_rank, other] = waiting.front();
    waiting.pop_front();
    if (other.bytes != entry.bytes)
      throw TraceError(fmt::format("{}: a {} has {} B, but its other side {} has {} B",
                                   location(rank, entry.node), route_text(route, sent), entry.bytes,
                                   location(other_rank, other.node), other.bytes));
  }

  /// The ranks' own numbers of classes become those of the job.
  std::uint8_t job_class(const std::string& name) {
    const auto found = std::find(classes_.begin(), classes_.end(), name);
    const auto index = found - classes_.begin();
    if (index > std::numeric_limits<std::uint8_t>::max()) throw TraceError("more than 256 traffic classes");
    if (found == classes_.end()) classes_.push_back(name);
    return static_cast<std::uint8_t>(index);
  }

  std::string location(std::uint32_t rank, std::uint64_t node) const {
    return fmt::format("rank {} ({}) {}", rank, ranks_[rank]->name(),
                       describe_nodes(*ranks_[rank], {node}).front());
  }
  std::string text(std::uint32_t rank, const Communication& entry) const {
    return fmt::format("{} is {}{}{} B in class {}", location(rank, entry.node), to_string(entry.collective),
                       entry.io_stream ? " through the I/O controllers of " : " of ", entry.bytes,
                       printable(classes_[entry.traffic_class]));
  }
  std::string group_text(std::uint32_t number) const {
    const std::string& group = groups_.name(number);
    return group.empty() ? "the group of all ranks" : "group \"" + printable(group) + "\"";
  }
  static std::string route_text(const Route& route, bool sent) {
    return fmt::format("{} (source {}, destination {}, tag {})", sent ? "send" : "receive",
                       std::get<0>(route), std::get<1>(route), std::get<2>(route));
  }

  const std::vector<NodeSource*>& ranks_;
  const CommGroups& groups_;
  std::vector<std::string> classes_;
  std::map<std::uint32_t, First> first_;
  std::map<Route, std::deque<std::pair<std::uint32_t, Communication>>> messages_;
};

}  // namespace

std::vector<TraceSummary> validate_job(const std::vector<NodeSource*>& ranks, const CommGroups& groups,
                                       const ValidateOptions& options) {
  if (ranks.size() != groups.num_ranks())
    throw TraceError(fmt::format("a job of {} ranks, but {} traces", groups.num_ranks(), ranks.size()));
  std::vector<std::unique_ptr<NodeSource>> owned;
  std::vector<NodeSource*> expanded;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    owned.push_back(with_peer_messages(*ranks[rank], groups, rank));
    expanded.push_back(owned.back().get());
  }
  OneSet set;
  for (const NodeSource* const rank : ranks) set.add(*rank);
  JobChecker job(expanded, groups);
  std::vector<TraceSummary> summaries;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    RankCheck check = check_rank(*expanded[rank], rank, groups, options);
    summaries.push_back(check.summary);
    job.take_rank(rank, check);
  }
  job.finish();
  return summaries;
}

void require_group_of_file(const std::vector<TraceSummary>& ranks, std::size_t count,
                           const std::string& file) {
  if (count == 1) return;  // an empty file: there is only the group of all ranks
  const auto of_file = [&](std::size_t number) { return number != 0 && number < count; };
  for (const TraceSummary& rank : ranks)
    if (std::any_of(rank.groups.begin(), rank.groups.end(), of_file)) return;
  throw TraceError(file + ": no node of the traces names a group of it (attribute pg_name); leave it out");
}

}  // namespace wafertlm::chakra
