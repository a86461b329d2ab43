// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "workloads/pytorch/annotation.h"
#include "workloads/pytorch/decimal.h"
#include "workloads/pytorch/json_stream.h"
#include "workloads/pytorch/process_groups.h"
#include "workloads/pytorch/timeline.h"

namespace wafertlm::pytorch {
namespace {

/// What of an event matters.
enum class Field : std::uint8_t {
  other,
  phase,
  category,
  name,
  pid,
  tid,
  start,
  duration,
  external_id,
  function_id,
  correlation,
  device,
  stream,
  bytes,
  collective,
  in_elements,
  out_elements,
  dtype,
  group,
  group_size,
  group_ranks,
  rank_start,
  rank_stride,
  in_split,
  out_split,
  source,
  destination,
  sequence,
  waits_for,
  record_correlation,
  dims,
  types,
  count
};
constexpr auto kFields = static_cast<std::size_t>(Field::count);

const std::unordered_map<std::string_view, Field> kEventFields = {
    {"ph", Field::phase}, {"cat", Field::category}, {"name", Field::name},   {"pid", Field::pid},
    {"tid", Field::tid},  {"ts", Field::start},     {"dur", Field::duration}};
const std::unordered_map<std::string_view, Field> kArguments = {
    {"External id", Field::external_id},
    {"external id", Field::external_id},
    {"Record function id", Field::function_id},
    {"correlation", Field::correlation},
    {"device", Field::device},
    {"stream", Field::stream},
    {"bytes", Field::bytes},
    {"Collective name", Field::collective},
    {"In msg nelems", Field::in_elements},
    {"Out msg nelems", Field::out_elements},
    {"dtype", Field::dtype},
    {"Process Group Name", Field::group},
    {"Group size", Field::group_size},
    {"Process Group Ranks", Field::group_ranks},
    {"Global rank start", Field::rank_start},
    {"Global rank stride", Field::rank_stride},
    {"In split size", Field::in_split},
    {"Out split size", Field::out_split},
    {"Src Rank", Field::source},
    {"Dst Rank", Field::destination},
    {"Seq", Field::sequence},
    {"wait_on_stream", Field::waits_for},
    {"wait_on_cuda_event_record_corr_id", Field::record_correlation},
    {"Input Dims", Field::dims},
    {"Input type", Field::types}};

bool is_unset(std::string_view number) { return number.empty() || number.front() == '-'; }

class TimelineReader final : public JsonVisitor {
 public:
  explicit TimelineReader(Timeline& to) : to_(to) {}

  void begin(char bracket) override;
  void end(char bracket) override;
  void key(std::string_view text) override;
  void value(std::string_view text, bool is_string) override;
  void finish() override;

 private:
  void set(Field field, std::string_view text);
  const std::string& get(Field field) const { return values_[static_cast<std::size_t>(field)]; }
  void take_event();
  void take_host(bool is_runtime);
  void take_device();
  void take_sync();
  void take_times(std::int64_t& start, std::int64_t& end);
  std::uint32_t take_communication();
  std::optional<Communication> arguments() const;
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
  std::string values_[kFields];
  std::vector<Field> set_;
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
    for (const Field field : set_) values_[static_cast<std::size_t>(field)].clear();
    set_.clear();
    list_ = Field::other;
  }
  if (list_ == Field::other && (field_ == Field::dims || field_ == Field::types)) {
    set(field_, "");
    list_ = std::exchange(field_, Field::other);
    list_depth_ = depth_;
  }
  if (list_ == Field::dims) values_[static_cast<std::size_t>(list_)] += bracket;
}

void TimelineReader::end(char bracket) {
  if (events_depth_ != 0) {
    if (list_ == Field::dims) values_[static_cast<std::size_t>(list_)] += bracket;
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
    const auto found = kEventFields.find(text);
    if (found != kEventFields.end()) field_ = found->second;
  } else if (depth_ == events_depth_ + 2 && in_arguments_) {
    const auto found = kArguments.find(text);
    if (found != kArguments.end()) field_ = found->second;
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
    std::string& list = values_[static_cast<std::size_t>(list_)];
    list.append(text).append(1, list_ == Field::dims ? ',' : '\n');
    return;
  }
  const std::size_t inside = depth_ - events_depth_;
  if (field_ != Field::other && inside <= 2) set(field_, text);
  field_ = Field::other;
}

void TimelineReader::set(Field field, std::string_view text) {
  values_[static_cast<std::size_t>(field)] = text;
  set_.push_back(field);
}

/// Keys beside the list of events.
void TimelineReader::take_distributed(std::string_view text, bool is_string) {
  if (depth_ == 1 && section_ == "baseTimeNanoseconds")
    to_.base_ns = static_cast<std::int64_t>(std::min<std::uint64_t>(whole_number(text), 1ULL << 62));
  if (section_ != "distributedInfo") return;
  if (depth_ == 2 && distributed_key_ == "rank" && !is_unset(text)) to_.rank = whole_number_32(text);
  if (depth_ == 2 && distributed_key_ == "world_size" && !is_unset(text))
    to_.world_size = whole_number_32(text);
  if (depth_ == 4 && distributed_key_ == "pg_name") group_name_ = text;
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

void TimelineReader::take_times(std::int64_t& start, std::int64_t& end) {
  if (get(Field::start).empty() || get(Field::duration).empty())
    throw std::invalid_argument("an event of category " + get(Field::category) + " without ts or dur");
  start = nanoseconds(get(Field::start), has_fraction_);
  const std::int64_t duration = nanoseconds(get(Field::duration), has_fraction_);
  if (duration < 0)
    throw std::invalid_argument("an event of category " + get(Field::category) + " with a negative dur");
  end = start + duration;
}

void TimelineReader::take_event() {
  if (get(Field::phase) != "X") return;
  const std::string& category = get(Field::category);
  if (category == "cpu_op" || category == "user_annotation" || category == "Operator")
    take_host(false);
  else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime" ||
           category == "hip_runtime" || category == "privateuse1_runtime")
    take_host(true);
  else if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" ||
           category == "Kernel" || category == "Memcpy" || category == "Memset")
    take_device();
  else if (category == "cuda_sync")
    take_sync();
}

void TimelineReader::take_host(bool is_runtime) {
  HostEvent event;
  take_times(event.start_ns, event.end_ns);
  event.name = to_.names.number(get(Field::name));
  event.is_runtime = is_runtime;
  const std::string& function_id = get(Field::function_id);
  if (!is_runtime && !is_unset(function_id)) to_.has_function_ids = true;
  const Field which = is_runtime             ? Field::correlation
                      : to_.has_function_ids ? Field::function_id
                                             : Field::external_id;
  if (!is_unset(get(which))) event.id = whole_number_32(get(which));
  event.thread =
      number(threads_, get(Field::pid) + "/" + get(Field::tid), to_.threads, "thread " + get(Field::tid));
  if (!is_runtime) {
    if (to_.pid == 0 && get(Field::pid).find_first_not_of("0123456789") == std::string::npos)
      to_.pid = whole_number(get(Field::pid).empty() ? "0" : get(Field::pid));
    event.communication = take_communication();
  }
  to_.host.push_back(event);
}

void TimelineReader::take_device() {
  DeviceEvent event;
  take_times(event.start_ns, event.end_ns);
  event.name = to_.names.number(get(Field::name));
  if (!is_unset(get(Field::correlation))) event.correlation = whole_number_32(get(Field::correlation));
  if (!is_unset(get(Field::bytes))) event.bytes = whole_number(get(Field::bytes));
  event.stream = stream(get(Field::device).empty() ? get(Field::pid) : get(Field::device),
                        get(Field::stream).empty() ? get(Field::tid) : get(Field::stream));
  event.communication = take_communication();
  to_.device.push_back(event);
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
  if (is_unset(get(Field::correlation))) return;
  event.correlation = whole_number_32(get(Field::correlation));
  const std::string device = get(Field::device).empty() ? get(Field::pid) : get(Field::device);
  if (!is_unset(get(Field::stream))) event.stream = stream(device, get(Field::stream));
  if (!is_unset(get(Field::waits_for))) event.waits_for = stream(device, get(Field::waits_for));
  if (!is_unset(get(Field::record_correlation)))
    event.record_correlation = whole_number_32(get(Field::record_correlation));
  to_.syncs.push_back(event);
}

/// What `record_param_comms` says.
std::optional<Communication> TimelineReader::arguments() const {
  if (get(Field::collective).empty()) return std::nullopt;
  Communication found;
  found.name = get(Field::collective);
  const auto bytes = [&](Field field) -> std::uint64_t {
    const std::string& elements = get(field);
    if (is_unset(elements)) return 0;
    found.has_size = true;
    if (elements == "0") return 0;
    const auto size = element_bytes(get(Field::dtype));
    if (!size)
      throw std::invalid_argument(found.name + " of data type \"" + get(Field::dtype) +
                                  "\", which is not known");
    std::uint64_t result = 0;
    if (__builtin_mul_overflow(whole_number(elements), std::uint64_t{*size}, &result))
      throw std::invalid_argument(found.name + " of more than 2^64 bytes");
    return result;
  };
  found.in_bytes = bytes(Field::in_elements);
  found.out_bytes = bytes(Field::out_elements);
  found.group = get(Field::group);
  if (!is_unset(get(Field::group_size))) found.group_size = whole_number_32(get(Field::group_size));
  if (const auto ranks = rank_list(get(Field::group_ranks))) found.ranks = *ranks;
  if (found.ranks.empty() && !is_unset(get(Field::rank_start)) && !is_unset(get(Field::rank_stride)))
    found.ranks = strided_ranks(whole_number(get(Field::rank_start)), whole_number(get(Field::rank_stride)),
                                found.group_size);
  if (const auto split = number_list(get(Field::in_split))) found.in_split = *split;
  if (const auto split = number_list(get(Field::out_split))) found.out_split = *split;
  for (const Field peer : {Field::source, Field::destination})
    if (!is_unset(get(peer))) found.peer = whole_number_32(get(peer));
  if (!is_unset(get(Field::sequence))) found.sequence = whole_number(get(Field::sequence));
  return found;
}

std::uint32_t TimelineReader::take_communication() {
  auto found = arguments();
  if (!found) found = annotated_communication(get(Field::name), get(Field::dims), get(Field::types));
  if (!found) return 0;
  to_.communications.push_back(std::move(*found));
  return static_cast<std::uint32_t>(to_.communications.size());
}

void TimelineReader::finish() {
  if (!has_events_) throw std::invalid_argument("there is no list traceEvents: this is no Kineto trace");
  if (to_.host.empty() && to_.device.empty())
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
