// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/collective_registry.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>

namespace wafertlm {
namespace {

/// Chakra's name in small letters is ours.
std::optional<CollectiveType> type_of(chakra::CollectiveType chakra_type) {
  if (chakra_type == chakra::CollectiveType::ReduceScatterBlock)
    chakra_type = chakra::CollectiveType::ReduceScatter;
  std::string name = chakra::to_string(chakra_type);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const CollectiveType type : kCollectiveTypes)
    if (name == to_string(type)) return type;
  return std::nullopt;
}

CollectiveType type_of(const Task& task) {
  if (const auto type = type_of(task.collective)) return *type;
  throw std::invalid_argument(wafertlm::describe(task) + ": a collective of type " +
                              chakra::to_string(task.collective) + " cannot be run");
}

std::string describe(const std::string& name, CollectiveType type, std::uint64_t bytes,
                     const std::string& cls) {
  return std::string(to_string(type)) + " of " + std::to_string(bytes) + " B in class " + cls + " (\"" +
         name + "\")";
}

}  // namespace

bool can_run(chakra::CollectiveType type) { return type_of(type).has_value(); }

CollectiveRegistry::CollectiveRegistry(const chakra::CommGroups& groups, const FabricTraits& fabric,
                                       CollectivePlanner planner)
    : groups_(groups), fabric_(fabric), planner_(std::move(planner)) {}

CollectiveRecord& CollectiveRegistry::plan(PerGroup& group, std::uint64_t sequence, const Task& task) {
  auto record = std::make_unique<CollectiveRecord>();
  // The same numbers however the ranks happen to come.
  record->id = sequence * groups_.count() + groups_.number(task.group) + 1;
  record->sequence = sequence;
  record->name = task.name;
  record->group = task.group;
  record->traffic_class = task.traffic_class;
  record->type = type_of(task);
  record->bytes = task.bytes;
  const auto& ranks = groups_.ranks(task.group);
  record->group_size = static_cast<std::uint32_t>(ranks.size());

  auto& planned = plans_[{task.group, record->type, record->bytes}];
  if (!planned.first) {
    const CollectiveRequest request = planner_(record->type, ranks, record->bytes);
    planned.first = plan_collective(request, fabric_);
    planned.second = cost_of(*planned.first, request, fabric_);
  }
  record->program = planned.first;
  record->cost = planned.second;
  record->algorithm = record->program->algorithm;
  return *(group.records[sequence] = std::move(record));
}

CollectiveRegistry::Entry CollectiveRegistry::enter(std::uint32_t rank, const Task& task, TimePs now,
                                                    const CauseRef& cause) {
  const auto [place, is_new] = by_group_.try_emplace(task.group);
  PerGroup& group = place->second;
  const auto& ranks = groups_.ranks(task.group);
  if (is_new) group.entered.resize(groups_.num_ranks());
  const std::uint64_t sequence = group.entered[rank]++;
  const auto found = group.records.find(sequence);
  CollectiveRecord& record = found == group.records.end() ? plan(group, sequence, task) : *found->second;
  group.first_rank.try_emplace(sequence, rank);
  if (record.type != type_of(task) || record.bytes != task.bytes ||
      record.traffic_class != task.traffic_class)
    throw std::runtime_error("collective number " + std::to_string(sequence) + " of group '" + task.group +
                             "': rank " + std::to_string(group.first_rank[sequence]) + " enters " +
                             describe(record.name, record.type, record.bytes, record.traffic_class) +
                             " and rank " + std::to_string(rank) + " enters " +
                             describe(task.name, type_of(task), task.bytes, task.traffic_class));
  ++record.entered;
  record.cause.take_later(cause);
  record.first_entry_ps = std::min(record.first_entry_ps, now);
  record.last_entry_ps = std::max(record.last_entry_ps, now);
  const auto position = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
  return {&record, static_cast<std::uint32_t>(position)};
}

void CollectiveRegistry::leave(CollectiveRecord& record, TimePs now) {
  record.end_ps = std::max(record.end_ps, now);
  if (++record.left < record.group_size) return;
  record.program.reset();
  record.cause = {};
}

void CollectiveRegistry::explain(const CollectiveRecord& record, TaskEnd& end) {
  end.run.start_ps = record.last_entry_ps;
  end.cause = record.cause;
}

std::vector<const CollectiveRecord*> CollectiveRegistry::records() const {
  std::vector<const CollectiveRecord*> all;
  for (const auto& [name, group] : by_group_)
    for (const auto& [sequence, record] : group.records) all.push_back(record.get());
  std::sort(all.begin(), all.end(), [](const CollectiveRecord* a, const CollectiveRecord* b) {
    return a->first_entry_ps != b->first_entry_ps ? a->first_entry_ps < b->first_entry_ps : a->id < b->id;
  });
  return all;
}

std::vector<std::uint32_t> CollectiveRegistry::absent(const CollectiveRecord& record) const {
  std::vector<std::uint32_t> ranks;
  const PerGroup& group = by_group_.at(record.group);
  for (const std::uint32_t rank : groups_.ranks(record.group))
    if (group.entered[rank] <= record.sequence) ranks.push_back(rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::vector<std::string> CollectiveRegistry::unfinished() const {
  std::vector<std::string> lines;
  for (const auto& [name, group] : by_group_)
    for (const auto& [sequence, record] : group.records) {
      if (record->entered == record->group_size) continue;
      std::string missing;
      for (const std::uint32_t rank : absent(*record))
        missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
      lines.push_back(describe(record->name, record->type, record->bytes, record->traffic_class) +
                      " of group '" + name + "' waits for rank " + missing + " to enter");
    }
  return lines;
}

}  // namespace wafertlm
