// SPDX-License-Identifier: Apache-2.0
#include "platform/parallel/windows.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>

#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "platform/parallel/part_run.h"
#include "platform/text/format.h"
#include "tlm/remote/remote_links.h"

namespace wafertlm {
namespace {

std::uint64_t thread_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Of a process, from bad to good: the least of all says how all are.
enum State : std::uint64_t { failed, running, at_barrier };

/// A batch of packets and credits, and one of news, behind each other.
Transport::Bytes joined(const Transport::Bytes& first, const Transport::Bytes& second) {
  if (first.empty() && second.empty()) return {};
  ByteWriter writer;
  writer.put_block(first);
  writer.put_block(second);
  return writer.take();
}

}  // namespace

Windows::Windows(Transport& transport, Machine& machine, PartRun& part, TimePs lookahead_ps)
    : transport_(transport), machine_(machine), part_(part), lookahead_ps_(lookahead_ps) {}

/// Keeps what fails, so that all processes get to know.
void Windows::work(const std::function<void()>& part) {
  if (!failure_.empty()) return;
  try {
    part();
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

TimePs Windows::next_ps() const {
  return sc_core::sc_pending_activity() ? kernel_now_ps() + sc_core::sc_time_to_pending_activity().value()
                                        : kNever;
}

/// Before what others send has come: they count it.
Transport::Minima Windows::own_bounds() {
  const bool waits = part_.at_barrier_ps() != kNever;
  const State state = !failure_.empty() ? failed : waits ? at_barrier : running;
  const TimePs own = next_ps(), sent = std::min(machine_.wafer().remote_links()->take_earliest_ps(),
                                                part_.news().take_earliest_ps());
  return {std::min(own, sent), std::min(waits ? kNever : own, sent), waits ? ~part_.at_barrier_ps() : kNever,
          state, ~std::exchange(last_work_ns_, 0)};
}

Windows::Bounds Windows::exchange() {
  std::vector<Transport::Bytes> batches(transport_.processes());
  RemoteLinks& links = *machine_.wafer().remote_links();
  const std::vector<std::uint32_t> neighbours = links.neighbours();
  for (std::uint32_t process = 0; process < batches.size(); ++process) {
    if (process == transport_.process()) continue;
    const bool is_linked = std::binary_search(neighbours.begin(), neighbours.end(), process);
    batches[process] =
        joined(is_linked ? links.take_batch(process) : Transport::Bytes{}, part_.news().take_batch(process));
    counts_.bytes_sent += batches[process].size();
  }
  const auto [from, least] = transport_.exchange(batches, own_bounds());
  for (const Transport::Bytes& batch : from) {
    if (batch.empty()) continue;
    work([&] {
      ByteReader reader(batch);
      links.deliver(reader.get_block<Transport::Bytes>());
      part_.news().deliver(reader.get_block<Transport::Bytes>());
    });
  }
  counts_.critical_ns += ~least[4];
  return {least[0], least[1], ~least[2], least[3] == failed, least[3] == at_barrier};
}

void Windows::run(TimePs watchdog_ps, const Progress& progress) {
  work([&] { part_.start(); });
  for (;;) {
    const Bounds bounds = exchange();
    if (bounds.has_failed) return;
    if (bounds.all_at_barrier) {
      part_.start_iteration(bounds.done_ps);
      continue;
    }
    if (bounds.next_ps == kNever) return;
    if (bounds.next_ps >= watchdog_ps) {
      failure_ = "the watchdog time of " + format_time(watchdog_ps) + " is over (run.watchdog)";
      continue;
    }
    progress(bounds.next_ps);
    TimePs end_ps = bounds.next_ps + lookahead_ps_;
    // The next iteration may begin when a rank elsewhere is done, and not before its next event.
    if (part_.at_barrier_ps() != kNever) end_ps = std::min(end_ps, bounds.next_active_ps);
    const TimePs now = kernel_now_ps();
    const std::uint64_t begin_ns = thread_time_ns();
    if (end_ps > now) work([&] { machine_.wafer().scheduler.run(end_ps - now, sc_core::SC_RUN_TO_TIME); });
    last_work_ns_ = thread_time_ns() - begin_ns;
    counts_.work_ns += last_work_ns_;
    ++counts_.windows;
  }
}

}  // namespace wafertlm
