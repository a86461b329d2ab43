// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline.h"

#include <algorithm>
#include <tuple>

namespace wafertlm {
namespace {

/// "compute", "receive", "memory load": as a user reads it.
const char* kind_name(Task::Kind kind) {
  constexpr const char* kNames[] = {"none", "compute", "cpu",         "collective",
                                    "send", "receive", "memory load", "memory store"};
  return kNames[static_cast<std::size_t>(kind)];
}

using Json = nlohmann::ordered_json;

}  // namespace

std::uint32_t Timeline::intern(const std::string& text) {
  const auto [found, is_new] = places_.try_emplace(text, static_cast<std::uint32_t>(strings_.size()));
  if (is_new) strings_.push_back(text);
  return found->second;
}

/// Keeps the `to` longest, and the order of the rest.
template <typename Item>
void Timeline::thin(std::vector<Item>& items, std::size_t to, std::uint64_t& left_out) {
  if (items.size() <= to) return;
  std::vector<TimePs> times;
  for (const Item& item : items) times.push_back(item.time());
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(to), times.end(),
                   std::greater<>());
  const TimePs least = times[to];
  std::size_t equal = to;  // of those as long as `least`, the first ones
  for (const Item& item : items) equal -= item.time() > least ? 1 : 0;
  const auto goes = [&](const Item& item) {
    if (item.time() != least) return item.time() < least;
    if (equal == 0) return true;
    --equal;
    return false;
  };
  const std::size_t before = items.size();
  std::vector<Item> kept;
  for (const Item& item : items)
    if (!goes(item)) kept.push_back(item);
  items = std::move(kept);
  left_out += before - items.size();
}

void Timeline::operation_started(std::uint32_t rank, const Task& task, TimePs now) {
  open_[{rank, task.id}] = now;
}

void Timeline::operation_ended(std::uint32_t rank, const Task& task, TimePs start_ps, TimePs end_ps) {
  const auto issued = open_.find({rank, task.id});
  const bool is_collective = task.kind == Task::Kind::collective;
  operations_.push_back({rank, task.kind, intern(task.name), intern(task.traffic_class),
                         is_collective ? intern(task.group) : ~std::uint32_t{0}, issued->second, start_ps,
                         end_ps, task.bytes, task.id,
                         is_collective ? task.number : std::uint64_t{task.peer}});
  open_.erase(issued);
  if (operations_.size() >= 2 * most_) thin(operations_, most_, operations_left_out_);
}

void Timeline::time_spent(std::uint32_t rank, TimePs from_ps, TimePs to_ps, const std::string& category) {
  spent_.push_back({rank, from_ps, to_ps, intern(category)});
  if (spent_.size() >= 2 * most_) thin(spent_, most_, spent_left_out_);
}

nlohmann::ordered_json Timeline::json() {
  thin(operations_, most_, operations_left_out_);
  thin(spent_, most_, spent_left_out_);
  const auto order = [](const auto& items, const auto& key) {
    std::vector<const std::decay_t<decltype(items.front())>*> sorted;
    for (const auto& item : items) sorted.push_back(&item);
    std::sort(sorted.begin(), sorted.end(), [&](auto* a, auto* b) { return key(*a) < key(*b); });
    return sorted;
  };
  Json operations = Json::array(), spent = Json::array();
  for (const Entry* at :
       order(operations_, [](const Entry& e) { return std::make_tuple(e.rank, e.start_ps, e.node); }))
    operations.push_back({at->rank, intern(kind_name(at->kind)), at->name, at->traffic_class, at->issued_ps,
                          at->start_ps, at->end_ps, at->bytes, at->node,
                          at->group == ~std::uint32_t{0} ? std::int64_t{-1} : std::int64_t{at->group},
                          at->number});
  // Neighbours of one category become one.
  Stretch open{};
  const auto put = [&] {
    if (open.to_ps != 0) spent.push_back({open.rank, open.from_ps, open.to_ps, open.category});
  };
  for (const Stretch* at :
       order(spent_, [](const Stretch& s) { return std::make_tuple(s.rank, s.from_ps); })) {
    if (open.to_ps == at->from_ps && open.rank == at->rank && open.category == at->category) {
      open.to_ps = at->to_ps;
      continue;
    }
    put();
    open = *at;
  }
  put();
  return {{"strings", strings_},
          {"operations", operations},
          {"operations_left_out", operations_left_out_},
          {"spent", spent},
          {"spent_left_out", spent_left_out_}};
}

}  // namespace wafertlm
