// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "workloads/pytorch/graph_draft.h"

namespace wafertlm::pytorch {
namespace {

/// The first item given to a stream behind the call with this correlation.
std::optional<std::uint32_t> first_behind(const Draft& draft, std::uint16_t stream,
                                          std::uint32_t correlation) {
  const auto& all = draft.issued[stream];
  const auto found = std::upper_bound(all.begin(), all.end(), Issued{correlation, 0});
  if (found == all.end()) return std::nullopt;
  return found->item;
}

void add_known_stream_waits(Draft& draft) {
  const auto& all = draft.timeline.syncs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const SyncEvent& sync = all[i];
    if (sync.kind != SyncEvent::Kind::stream_wait || !sync.stream || !sync.waits_for) continue;
    const std::uint32_t until = sync.record_correlation != 0 ? sync.record_correlation : sync.correlation;
    const auto parent = draft.last_before(*sync.waits_for, until);
    const auto child = first_behind(draft, *sync.stream, sync.correlation);
    if (!parent || !child) continue;
    draft.used_syncs[i] = true;
    if (draft.add_edge(*parent, *child)) ++draft.graph.summary.stream_waits;
  }
}

/// Of what a stream was given before the call the last that was done by then.
std::optional<std::uint32_t> last_done(const Draft& draft, std::uint16_t stream, std::uint32_t correlation,
                                       std::int64_t time_ns) {
  const auto& all = draft.issued[stream];
  auto at = std::lower_bound(all.begin(), all.end(), Issued{correlation, 0});
  while (at != all.begin())
    if (draft.graph.items[(--at)->item].end_ns <= time_ns) return at->item;
  return std::nullopt;
}

/// Without cuda_sync events nothing says which stream waits for which.
void infer_stream_waits(Draft& draft) {
  std::unordered_map<std::uint16_t, std::vector<Issued>> by_thread;
  for (std::size_t i = 0; i < draft.launched_by.size(); ++i) {
    if (draft.launched_by[i] == Item::kNone) continue;
    const LaunchCall& call = draft.launches[draft.launched_by[i]];
    by_thread[call.thread].push_back(
        {call.correlation, draft.first_device_item + static_cast<std::uint32_t>(i)});
  }
  for (auto& [thread, all] : by_thread) std::stable_sort(all.begin(), all.end());
  for (const StreamWaitCall& wait : draft.stream_waits) {
    const auto& all = by_thread[wait.thread];
    const auto child = std::upper_bound(all.begin(), all.end(), Issued{wait.correlation, 0});
    if (child == all.end()) continue;
    const Item& waiting = draft.graph.items[child->item];
    for (std::uint16_t stream = 0; stream < draft.issued.size(); ++stream) {
      const auto parent = last_done(draft, stream, wait.correlation, waiting.start_ns);
      if (!parent || draft.graph.items[*parent].unit == waiting.unit) continue;
      if (draft.add_edge(*parent, child->item)) ++draft.graph.summary.inferred_stream_waits;
    }
  }
}

/// What a call that synchronises waits for.
class Synchronisations {
 public:
  explicit Synchronisations(Draft& draft) : draft_(draft) {
    const auto& all = draft.timeline.syncs;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].kind != SyncEvent::Kind::stream_wait) known_.emplace(all[i].correlation, i);
  }

  void add(const SyncCall& call) {
    const auto known = known_.find(call.correlation);
    const std::string& name = draft_.timeline.names[call.name];
    if (known != known_.end()) {
      draft_.used_syncs[known->second] = true;
      add_known(call, draft_.timeline.syncs[known->second]);
    } else if (name.find("Memcpy") != std::string::npos) {
      add_copy(call);
    } else {
      infer(call, name.find("Device") != std::string::npos || name.find("Ctx") != std::string::npos);
    }
  }

 private:
  void add_known(const SyncCall& call, const SyncEvent& sync) {
    if (sync.kind == SyncEvent::Kind::context) {
      for (std::uint16_t stream = 0; stream < draft_.issued.size(); ++stream)
        wait(call, draft_.last_before(stream, call.correlation));
    } else {
      const auto stream = sync.waits_for ? sync.waits_for : sync.stream;
      const bool event = sync.kind == SyncEvent::Kind::event && sync.record_correlation != 0;
      if (stream) wait(call, draft_.last_before(*stream, event ? sync.record_correlation : call.correlation));
    }
    ++draft_.graph.summary.synchronisations;
  }
  /// A copy that the host waits for.
  void add_copy(const SyncCall& call) {
    for (const auto& stream : draft_.issued) {
      const auto copies = std::equal_range(stream.begin(), stream.end(), Issued{call.correlation, 0});
      for (auto copy = copies.first; copy != copies.second; ++copy) wait(call, copy->item);
    }
  }
  /// Of the device all streams count, else the one that was done last while the call was under way.
  void infer(const SyncCall& call, bool all_streams) {
    std::optional<std::uint32_t> last;
    for (std::uint16_t stream = 0; stream < draft_.issued.size(); ++stream) {
      const auto item = draft_.last_before(stream, call.correlation);
      if (!item || end_of(*item) > call.end_ns) continue;
      if (all_streams) wait(call, item);
      if (end_of(*item) > call.start_ns && (!last || end_of(*item) > end_of(*last))) last = item;
    }
    if (!all_streams) wait(call, last);
    ++draft_.graph.summary.inferred_synchronisations;
  }
  std::int64_t end_of(std::uint32_t item) const { return draft_.graph.items[item].end_ns; }
  /// The call's own time begins when that is done.
  void wait(const SyncCall& call, std::optional<std::uint32_t> parent) {
    if (!parent || end_of(*parent) > call.end_ns) return;
    Item& item = draft_.graph.items[call.item];
    const std::int64_t before = std::exchange(item.start_ns, std::max(item.start_ns, end_of(*parent)));
    if (!draft_.add_edge(*parent, call.item)) item.start_ns = before;
  }

  Draft& draft_;
  std::unordered_map<std::uint32_t, std::size_t> known_;  // by correlation
};

}  // namespace

void add_stream_waits(Draft& draft) {
  draft.used_syncs.resize(draft.timeline.syncs.size());
  if (draft.timeline.syncs.empty())
    infer_stream_waits(draft);
  else
    add_known_stream_waits(draft);
}

void add_synchronisations(Draft& draft) {
  Synchronisations synchronisations(draft);
  for (const SyncCall& call : draft.syncs) synchronisations.add(call);
  for (const bool used : draft.used_syncs) {
    if (used)
      ++draft.graph.summary.events.used;
    else
      draft.graph.summary.events.leave_out("synchronisation without its call, or with nothing to wait for");
  }
}

}  // namespace wafertlm::pytorch
