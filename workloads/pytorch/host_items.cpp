// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "workloads/pytorch/graph_draft.h"

namespace wafertlm::pytorch {

bool synchronises(std::string_view call) {
  const auto has = [call](std::string_view part) { return call.find(part) != std::string_view::npos; };
  return has("Synchronize") || (has("Memcpy") && !has("Async") && !has("Batch"));
}

bool makes_a_stream_wait(std::string_view call) { return call.find("StreamWaitEvent") != call.npos; }

namespace {

constexpr std::string_view kPartOfCaller = "call that launches nothing: a part of its caller",
                           kLaunchesNothing = "launch without kernel: a part of its caller";

bool launches_by_name(std::string_view call) {
  return call.find("aunch") != call.npos || call.find("nqueue") != call.npos;
}

/// Whether one call says both: two calls are said alike.
bool is_same(const Communication& outer, const Communication& inner) {
  const auto a = communication_kind(outer.name), b = communication_kind(inner.name);
  return a && b && outer.source != inner.source && a->type == b->type && a->collective == b->collective;
}

void complete(Communication& known, const Communication& other) {
  if (!known.has_size && other.has_size) {
    known.has_size = true;
    known.in_bytes = other.in_bytes;
    known.out_bytes = other.out_bytes;
  }
  if (known.group.empty()) known.group = other.group;
  if (known.ranks.empty()) known.ranks = other.ranks;
  if (known.group_size == 0) known.group_size = other.group_size;
  if (!known.peer) known.peer = other.peer;
}

/// Cuts a thread's nested events into stretches in which one of them runs by itself.
class ThreadCutter {
 public:
  ThreadCutter(Draft& draft, std::uint16_t thread, const std::vector<std::uint32_t>& launching)
      : draft_(draft), thread_(thread), launching_(launching) {}

  void take(const HostEvent& event) {
    const std::string& name = draft_.timeline.names[event.name];
    const bool waits = event.is_runtime && makes_a_stream_wait(name);
    const bool launches = event.is_runtime && event.id != 0 &&
                          std::binary_search(launching_.begin(), launching_.end(), event.id);
    const bool syncs = event.is_runtime && synchronises(name);
    if (waits) draft_.stream_waits.push_back({event.id, thread_});
    Tally& account = draft_.graph.summary.events;
    if (event.is_runtime && !launches && !syncs) {  // a part of its caller
      account.leave_out(launches_by_name(name) ? kLaunchesNothing : kPartOfCaller);
      return;
    }
    const std::int64_t end = make_room(event);
    if (in_call() && event.is_runtime) {  // a call within a call, of the driver: both are one
      if (!launches) return account.leave_out(kPartOfCaller);
      ++account.used;
      launch(event.id, open_.back().item);
      return;
    }
    ++account.used;
    const std::uint32_t communication = event.communication == 0 ? 0 : join(event.communication);
    open_.push_back({event.name, end, communication, event.is_runtime, Item::kNone});
    if (communication != 0) last_ = communication;
    if (!event.is_runtime) {
      ++draft_.graph.summary.operators;
      return;
    }
    const std::uint32_t item = cut(end);
    if (launches) launch(event.id, item);
    if (syncs) draft_.syncs.push_back({event.id, item, event.name, event.start_ns, end});
  }
  void finish() {
    while (!open_.empty()) close();
  }

 private:
  struct Open {
    std::uint32_t name;
    std::int64_t end_ns;
    std::uint32_t communication;
    bool is_call;
    std::uint32_t item;  ///< the last one of its own
  };

  bool in_call() const { return !open_.empty() && open_.back().is_call; }
  void launch(std::uint32_t correlation, std::uint32_t item) {
    const auto caller =
        std::find_if(open_.rbegin(), open_.rend(), [](const Open& open) { return !open.is_call; });
    const auto around =
        std::find_if(caller, open_.rend(), [](const Open& open) { return open.communication != 0; });
    draft_.launches.push_back({correlation, item, around == open_.rend() ? 0 : around->communication, last_,
                               thread_, around == caller});
  }
  /// An operator of c10d calls record_param_comms, which annotates the call of the library: one
  /// communication. Returns the one that knows most, with what it lacks from the other.
  std::uint32_t join(std::uint32_t inner) {
    const auto caller =
        std::find_if(open_.rbegin(), open_.rend(), [](const Open& open) { return open.communication != 0; });
    if (caller == open_.rend()) return inner;
    auto& all = draft_.timeline.communications;
    const std::uint32_t outer = caller->communication;
    if (!is_same(all[outer - 1], all[inner - 1])) return inner;
    const bool outer_counts = all[outer - 1].source > all[inner - 1].source;
    const std::uint32_t best = outer_counts ? outer : inner;
    Communication& other = all[(outer_counts ? inner : outer) - 1];
    complete(all[best - 1], other);
    other.is_said_too = true;
    return caller->communication = best;
  }

  /// Ends what has ended when the event begins. Returns its end: not after that of its caller.
  std::int64_t make_room(const HostEvent& event) {
    while (!open_.empty() && open_.back().end_ns <= event.start_ns) {
      // A call of no length at the end of its caller is the caller's.
      if (open_.back().end_ns == event.start_ns && event.end_ns == event.start_ns &&
          open_.back().item == Item::kNone && event.is_runtime)
        break;
      close();
    }
    while (!open_.empty() && event.end_ns > open_.back().end_ns) {
      // Rounded to microseconds the next one may seem to begin before this one ends.
      if (open_.back().end_ns - event.start_ns > draft_.timeline.resolution_ns) break;
      ++draft_.graph.summary.shortened;
      cut(event.start_ns);
      open_.pop_back();
    }
    if (open_.empty())
      now_ = event.start_ns;
    else
      cut(event.start_ns);
    return open_.empty() ? event.end_ns : std::min(event.end_ns, open_.back().end_ns);
  }
  void close() {
    cut(open_.back().end_ns);
    open_.pop_back();
  }
  /// The innermost event has run by itself up to then. Everything has one item, if of no length.
  std::uint32_t cut(std::int64_t end_ns) {
    Open& open = open_.back();
    const std::int64_t start = std::exchange(now_, std::max(now_, end_ns));
    if (now_ == start && open.item != Item::kNone) return open.item;
    Item item;
    item.start_ns = start;
    item.end_ns = now_;
    item.name = open.name;
    item.unit = static_cast<std::uint16_t>(thread_ + 1);
    item.is_call = open.is_call;
    auto& items = draft_.thread_items[thread_];
    if (!items.empty()) item.before = items.back();
    open.item = draft_.add(item);
    items.push_back(open.item);
    return open.item;
  }

  Draft& draft_;
  const std::uint16_t thread_;
  const std::vector<std::uint32_t>& launching_;
  std::vector<Open> open_;
  std::int64_t now_ = 0;
  std::uint32_t last_ = 0;
};

}  // namespace

void add_host_items(Draft& draft) {
  Timeline& timeline = draft.timeline;
  std::vector<std::uint32_t> launching;  // correlations
  for (const DeviceEvent& event : timeline.device)
    if (event.correlation != 0) launching.push_back(event.correlation);
  std::sort(launching.begin(), launching.end());
  draft.thread_items.resize(timeline.threads.size());
  // Each event is forgotten when it is cut: a trace may have many millions.
  while (!timeline.host.empty()) {
    const std::uint16_t thread = timeline.host.front().thread;
    ThreadCutter cutter(draft, thread, launching);
    for (; !timeline.host.empty() && timeline.host.front().thread == thread; timeline.host.pop_front()) {
      const HostEvent& event = timeline.host.front();
      if (event.is_runtime && event.id != 0)
        draft.first_correlation = std::min(draft.first_correlation, event.id);
      cutter.take(event);
    }
    cutter.finish();
  }
  const auto by_correlation = [](const auto& a, const auto& b) { return a.correlation < b.correlation; };
  std::stable_sort(draft.launches.begin(), draft.launches.end(), by_correlation);
}

}  // namespace wafertlm::pytorch
