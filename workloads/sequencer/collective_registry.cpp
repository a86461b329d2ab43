// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/collective_registry.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tlm/shape/fabric_traits.h"

namespace wafertlm {
namespace {

/// By chakra::CollectiveType.
constexpr std::array<CollectiveType, chakra::kCollectiveTypes> kTypes = {
    CollectiveType::all_reduce, CollectiveType::reduce,         CollectiveType::all_gather,
    CollectiveType::gather,     CollectiveType::scatter,        CollectiveType::broadcast,
    CollectiveType::all_to_all, CollectiveType::reduce_scatter, CollectiveType::reduce_scatter,
    CollectiveType::barrier};

CollectiveType type_of(const Task& task) { return kTypes.at(static_cast<std::size_t>(task.collective)); }

std::string describe(std::uint64_t node, const std::string& name, CollectiveType type, std::uint64_t bytes,
                     const std::string& cls) {
  Task task;
  task.id = node;
  task.name = name;
  return fmt::format("{}, {} of {} B in class {}", describe(task), to_string(type), bytes, cls);
}

}  // namespace

std::string CollectiveRecord::type_name() const {
  if (!io_stream) return to_string(type);
  return type == CollectiveType::broadcast ? "stream_in" : "stream_out";
}

CollectiveRegistry::CollectiveRegistry(const chakra::CommGroups& groups, const FabricTraits& fabric,
                                       CollectivePlanner planner, StreamPlanner stream_planner)
    : groups_(groups),
      fabric_(fabric),
      planner_(std::move(planner)),
      stream_planner_(std::move(stream_planner)) {}

CollectiveRegistry::Plan CollectiveRegistry::plan(const Task& task) const {
  const CollectiveType type = type_of(task);
  const auto& ranks = groups_.ranks(task.group);
  if (!task.io_stream) {
    const CollectiveRequest request = planner_(type, task.group, ranks, task.bytes);
    auto program = plan_collective(request, fabric_);
    const CollectiveCost cost = cost_of(*program, request, fabric_);
    return {{std::move(program)}, cost};
  }
  const IoStream stream = plan_io_stream(stream_planner_(type, ranks, task.bytes), fabric_);
  Plan plan{{}, stream.cost};
  for (const auto& channel : stream.channels)
    if (channel->bytes != 0) plan.programs.push_back(channel);
  // Of a stream without bytes one goes the way of the others.
  if (plan.programs.empty()) plan.programs.push_back(stream.channels.front());
  return plan;
}

const CollectiveRegistry::Plan& CollectiveRegistry::plan_of(const Task& task) {
  Plan& planned = plans_[{task.group, type_of(task), task.io_stream, task.bytes}];
  if (planned.programs.empty()) planned = plan(task);
  return planned;
}

const CollectiveRegistry::Programs& CollectiveRegistry::plan_ahead(const Task& task) {
  return plan_of(task).programs;
}

CollectiveRecord& CollectiveRegistry::open(PerGroup& group, const Task& task) {
  total_ += like_ ? (*like_)[task.group_number].size() : 1;
  auto record = std::make_unique<CollectiveRecord>();
  // The same numbers however the ranks happen to come.
  record->id = task.number * groups_.count() + task.group_number + 1;
  record->sequence = task.number;
  record->name = task.name;
  record->group = task.group;
  record->traffic_class = task.traffic_class;
  record->type = type_of(task);
  record->io_stream = task.io_stream;
  record->bytes = task.bytes;
  const auto& ranks = groups_.ranks(task.group);
  record->group_size = static_cast<std::uint32_t>(
      only_.empty() ? ranks.size()
                    : static_cast<std::size_t>(std::count_if(
                          ranks.begin(), ranks.end(), [this](std::uint32_t rank) { return only_[rank]; })));
  record->is_in.resize(ranks.size());

  const Plan& planned = plan_of(task);
  record->programs = planned.programs;
  record->cost = planned.cost;
  record->algorithm = record->programs.front()->algorithm;
  record->chunks = record->programs.front()->chunks;
  return *(group[task.number] = std::move(record));
}

CollectiveRegistry::Entry CollectiveRegistry::enter(std::uint32_t rank, const Task& task, TimePs now,
                                                    const CauseRef& cause) {
  PerGroup& group = by_group_[task.group];
  const auto& ranks = groups_.ranks(task.group);
  const auto found = group.find(task.number);
  const bool is_first = found == group.end();
  CollectiveRecord& record = is_first ? open(group, task) : *found->second;
  if (is_first) {
    record.first_rank = rank;
    record.first_node = task.id;
  }
  if (record.type != type_of(task) || record.io_stream != task.io_stream || record.bytes != task.bytes ||
      record.traffic_class != task.traffic_class)
    throw std::runtime_error(
        fmt::format("collective number {} of group '{}': rank {} enters {} and rank {} enters {}",
                    task.number, task.group, record.first_rank,
                    describe(record.first_node, record.name, record.type, record.bytes, record.traffic_class),
                    rank, describe(task.id, task.name, type_of(task), task.bytes, task.traffic_class)));
  record.entered += like_ ? record.group_size : 1;
  record.cause.take_later(cause);
  record.first_entry_ps = std::min(record.first_entry_ps, now);
  record.last_entry_ps = std::max(record.last_entry_ps, now);
  const auto position = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
  record.is_in[static_cast<std::size_t>(position)] = true;
  if (record.entered == record.group_size) record.is_in = {};
  return {&record, static_cast<std::uint32_t>(position)};
}

void CollectiveRegistry::leave(CollectiveRecord& record, TimePs now) {
  record.end_ps = std::max(record.end_ps, now);
  record.left += like_ ? record.group_size : 1;
  if (record.left < record.group_size) return;
  record.programs = {};
  record.cause = {};
  if (like_) add_like(record);
}

/// What the groups did that do the same.
void CollectiveRegistry::add_like(const CollectiveRecord& record) {
  const std::size_t own = groups_.number(record.group);
  for (const std::uint32_t number : (*like_)[own]) {
    if (number == own) continue;
    auto other = std::make_unique<CollectiveRecord>(record);
    other->id = record.id - own + number;
    other->group = groups_.name(number);
    other->cost = plans_.at({other->group, record.type, record.io_stream, record.bytes}).cost;
    by_group_[other->group][record.sequence] = std::move(other);
  }
}

void CollectiveRegistry::explain(const CollectiveRecord& record, TaskEnd& end) {
  end.run.start_ps = record.last_entry_ps;
  end.cause = record.cause;
}

void CollectiveRegistry::drop(TimePs from_ps, TimePs to_ps,
                              const std::function<void(const CollectiveRecord&)>& last_look) {
  for (auto& [name, group] : by_group_)
    for (auto each = group.begin(); each != group.end();) {
      const CollectiveRecord& record = *each->second;
      const bool is_over = record.left == record.group_size && (!record.io_stream || record.is_out);
      if (is_over && record.first_entry_ps >= from_ps && record.first_entry_ps < to_ps) {
        last_look(record);
        each = group.erase(each);
      } else {
        ++each;
      }
    }
}

std::vector<const CollectiveRecord*> CollectiveRegistry::records() const {
  std::vector<const CollectiveRecord*> all;
  for (const auto& [name, group] : by_group_)
    for (const auto& [sequence, record] : group) all.push_back(record.get());
  std::sort(all.begin(), all.end(), [](const CollectiveRecord* a, const CollectiveRecord* b) {
    return a->first_entry_ps != b->first_entry_ps ? a->first_entry_ps < b->first_entry_ps : a->id < b->id;
  });
  return all;
}

std::vector<std::uint32_t> CollectiveRegistry::absent(const CollectiveRecord& record) const {
  std::vector<std::uint32_t> absent;
  const auto& ranks = groups_.ranks(record.group);
  for (std::size_t position = 0; position < record.is_in.size(); ++position)
    if (!record.is_in[position]) absent.push_back(ranks[position]);
  std::sort(absent.begin(), absent.end());
  return absent;
}

std::vector<std::pair<const CollectiveRecord*, std::string>> CollectiveRegistry::unfinished() const {
  std::vector<std::pair<const CollectiveRecord*, std::string>> lines;
  for (const auto& [name, group] : by_group_)
    for (const auto& [sequence, record] : group) {
      if (record->entered == record->group_size) continue;
      std::string missing;
      for (const std::uint32_t rank : absent(*record))
        missing += fmt::format("{}{}", missing.empty() ? "" : ", ", rank);
      lines.emplace_back(record.get(),
                         fmt::format("rank {}: {}{} waits for rank {} to enter it", record->first_rank,
                                     describe(record->first_node, record->name, record->type, record->bytes,
                                              record->traffic_class),
                                     name.empty() ? "" : " of group '" + name + "'", missing));
    }
  return lines;
}

}  // namespace wafertlm
