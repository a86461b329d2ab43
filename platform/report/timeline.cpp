// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline.h"

#include <algorithm>
#include <optional>
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

/// Keeps the longest, and the order of the rest; of equal ones the first. The others become short ones.
void Timeline::thin_operations() {
  if (operations_.size() <= most_) return;
  std::vector<TimePs> times;
  for (const Entry& each : operations_) times.push_back(each.time());
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(most_), times.end(),
                   std::greater<>());
  const TimePs least = times[most_];
  std::size_t equal = most_;  // of those as long as `least`, the first ones
  for (const Entry& each : operations_) equal -= each.time() > least ? 1 : 0;
  std::vector<Entry> kept;
  for (const Entry& each : operations_) {
    if (each.time() < least || (each.time() == least && equal == 0)) {
      short_.push_back(
          {each.rank, each.kind, each.traffic_class, each.start_ps, each.end_ps, each.time(), 1});
      continue;
    }
    equal -= each.time() == least ? 1 : 0;
    kept.push_back(each);
  }
  operations_ = std::move(kept);
  merge_short();
}

/// In order, and as few as may be kept: those of a kind and class in the same part of a resolution become
/// one.
void Timeline::merge_short() {
  const auto key = [](const Short& each) {
    return std::make_tuple(each.rank, each.kind, each.traffic_class);
  };
  std::stable_sort(short_.begin(), short_.end(), [&](const Short& a, const Short& b) {
    return std::make_pair(key(a), a.from_ps) < std::make_pair(key(b), b.from_ps);
  });
  TimePs end_ps = 0;
  for (const Short& each : short_) end_ps = std::max(end_ps, each.to_ps);
  const auto is_in_part_of = [&](const Short& each, const Short& last) {
    const TimePs part = last.from_ps / short_resolution_ps_;
    return key(each) == key(last) && std::max(each.to_ps, last.to_ps) <= (part + 1) * short_resolution_ps_;
  };
  const auto join = [&] {
    std::vector<Short> joined;
    for (const Short& each : short_) {
      if (joined.empty() || !is_in_part_of(each, joined.back())) {
        joined.push_back(each);
        continue;
      }
      joined.back().to_ps = std::max(joined.back().to_ps, each.to_ps);
      joined.back().time_ps += each.time_ps;
      joined.back().count += each.count;
    }
    short_ = std::move(joined);
  };
  if (short_resolution_ps_ != 0) join();  // what came since
  while (short_.size() > most_ && short_resolution_ps_ <= end_ps) {
    short_resolution_ps_ = std::max<TimePs>(1, 2 * short_resolution_ps_);
    join();
  }
}

void Timeline::Stretch::add(const Stretch& next) {
  const auto add_part = [&](std::uint32_t of, TimePs time_ps) {
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == of; });
    if (part != parts.end())
      part->second += time_ps;
    else
      parts.emplace_back(of, time_ps);
  };
  if (parts.empty()) parts = {{category, to_ps - from_ps}};
  if (next.parts.empty()) add_part(next.category, next.to_ps - next.from_ps);
  for (const auto& [of, time_ps] : next.parts) add_part(of, time_ps);
  to_ps = next.to_ps;
}

void Timeline::merge_spent() {
  std::stable_sort(spent_.begin(), spent_.end(), [](const Stretch& a, const Stretch& b) {
    return std::make_pair(a.rank, a.from_ps) < std::make_pair(b.rank, b.from_ps);
  });
  TimePs end_ps = 0;
  for (const Stretch& each : spent_) end_ps = std::max(end_ps, each.to_ps);
  /// Whether it lies in one part of the resolution, and in which.
  const auto part_of = [&](const Stretch& each) -> std::optional<TimePs> {
    if (resolution_ps_ == 0 || each.from_ps == each.to_ps) return std::nullopt;
    const TimePs first = each.from_ps / resolution_ps_, last = (each.to_ps - 1) / resolution_ps_;
    return first == last && each.to_ps - each.from_ps < resolution_ps_ ? std::optional(first) : std::nullopt;
  };
  const auto join = [&] {
    std::vector<Stretch> joined;
    for (Stretch& each : spent_) {
      Stretch* const last = joined.empty() || joined.back().rank != each.rank ? nullptr : &joined.back();
      if (last != nullptr && last->to_ps == each.from_ps && last->parts.empty() && each.parts.empty() &&
          last->category == each.category)
        last->to_ps = each.to_ps;  // neighbours of one category
      else if (last != nullptr && part_of(*last) && part_of(*last) == part_of(each))
        last->add(each);
      else
        joined.push_back(std::move(each));
    }
    spent_ = std::move(joined);
  };
  join();
  while (spent_.size() > most_ && resolution_ps_ <= end_ps) {
    resolution_ps_ = std::max<TimePs>(1, 2 * resolution_ps_);
    join();
  }
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
  if (operations_.size() >= 2 * most_) thin_operations();
}

void Timeline::time_spent(std::uint32_t rank, TimePs from_ps, TimePs to_ps, const std::string& category) {
  spent_.push_back({rank, from_ps, to_ps, intern(category)});
  if (spent_.size() >= 2 * most_) merge_spent();
}

nlohmann::ordered_json Timeline::json() {
  thin_operations();
  merge_spent();
  std::vector<const Entry*> sorted;
  for (const Entry& each : operations_) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) {
    return std::make_tuple(a->rank, a->start_ps, a->node) < std::make_tuple(b->rank, b->start_ps, b->node);
  });
  Json operations = Json::array(), shorts = Json::array(), spent = Json::array();
  for (const Entry* at : sorted)
    operations.push_back({at->rank, intern(kind_name(at->kind)), at->name, at->traffic_class, at->issued_ps,
                          at->start_ps, at->end_ps, at->bytes, at->node,
                          at->group == ~std::uint32_t{0} ? std::int64_t{-1} : std::int64_t{at->group},
                          at->number});
  for (const Short& each : short_)
    shorts.push_back({each.rank, intern(kind_name(each.kind)), each.traffic_class, each.from_ps, each.to_ps,
                      each.time_ps, each.count});
  for (const Stretch& each : spent_)
    spent.push_back(
        {each.rank, each.from_ps, each.to_ps, each.parts.empty() ? Json(each.category) : Json(each.parts)});
  return {{"strings", strings_},
          {"operations", operations},
          {"short", shorts},
          {"spent", spent},
          {"spent_resolution_ps", resolution_ps_}};
}

}  // namespace wafertlm
