// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

#include "workloads/chakra/group_name.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/pytorch/annotation.h"
#include "workloads/pytorch/categories.h"
#include "workloads/pytorch/decimal.h"
#include "workloads/pytorch/event_values.h"
#include "workloads/pytorch/json_stream.h"
#include "workloads/pytorch/process_groups.h"
#include "workloads/pytorch/timeline.h"

namespace wafertlm::pytorch {
namespace {

constexpr std::string_view kDamaged = "damaged";
constexpr std::size_t kLongestName = 60;
using Role = EventKind::Role;

class TimelineReader final : public JsonVisitor {
 public:
  explicit TimelineReader(Timeline& to) : to_(to) {}

  void begin(char bracket) override;
  void end(char bracket) override;
  void key(std::string_view text) override;
  void value(std::string_view text, bool is_string) override;
  std::size_t skip(const std::string& what, const std::function<std::size_t()>& line) override;
  void finish() override;

 private:
  /// An event of which the end is to come: none, if it is left out.
  struct Begun {
    std::variant<std::string, HostEvent, DeviceEvent> event;  // or the rule by which it is left out
    std::uint32_t name = 0;
  };

  const std::string& get(Field field) const { return values_[field]; }
  void take_event();
  void take_whole(const EventKind& kind);
  void take_begin(const EventKind& kind);
  void take_end();
  HostEvent host_event(bool is_call);
  DeviceEvent device_event();
  void take_sync();
  std::int64_t time(Field field);
  std::int64_t end_time(std::int64_t start);
  std::uint32_t take_communication();
  void damage(const std::string& text);
  void drop_far_events();
  std::uint16_t number(std::unordered_map<std::string, std::uint16_t>& numbers, const std::string& key,
                       std::vector<std::string>& names, const std::string& name);
  std::uint16_t stream(const std::string& device, const std::string& stream);
  void take_distributed(std::string_view text, bool is_string);

  Timeline& to_;
  std::size_t depth_ = 0;
  std::size_t events_depth_ = 0;  ///< of the list of events, while in it
  bool is_list_ = false;          ///< the file is the list
  bool has_events_ = false, in_arguments_ = false, has_fraction_ = false;
  std::string section_;  ///< key of the outermost object
  Field field_ = Field::other;
  Field list_ = Field::other;  ///< whose list is under way
  std::size_t list_depth_ = 0;
  EventValues values_;
  std::unordered_map<std::string, std::vector<Begun>> begun_;  ///< by thread
  std::unordered_map<std::string, std::uint16_t> threads_, streams_;
  // distributedInfo
  std::string distributed_key_, group_name_;
  std::vector<std::uint32_t> group_ranks_;
};

void TimelineReader::begin(char bracket) {
  ++depth_;
  if (depth_ == 1) {
    is_list_ = bracket == '[';
    if (is_list_) events_depth_ = 1;
    has_events_ = has_events_ || is_list_;
    return;
  }
  if (events_depth_ == 0 && depth_ == 2 && section_ == "traceEvents") {
    if (bracket != '[') throw std::invalid_argument("traceEvents is not a list");
    if (has_events_) throw std::invalid_argument("a second list traceEvents");
    events_depth_ = 2;
    has_events_ = true;
    return;
  }
  if (events_depth_ == 0) {
    if (section_ == "distributedInfo" && bracket == '{') {
      group_name_.clear();
      group_ranks_.clear();
    }
    return;
  }
  if (depth_ == events_depth_ + 1) {
    if (bracket != '{') throw std::invalid_argument("an event is not an object");
    values_.clear();
    list_ = Field::other;
  }
  // Of most events the tensors do not matter.
  if (list_ == Field::other && (field_ == Field::dims || field_ == Field::types) &&
      (!values_.has(Field::name) || may_say_communication(get(Field::name)))) {
    values_.set(field_, "");
    list_ = std::exchange(field_, Field::other);
    list_depth_ = depth_;
  }
  if (list_ == Field::dims) values_.append(list_, {&bracket, 1});
}

void TimelineReader::end(char bracket) {
  if (events_depth_ != 0) {
    if (list_ == Field::dims) values_.append(list_, {&bracket, 1});
    if (depth_ == list_depth_) list_ = Field::other;
    if (depth_ == events_depth_ + 2) in_arguments_ = false;
    if (depth_ == events_depth_ + 1) take_event();
    if (depth_ == events_depth_) events_depth_ = 0;
  } else if (section_ == "distributedInfo" && bracket == '}' && depth_ == 4 && !group_name_.empty()) {
    if (!group_ranks_.empty()) to_.groups[group_name_] = group_ranks_;
  }
  --depth_;
}

void TimelineReader::key(std::string_view text) {
  field_ = Field::other;
  if (depth_ == 1) section_ = text;
  if (events_depth_ == 0) {
    distributed_key_ = text;
    return;
  }
  if (depth_ == events_depth_ + 1) {
    in_arguments_ = text == "args";
    field_ = field_of_event(text);
  } else if (depth_ == events_depth_ + 2 && in_arguments_) {
    field_ = field_of_argument(text);
  }
}

void TimelineReader::value(std::string_view text, bool is_string) {
  if (depth_ == 0) throw std::invalid_argument("a Chrome trace is an object with the list traceEvents");
  if (events_depth_ == 0) {
    take_distributed(text, is_string);
    return;
  }
  if (depth_ == events_depth_) throw std::invalid_argument("an event is not an object");
  if (list_ != Field::other) {
    values_.append(list_, text);
    values_.append(list_, list_ == Field::dims ? "," : "\n");
    return;
  }
  const std::size_t inside = depth_ - events_depth_;
  if (field_ != Field::other && inside <= 2) values_.set(field_, text);
  field_ = Field::other;
}

/// Keys beside the list of events.
void TimelineReader::take_distributed(std::string_view text, bool is_string) {
  if (depth_ == 1 && section_ == "baseTimeNanoseconds")
    to_.base_ns = static_cast<std::int64_t>(std::min<std::uint64_t>(whole_number(text), 1ULL << 62));
  if (section_ != "distributedInfo") return;
  if (depth_ == 2 && distributed_key_ == "rank" && !is_unset(text)) to_.rank = whole_number_32(text);
  if (depth_ == 2 && distributed_key_ == "world_size" && !is_unset(text))
    to_.world_size = whole_number_32(text);
  if (depth_ == 4 && distributed_key_ == "pg_name") group_name_ = chakra::plain_group_name(std::string(text));
  if (depth_ == 5 && distributed_key_ == "ranks" && !is_string) group_ranks_.push_back(whole_number_32(text));
  if (depth_ == 4 && distributed_key_ == "ranks" && is_string)
    if (const auto ranks = rank_list(text)) group_ranks_ = *ranks;
}

std::uint16_t TimelineReader::number(std::unordered_map<std::string, std::uint16_t>& numbers,
                                     const std::string& key, std::vector<std::string>& names,
                                     const std::string& name) {
  const auto [found, is_new] = numbers.emplace(key, static_cast<std::uint16_t>(names.size()));
  if (!is_new) return found->second;
  if (names.size() == 65'535) throw std::invalid_argument("more than 65535 threads or streams");
  names.push_back(name);
  return found->second;
}

std::uint16_t TimelineReader::stream(const std::string& device, const std::string& stream) {
  return number(streams_, device + "/" + stream, to_.streams, "device " + device + " stream " + stream);
}

std::int64_t TimelineReader::time(Field field) {
  if (!values_.has(field))
    throw std::invalid_argument("an event of category " + get(Field::category) + " without ts or dur");
  return nanoseconds(get(field), has_fraction_);
}

std::int64_t TimelineReader::end_time(std::int64_t start) {
  const std::int64_t duration = time(Field::duration);
  if (duration < 0)
    throw std::invalid_argument("an event of category " + get(Field::category) + " with a negative dur");
  return start + duration;
}

void TimelineReader::take_event() {
  const std::string& phase = get(Field::phase);
  if (phase.empty()) throw std::invalid_argument("an event without ph");
  if (phase == "E") {
    take_end();
  } else if (phase == "X" || phase == "B") {
    const EventKind kind = kind_of_category(get(Field::category),
                                            values_.is_set(Field::device) && values_.is_set(Field::stream));
    if (phase == "X")
      take_whole(kind);
    else
      take_begin(kind);
  } else {
    to_.events.leave_out(rule_of_phase(phase));
  }
  ++to_.events.given;
}

void TimelineReader::take_whole(const EventKind& kind) {
  if (kind.role == Role::left_out) {
    to_.events.leave_out(kind.rule);
  } else if (kind.role == Role::synchronisation) {
    take_sync();
  } else if (kind.role == Role::device_work) {
    DeviceEvent event = device_event();
    event.end_ns = end_time(event.start_ns);
    event.communication = take_communication();
    to_.device.push_back(event);
  } else {
    HostEvent event = host_event(kind.role == Role::call);
    event.end_ns = end_time(event.start_ns);
    if (!event.is_runtime) event.communication = take_communication();
    to_.host.push_back(event);
  }
}

void TimelineReader::take_begin(const EventKind& kind) {
  Begun begun;
  begun.name = to_.names.number(get(Field::name));
  if (kind.role == Role::device_work) {
    DeviceEvent event = device_event();
    event.communication = take_communication();
    begun.event = event;
  } else if (kind.role == Role::operation || kind.role == Role::call) {
    HostEvent event = host_event(kind.role == Role::call);
    if (!event.is_runtime) event.communication = take_communication();
    begun.event = event;
  } else {
    begun.event = kind.role == Role::left_out ? kind.rule : "synchronisation as a pair of events";
    to_.events.leave_out(std::get<std::string>(begun.event));
  }
  begun_[get(Field::pid) + "/" + get(Field::tid)].push_back(std::move(begun));
}

void TimelineReader::take_end() {
  auto& open = begun_[get(Field::pid) + "/" + get(Field::tid)];
  if (open.empty()) throw std::invalid_argument("an E without its B");
  const std::int64_t end = time(Field::start);
  const auto close = [&](auto& event, auto& to) {
    if (end < event.start_ns) throw std::invalid_argument("an E before its B");
    event.end_ns = end;
    to.push_back(event);
    ++to_.events.used;
  };
  if (const auto* const rule = std::get_if<std::string>(&open.back().event))
    to_.events.leave_out(*rule);
  else if (auto* const host = std::get_if<HostEvent>(&open.back().event))
    close(*host, to_.host);
  else
    close(std::get<DeviceEvent>(open.back().event), to_.device);
  open.pop_back();
}

HostEvent TimelineReader::host_event(bool is_call) {
  HostEvent event;
  event.start_ns = time(Field::start);
  event.name = to_.names.number(get(Field::name));
  event.is_runtime = is_call;
  if (!is_call && values_.is_set(Field::function_id)) to_.has_function_ids = true;
  const Field which = is_call                ? Field::correlation
                      : to_.has_function_ids ? Field::function_id
                                             : Field::external_id;
  if (values_.is_set(which)) event.id = whole_number_32(get(which));
  event.thread =
      number(threads_, get(Field::pid) + "/" + get(Field::tid), to_.threads, "thread " + get(Field::tid));
  if (!is_call && to_.pid == 0 && get(Field::pid).find_first_not_of("0123456789") == std::string::npos)
    to_.pid = whole_number(get(Field::pid).empty() ? "0" : get(Field::pid));
  return event;
}

DeviceEvent TimelineReader::device_event() {
  DeviceEvent event;
  event.start_ns = time(Field::start);
  event.name = to_.names.number(get(Field::name));
  if (values_.is_set(Field::correlation)) event.correlation = whole_number_32(get(Field::correlation));
  if (values_.is_set(Field::bytes)) event.bytes = whole_number(get(Field::bytes));
  event.stream = stream(values_.has(Field::device) ? get(Field::device) : get(Field::pid),
                        values_.has(Field::stream) ? get(Field::stream) : get(Field::tid));
  return event;
}

void TimelineReader::take_sync() {
  const std::string& name = get(Field::name);
  SyncEvent event;
  if (name.find("Wait") != std::string::npos)
    event.kind = SyncEvent::Kind::stream_wait;
  else if (name.find("Event") != std::string::npos)
    event.kind = SyncEvent::Kind::event;
  else if (name.find("Stream") != std::string::npos)
    event.kind = SyncEvent::Kind::stream;
  else
    event.kind = SyncEvent::Kind::context;
  if (!values_.is_set(Field::correlation)) {
    to_.events.leave_out("synchronisation without correlation");
    return;
  }
  event.correlation = whole_number_32(get(Field::correlation));
  const std::string device = get(Field::device).empty() ? get(Field::pid) : get(Field::device);
  if (values_.is_set(Field::stream)) event.stream = stream(device, get(Field::stream));
  if (values_.is_set(Field::waits_for)) event.waits_for = stream(device, get(Field::waits_for));
  if (values_.is_set(Field::record_correlation))
    event.record_correlation = whole_number_32(get(Field::record_correlation));
  to_.syncs.push_back(event);
}

std::uint32_t TimelineReader::take_communication() {
  auto found = said_communication(values_);
  if (!found) return 0;
  to_.communications.push_back(std::move(*found));
  return static_cast<std::uint32_t>(to_.communications.size());
}

std::size_t TimelineReader::skip(const std::string& what, const std::function<std::size_t()>& line) {
  if (events_depth_ == 0) return 0;
  depth_ = events_depth_;
  in_arguments_ = false;
  list_ = field_ = Field::other;
  ++to_.events.given;
  if (to_.damage.size() == Timeline::kMostDamageNamed)
    to_.events.refuse(kDamaged);
  else
    damage("line " + std::to_string(line()) + ", event \"" +
           chakra::printable(get(Field::name).substr(0, kLongestName)) + "\": " + what);
  values_.clear();
  return events_depth_;
}

void TimelineReader::damage(const std::string& text) {
  to_.events.refuse(kDamaged);
  if (to_.damage.size() < Timeline::kMostDamageNamed) to_.damage.push_back(text);
}

/// Damaged clocks: simulated time holds 106 days, of which a trace may have half before and half behind what
/// is in its middle.
void TimelineReader::drop_far_events() {
  constexpr std::int64_t kFar = static_cast<std::int64_t>(chakra::kLongestPs / 1000 / 2);
  constexpr std::size_t kMostSamples = 1U << 16;
  const std::size_t step = 1 + (to_.host.size() + to_.device.size()) / kMostSamples;
  std::vector<std::int64_t> starts;
  for (std::size_t i = 0; i < to_.host.size(); i += step) starts.push_back(to_.host[i].start_ns);
  for (std::size_t i = 0; i < to_.device.size(); i += step) starts.push_back(to_.device[i].start_ns);
  if (starts.empty()) return;
  const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
  std::nth_element(starts.begin(), middle, starts.end());
  const auto drop = [&](auto& events) {
    const auto kept = std::remove_if(events.begin(), events.end(), [&](const auto& event) {
      if (event.start_ns > *middle - kFar && event.end_ns < *middle + kFar) return false;
      damage("event \"" + chakra::printable(to_.names[event.name].substr(0, kLongestName)) + "\" from " +
             std::to_string(event.start_ns) + " to " + std::to_string(event.end_ns) +
             " ns: more than 53 days from the others");
      return true;
    });
    events.erase(kept, events.end());
  };
  drop(to_.host);
  drop(to_.device);
}

void TimelineReader::finish() {
  if (!has_events_) throw std::invalid_argument("there is no list traceEvents: this is no Kineto trace");
  for (const auto& [thread, open] : begun_)
    for (const Begun& begun : open)
      if (!std::holds_alternative<std::string>(begun.event))
        damage("event \"" + chakra::printable(to_.names[begun.name].substr(0, kLongestName)) +
               "\": a B without its E");
  drop_far_events();
  if (to_.host.empty() && to_.device.empty() && to_.damage.empty())
    throw std::invalid_argument("there is no operator and no kernel among the events");
  if (has_fraction_) to_.resolution_ns = 1;
  std::sort(to_.host.begin(), to_.host.end(), [](const HostEvent& a, const HostEvent& b) {
    return std::tie(a.thread, a.start_ns, b.end_ns, a.is_runtime, a.id, a.name) <
           std::tie(b.thread, b.start_ns, a.end_ns, b.is_runtime, b.id, b.name);
  });
  std::sort(to_.device.begin(), to_.device.end(), [](const DeviceEvent& a, const DeviceEvent& b) {
    return std::tie(a.stream, a.start_ns, a.end_ns, a.correlation, a.name) <
           std::tie(b.stream, b.start_ns, b.end_ns, b.correlation, b.name);
  });
}

}  // namespace

Timeline read_timeline(const std::string& path) {
  Timeline timeline;
  timeline.file = path;
  TimelineReader reader(timeline);
  read_json(path, reader);
  return timeline;
}

}  // namespace wafertlm::pytorch
