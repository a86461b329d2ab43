// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/job_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace wafertlm::pytorch {
namespace {

using chakra::CollectiveType;
using chakra::NodeType;

/// Items that communicate, in the order of the graph.
std::vector<std::uint32_t> communications_in_order(const Graph& graph) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t index : graph.order)
    if (graph.items[index].communication != 0) found.push_back(index);
  return found;
}

/// Chakra's comm_size: of an all-gather what each contributes, else the full local buffer.
std::uint64_t size_of(const Communication& communication, const CommunicationKind& kind) {
  const bool largest = kind.type == NodeType::CommRecv || kind.collective == CollectiveType::Scatter ||
                       kind.collective == CollectiveType::Gather ||
                       kind.collective == CollectiveType::ReduceScatter;
  return largest ? std::max(communication.in_bytes, communication.out_bytes) : communication.in_bytes;
}

bool is_uneven(const Communication& communication, const CommunicationKind& kind) {
  if (kind.type != NodeType::CommColl || kind.collective != CollectiveType::AllToAll) return false;
  const auto uneven = [](const std::vector<std::uint64_t>& parts) {
    return !parts.empty() &&
           std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) != parts.end();
  };
  return uneven(communication.in_split) || uneven(communication.out_split) ||
         communication.in_bytes != communication.out_bytes;
}

/// Bytes of the parts for or from each member; empty: `split` does not tell.
std::vector<std::uint64_t> parts_of(std::uint64_t bytes, std::vector<std::uint64_t> split,
                                    std::size_t members) {
  if (split.empty()) split.assign(members, 1);
  std::uint64_t sum = 0;
  for (const std::uint64_t part : split)
    if (__builtin_add_overflow(sum, part, &sum)) return {};
  if (split.size() != members || (sum == 0 ? bytes != 0 : bytes % sum != 0)) return {};
  for (std::uint64_t& part : split) part = sum == 0 ? 0 : part * (bytes / sum);
  return split;
}

/// Names under which nothing is said of members: of the group of all ranks, and addresses in older traces.
bool may_be_all(const std::string& name) {
  return name.empty() || name == "0" || name == "default_pg" || name.front() == '#';
}

}  // namespace

void JobGroups::add(const std::string& file, const Members& declared) {
  for (const auto& [name, ranks] : declared) {
    const auto [known, is_new] = declared_.emplace(name, ranks);
    files_.emplace(name, file);
    if (!is_new && known->second != ranks) contradicted_.emplace(name, files_[name] + " and " + file);
  }
}

void JobGroups::require_no_contradiction(const ImportedRank& rank, const Communication& communication,
                                         const std::optional<std::vector<std::uint32_t>>& members,
                                         std::uint32_t world_size) const {
  const auto fail = [&](const std::string& what) {
    throw chakra::TraceError(
        fmt::format("{}: process group \"{}\" {}; give a file {{\"NAME\": [0, 1], …}} as --comm-groups",
                    rank.name, chakra::printable(communication.group), what));
  };
  const std::uint32_t size = communication.group_size;
  const bool is_given = given_.count(communication.group) != 0;
  const auto contradicted = contradicted_.find(communication.group);
  if (!is_given && communication.ranks.empty() && contradicted != contradicted_.end())
    fail("has different ranks in " + contradicted->second);
  if (!members) {
    if (size != 0)
      fail(fmt::format("has {} of the job's {} ranks, and nothing says which", size, world_size));
    if (!may_be_all(communication.group)) fail("is not defined by the traces");
    return;
  }
  const auto declared = declared_.find(communication.group);
  if (!is_given && !communication.ranks.empty() && declared != declared_.end() &&
      contradicted == contradicted_.end() && declared->second != communication.ranks)
    fail("has other ranks where it is defined than where it is used");
  if (size != 0 && size != members->size())
    fail(fmt::format("has {} ranks, but its size is {}", members->size(), size));
  if (std::find(members->begin(), members->end(), rank.rank) == members->end())
    fail(fmt::format("does not hold rank {}, which uses it", rank.rank));
}

/// Nothing: the trace does not tell.
std::optional<std::vector<std::uint32_t>> JobGroups::members(const Communication& communication,
                                                             std::uint32_t world_size) const {
  if (const auto found = given_.find(communication.group); found != given_.end()) return found->second;
  if (!communication.ranks.empty()) return communication.ranks;
  if (const auto found = declared_.find(communication.group); found != declared_.end()) return found->second;
  if (communication.group_size != world_size) return std::nullopt;
  std::vector<std::uint32_t> all(world_size);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// Names of groups: "" for one of all ranks, numbers for others.
void JobGroups::find_groups(ImportedJob& job) {
  std::vector<std::uint32_t> all(job.world_size);
  std::iota(all.begin(), all.end(), 0U);
  keys_.resize(job.ranks.size());
  std::set<Key> keys;
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    ImportedRank& rank = job.ranks[r];
    const auto& communications = rank.graph.communications;
    keys_[r].resize(communications.size());
    std::set<std::string> unknown;
    for (const std::uint32_t index : rank.in_order) {
      const std::uint32_t number = rank.graph.items[index].communication - 1;
      const Communication& each = communications[number];
      const auto told = members(each, job.world_size);
      require_no_contradiction(rank, each, told, job.world_size);
      if (!told) unknown.insert(each.group);
      const std::vector<std::uint32_t>& ranks = told ? *told : all;
      for (const std::uint32_t member : ranks)
        if (member >= job.world_size)
          throw chakra::TraceError(
              fmt::format("{}: process group \"{}\" holds rank {}, but the job has {} ranks", rank.name,
                          chakra::printable(each.group), member, job.world_size));
      // The numbers that stand for a group in older traces are addresses, different on every rank.
      keys_[r][number] = Key{told ? each.group : "", ranks};
      keys.insert(keys_[r][number]);
    }
    if (unknown.size() > 1) {
      std::string names;
      for (const std::string& name : unknown)
        names += (names.empty() ? "\"" : ", \"") + chakra::printable(name) + "\"";
      throw chakra::TraceError(
          fmt::format("{}: who belongs to the process groups {} is not told; give a file {{\"NAME\": [0, 1], "
                      "…}} as --comm-groups",
                      rank.name, names));
    }
    if (!unknown.empty())
      rank.notes.push_back(fmt::format(
          "the members of the only process group are not told: taken as all {} ranks", job.world_size));
  }
  bool has_all = false;
  for (const Key& key : keys) {
    if (!has_all && key.second == all) {
      names_[key] = "";
      has_all = true;
      continue;
    }
    const std::string name = std::to_string(job.groups.size() + 1);
    names_[key] = name;
    job.groups[name] = key.second;
  }
}

void JobGroups::place(ImportedRank& rank, const ImportedJob& job) {
  const auto& keys = keys_[static_cast<std::size_t>(&rank - job.ranks.data())];
  rank.placed.resize(rank.graph.communications.size());
  for (const std::uint32_t index : rank.in_order) {
    const std::uint32_t number = rank.graph.items[index].communication - 1;
    const Communication& from = rank.graph.communications[number];
    PlacedCommunication& to = rank.placed[number];
    to.kind = *communication_kind(from.name);
    to.group = names_.at(keys[number]);
    to.bytes = size_of(from, to.kind);
    to.is_uneven = is_uneven(from, to.kind);
    const auto& members = keys[number].second;
    if (to.kind.type == NodeType::CommColl && to.kind.collective == CollectiveType::AllToAll) {
      to.send_bytes = parts_of(from.in_bytes, from.in_split, members.size());
      to.receive_bytes = parts_of(from.out_bytes, from.out_split, members.size());
    }
    if (to.kind.type == NodeType::CommColl) continue;
    if (!from.peer || *from.peer >= members.size())
      throw chakra::TraceError(fmt::format("{}: a {} in group \"{}\" without its peer", rank.name, from.name,
                                           chakra::printable(from.group)));
    to.peer = members[*from.peer];
  }
}

/// An all-to-all has parts if some differ. Where a rank does not tell them, all get the largest buffer.
void JobGroups::place_parts(ImportedJob& job) {
  std::map<std::pair<std::string, std::size_t>, std::vector<PlacedCommunication*>> exchanges;
  for (ImportedRank& rank : job.ranks) {
    std::map<std::string, std::size_t> numbers;
    for (const std::uint32_t index : rank.in_order) {
      PlacedCommunication& placed = rank.placed[rank.graph.items[index].communication - 1];
      if (placed.kind.type != NodeType::CommColl) continue;
      const std::size_t number = numbers[placed.group]++;
      if (placed.kind.collective == CollectiveType::AllToAll)
        exchanges[{placed.group, number}].push_back(&placed);
    }
  }
  for (auto& [which, all] : exchanges) {
    const bool uneven = std::any_of(all.begin(), all.end(), [](const auto* each) { return each->is_uneven; });
    const bool told = std::none_of(all.begin(), all.end(), [](const auto* each) {
      return each->send_bytes.empty() || each->receive_bytes.empty();
    });
    std::uint64_t largest = 0;
    for (const PlacedCommunication* each : all) largest = std::max(largest, each->bytes);
    for (PlacedCommunication* each : all) {
      each->is_uneven = uneven;
      if (uneven && told) continue;
      each->send_bytes = each->receive_bytes = {};
      if (uneven) each->bytes = largest;
    }
  }
}

void JobGroups::place(ImportedJob& job) {
  for (ImportedRank& rank : job.ranks) rank.in_order = communications_in_order(rank.graph);
  find_groups(job);
  for (ImportedRank& rank : job.ranks) place(rank, job);
  place_parts(job);
  for (ImportedRank& rank : job.ranks) {
    const auto uneven = std::count_if(
        rank.placed.begin(), rank.placed.end(),
        [](const PlacedCommunication& each) { return each.is_uneven && each.send_bytes.empty(); });
    if (uneven != 0)
      rank.notes.push_back(
          fmt::format("{} all-to-alls of unequal parts that a rank does not tell: as large as on the rank "
                      "that sends most",
                      uneven));
  }
}

}  // namespace wafertlm::pytorch
