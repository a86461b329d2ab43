// SPDX-License-Identifier: Apache-2.0
#include "platform/report/perfetto_trace.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/machine/wafer.h"
#include "platform/run/job.h"
#include "tlm/packets/npu_name.h"

namespace wafertlm {
namespace {

constexpr TimePs kBucketPs = 1'000'000;

const std::string& category_of(const Task& task) {
  static const std::string kCompute = "compute", kCpu = "cpu", kMemory = "memory";
  if (task.kind == Task::Kind::compute) return kCompute;
  if (task.kind == Task::Kind::cpu) return kCpu;
  return task.traffic_class.empty() ? kMemory : task.traffic_class;
}

/// FNV-1a: the same on every machine. 0 means no flow.
std::uint64_t hash(std::uint64_t sum, const void* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    sum = (sum ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3ULL;
  return sum == 0 ? 1 : sum;
}
constexpr std::uint64_t kHashStart = 0xCBF29CE484222325ULL;

std::uint64_t message_flow(std::uint32_t from, std::uint32_t to, const Task& task) {
  const std::uint64_t key[] = {from, to, task.tag, task.number};
  return hash(kHashStart, key, sizeof key);
}

std::uint64_t collective_flow(const Task& task) {
  return hash(hash(kHashStart, task.group.data(), task.group.size()), &task.number, sizeof task.number);
}

}  // namespace

void require_instances(const std::vector<std::string>& filter, const Machine& machine, const Job& job) {
  std::vector<std::string> names, classes = {"compute", "cpu", "bubble", "idle"};
  for (const NpuId npu : job.npus) names.push_back(npu_instance(npu));
  for (const MachineLink& link : machine_links(machine)) names.push_back(link.name);
  for (std::uint32_t n = 0; n < machine.wafer().endpoints(); ++n)
    names.push_back(machine.wafer().fabric().endpoint_name(static_cast<NpuId>(n)));
  for (std::uint32_t n = 0; n < machine.wafer().npus(); ++n)
    names.push_back(memory_instance(static_cast<NpuId>(n)));
  for (std::size_t i = 0; i < machine.wafer().classes.size(); ++i)
    classes.push_back(machine.wafer().classes[static_cast<ClassId>(i)].name);
  InstanceFilter(filter).require_used(names, classes);
}

PerfettoTrace::PerfettoTrace(const std::string& path, const std::vector<std::string>& filter,
                             const Machine& machine, const Job& job, const Observables& observables)
    : observables_(observables),
      switches_(machine.wafer().fabric().switches()),
      filter_(filter),
      writer_(path),
      ranks_(job.size()),
      places_(machine_links(machine)) {
  for (std::uint32_t r = 0; r < job.size(); ++r) {
    Rank& rank = ranks_[r];
    rank.name = npu_instance(job.npus[r]);
    rank.wanted = filter_.instance(rank.name);
    if (!rank.wanted) continue;
    rank.process = writer_.add_process(fmt::format("{} (rank {})", rank.name, r));
    rank.time = writer_.add_track(rank.process, "where the time goes");
  }
  PerfettoWriter::Track process = 0;
  // The first that is wanted begins the process of its kind.
  const auto new_counter = [&](std::vector<Counter>& counters, const std::string& name, const char* what,
                               const char* unit, const char* kind, bool& any_of_kind) -> Counter& {
    Counter& counter = counters.emplace_back();
    counter.name = name;
    counter.wanted = filter_.instance(name);
    if (!counter.wanted) return counter;
    if (!any_of_kind) process = writer_.add_process(kind);
    any_of_kind = true;
    counter.track = writer_.add_counter(process, name + what, unit);
    return counter;
  };
  for (const MachineLink& link : machine_links(machine))
    new_counter(links_, link.name, " utilisation", "%", "links", wants_links_).full =
        100.0 / static_cast<double>(kBucketPs);
  for (std::uint32_t n = 0; n < machine.wafer().endpoints(); ++n)
    new_counter(queues_, machine.wafer().fabric().endpoint_name(static_cast<NpuId>(n)),
                " packets waiting to leave", "packets", "links", wants_links_);
  for (std::uint32_t n = 0; n < machine.wafer().npus(); ++n)
    for (auto [counters, what] : {std::pair{&reads_, " read"}, std::pair{&writes_, " written"}})
      new_counter(*counters, memory_instance(static_cast<NpuId>(n)), what, "GB/s", "memories",
                  wants_memories_)
          .full = 1e12 / static_cast<double>(kBucketPs) / 1e9;
}

void PerfettoTrace::operation_started(std::uint32_t r, const Task& task, TimePs) {
  Rank& rank = ranks_[r];
  if (!rank.wanted) return;
  const std::string& category = category_of(task);
  Lanes& lanes = rank.lanes[category];
  const auto free = std::find(lanes.taken.begin(), lanes.taken.end(), false);
  const auto lane = static_cast<std::uint32_t>(free - lanes.taken.begin());
  if (free == lanes.taken.end()) {
    lanes.taken.push_back(true);
    lanes.tracks.push_back(
        writer_.add_track(rank.process, lane == 0 ? category : fmt::format("{} ({})", category, lane + 1)));
  }
  lanes.taken[lane] = true;
  rank.open[task.id] = {lane, &lanes};
}

void PerfettoTrace::operation_ended(std::uint32_t r, const Task& task, TimePs start_ps, TimePs end_ps) {
  Rank& rank = ranks_[r];
  if (!rank.wanted) return;
  const auto found = rank.open.find(task.id);
  const Open open = found->second;
  rank.open.erase(found);
  open.lanes->taken[open.lane] = false;
  if (!filter_.takes(rank.name, category_of(task), start_ps, end_ps)) return;
  PerfettoWriter::Slice slice;
  slice.track = open.lanes->tracks[open.lane];
  slice.name = &task.name;
  slice.category = &category_of(task);
  slice.start_ps = start_ps;
  slice.end_ps = end_ps;
  if (task.kind == Task::Kind::send) slice.leaves = message_flow(r, task.peer, task);
  if (task.kind == Task::Kind::receive) slice.arrives = message_flow(task.peer, r, task);
  if (task.kind == Task::Kind::collective) slice.leaves = collective_flow(task);
  writer_.slice(slice, {{"node", task.id}, {"bytes", task.bytes}});
}

void PerfettoTrace::put_stretch(const Rank& rank, const Stretch& stretch) {
  static const std::string kTime = "time";
  if (!filter_.takes(rank.name, stretch.category, stretch.from_ps, stretch.to_ps)) return;
  PerfettoWriter::Slice slice;
  slice.track = rank.time;
  slice.name = &stretch.category;
  slice.category = &kTime;
  slice.start_ps = stretch.from_ps;
  slice.end_ps = stretch.to_ps;
  writer_.slice(slice, {});
}

/// Of a gap the last stretch comes first: they wait until the first one is there.
void PerfettoTrace::time_spent(std::uint32_t r, TimePs from_ps, TimePs to_ps, const std::string& category) {
  Rank& rank = ranks_[r];
  if (!rank.wanted) return;
  rank.gap.push_back({from_ps, to_ps, category});
  while (!rank.gap.empty() && rank.gap.back().from_ps == rank.covered_ps) {
    put_stretch(rank, rank.gap.back());
    rank.covered_ps = rank.gap.back().to_ps;
    rank.gap.pop_back();
  }
}

void PerfettoTrace::put(Counter& counter, std::uint64_t bucket, double value) {
  if (value == counter.last || !filter_.takes(counter.name, "", bucket * kBucketPs, (bucket + 1) * kBucketPs))
    return;
  counter.last = value;
  writer_.counter(counter.track, bucket * kBucketPs, value);
}

/// Writes the buckets before `until`.
void PerfettoTrace::flush(Counter& counter, std::uint64_t until) {
  if (counter.bucket >= until) return;
  put(counter, counter.bucket, counter.sum * counter.full);
  counter.sum = counter.carried;
  counter.carried = 0;
  if (++counter.bucket >= until) return;
  put(counter, counter.bucket, counter.sum * counter.full);
  if (counter.bucket + 1 < until) put(counter, counter.bucket + 1, 0);
  counter.bucket = until;
  counter.sum = 0;
}

/// What crosses into the next bucket is carried; nothing that is added is longer than a bucket.
void PerfettoTrace::add(Counter& counter, TimePs from_ps, TimePs to_ps, double amount) {
  const std::uint64_t bucket = from_ps / kBucketPs;
  flush(counter, bucket);
  const TimePs border = (bucket + 1) * kBucketPs;
  if (to_ps <= border || bucket < counter.bucket) {
    counter.sum += amount;
    return;
  }
  const double before = amount * static_cast<double>(border - from_ps) / static_cast<double>(to_ps - from_ps);
  counter.sum += before;
  counter.carried += amount - before;
}

void PerfettoTrace::sent(std::size_t observed, PortId output, const Packet&, TimePs start_ps, TimePs end_ps) {
  const std::size_t link = places_.of(observed, output);
  if (link == LinkPlaces::kNone) return;
  if (links_[link].wanted) add(links_[link], start_ps, end_ps, static_cast<double>(end_ps - start_ps));
  if (observed < switches_) return;
  Counter& queue = queues_[observed - switches_];
  const std::uint64_t bucket = start_ps / kBucketPs;
  if (!queue.wanted) return;
  const std::size_t waiting = observables_.waiting(static_cast<NpuId>(observed - switches_));
  if (bucket != queue.bucket || bucket == 0)
    put(queue, queue.bucket = bucket, static_cast<double>(waiting));
  else if (waiting == 0)  // the last one may have left: then nothing else would say so
    put(queue, bucket + 1, 0);
}

void PerfettoTrace::moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps,
                          TimePs end_ps) {
  Counter& counter = (write ? writes_ : reads_)[observed];
  if (counter.wanted) add(counter, start_ps, end_ps, static_cast<double>(bytes));
}

void PerfettoTrace::finish(TimePs end_ps) {
  for (auto* counters : {&links_, &reads_, &writes_})
    for (Counter& counter : *counters)
      if (counter.wanted) flush(counter, end_ps / kBucketPs + 2);
  writer_.finish(end_ps);
}

}  // namespace wafertlm
