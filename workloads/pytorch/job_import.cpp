// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/job_import.h"

#include <fmt/core.h>

#include <algorithm>

#include "workloads/pytorch/job_groups.h"

namespace wafertlm::pytorch {
namespace {

std::string most_frequent(const Counts& counts) {
  constexpr std::size_t kMostNamed = 3, kLongest = 60;
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [name, count] : counts) sorted.emplace_back(count, name);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < sorted.size() && i < kMostNamed; ++i)
    text += fmt::format("{}{} \"{}\"", i == 0 ? "" : ", ", sorted[i].first,
                        chakra::printable(sorted[i].second.substr(0, kLongest)));
  return text + (sorted.size() > kMostNamed ? ", …" : "");
}

void require_few(std::uint64_t without, std::uint64_t of, double most, const std::string& text) {
  if (static_cast<double>(without) > most * static_cast<double>(of))
    throw chakra::TraceError(
        fmt::format("{} ({:.1f} % of {}; more than the limit of {:.1f} %, --missing-at-most)", text,
                    100 * static_cast<double>(without) / static_cast<double>(of), of, 100 * most));
}

void check_link(const HostTrace& host, const Timeline& timeline, const LinkSummary& link, double most) {
  std::string text = fmt::format("{}: {} operators are not in {}: {}", host.file, link.nodes - link.linked,
                                 timeline.file, most_frequent(link.unlinked));
  if (link.other_names != 0)
    text += fmt::format("; of {} the number is there with another name", link.other_names);
  if (host.pid != 0 && timeline.pid != 0 && host.pid != timeline.pid)
    text += fmt::format("; the first is of process {}, the second of process {}: these are different runs",
                        host.pid, timeline.pid);
  require_few(link.nodes - link.linked, link.nodes, most, text);
}

/// The first damaged events, in words; empty: there are none.
std::string damage_of(const Timeline& timeline) {
  const std::uint64_t damaged = sum(timeline.events.errors);
  if (damaged == 0) return "";
  std::string text = fmt::format("{} damaged events{}: ", damaged,
                                 timeline.rank ? fmt::format(" of rank {}", *timeline.rank) : "");
  for (std::size_t i = 0; i < timeline.damage.size(); ++i) text += (i == 0 ? "" : "; ") + timeline.damage[i];
  return text + (damaged > timeline.damage.size() ? "; …" : "");
}

void check_events(const Timeline& timeline, double most) {
  const std::string damage = damage_of(timeline);
  require_few(sum(timeline.events.errors), timeline.events.given, most, timeline.file + ": " + damage);
  if (timeline.host.empty() && timeline.device.empty())
    throw chakra::TraceError(timeline.file + ": no operator and no kernel is left; " + damage);
}

void check_graph(const std::string& file, const GraphSummary& graph, double most) {
  const std::uint64_t unknown = sum(graph.unknown_kernels);
  require_few(unknown, graph.collectives + graph.messages + unknown, most,
              fmt::format("{}: {} communication kernels of which neither trace says what they move: {}", file,
                          unknown, most_frequent(graph.unknown_kernels)));
  const Tally& launches = graph.launches;
  require_few(
      sum(launches.errors), launches.given, most,
      fmt::format("{}: {} events of devices without the call that launched them ({}): {}", file,
                  sum(launches.errors), most_frequent(launches.errors), most_frequent(graph.not_launched)));
  graph.events.require_sum(file + ", events");
  launches.require_sum(file + ", launches");
  graph.communications.require_sum(file + ", communications");
}

void add_notes(ImportedRank& rank) {
  const GraphSummary& graph = rank.graph.summary;
  const auto note = [&](std::uint64_t count, const char* text) {
    if (count != 0) rank.notes.push_back(fmt::format("{} {}", count, text));
  };
  if (rank.link && rank.link->linked != rank.link->nodes)
    rank.notes.push_back(fmt::format("{} operators without event: {}", rank.link->nodes - rank.link->linked,
                                     most_frequent(rank.link->unlinked)));
  if (!graph.not_launched.empty())
    rank.notes.push_back(fmt::format("{} events of devices without launch ({}): {}", sum(graph.not_launched),
                                     most_frequent(graph.launches.errors),
                                     most_frequent(graph.not_launched)));
  if (!graph.unknown_kernels.empty())
    rank.notes.push_back(fmt::format("{} communication kernels left out, for nothing says what they move: {}",
                                     sum(graph.unknown_kernels), most_frequent(graph.unknown_kernels)));
  const auto before = graph.launches.left_out.find(kLaunchedBefore);
  if (before != graph.launches.left_out.end())
    note(before->second, "kernels and copies were launched before the trace begins");
  note(graph.repeated_launches,
       "calls with the correlation of another one: the last before the kernel counts");
  note(graph.inferred_stream_waits, "waits of streams inferred from times (there are no cuda_sync events)");
  note(graph.inferred_synchronisations, "synchronisations inferred from times");
  note(graph.contradictions, "dependencies left out, which the measured times contradict");
  note(graph.shortened, "events shortened by the resolution of the clock, for the next one began before");
}

struct Loaded {
  ImportedRank rank;
  std::map<std::string, std::vector<std::uint32_t>> groups;
  std::optional<std::uint32_t> declared_rank, world_size;
  std::int64_t base_ns = 0;
};

Loaded load(const RankFiles& files, const ImportOptions& options) {
  Loaded loaded;
  Timeline timeline = read_timeline(files.timeline);
  loaded.rank.name = files.timeline;
  check_events(timeline, options.most_unlinked);
  if (std::string damage = damage_of(timeline); !damage.empty())
    loaded.rank.notes.push_back("left out: " + std::move(damage));
  if (!files.host.empty()) {
    const HostTrace host = read_host_trace(files.host, timeline.names);
    loaded.rank.link = link(host, timeline);
    check_link(host, timeline, *loaded.rank.link, options.most_unlinked);
    loaded.rank.link->account().require_sum(host.file + ", operators");
    if (host.duplicate_ids != 0)
      loaded.rank.notes.push_back(fmt::format("{} operators with the id of another one", host.duplicate_ids));
    if (host.missing_parents != 0)
      loaded.rank.notes.push_back(
          fmt::format("{} operators whose caller is not in {}", host.missing_parents, files.host));
  }
  loaded.declared_rank = timeline.rank;
  loaded.world_size = timeline.world_size;
  loaded.base_ns = timeline.base_ns;
  loaded.groups = timeline.groups;
  loaded.rank.graph = build_graph(timeline, options);
  check_graph(files.timeline, loaded.rank.graph.summary, options.most_unlinked);
  add_notes(loaded.rank);
  return loaded;
}

/// By what the traces say; else by their order.
void number_ranks(std::vector<Loaded>& all) {
  const bool declared =
      std::all_of(all.begin(), all.end(), [](const Loaded& each) { return each.declared_rank.has_value(); });
  std::map<std::uint32_t, std::string> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ImportedRank& rank = all[i].rank;
    rank.rank = declared ? *all[i].declared_rank : static_cast<std::uint32_t>(i);
    const auto [known, is_new] = seen.emplace(rank.rank, rank.name);
    if (!is_new)
      throw chakra::TraceError(
          fmt::format("{} and {} are both of rank {}", known->second, rank.name, rank.rank));
  }
  std::sort(all.begin(), all.end(),
            [](const Loaded& a, const Loaded& b) { return a.rank.rank < b.rank.rank; });
}

/// Where a rank's clock stands: a collective ends on all ranks at about the same time.
void align_clocks(ImportedJob& job) {
  const ImportedRank& first = job.ranks.front();
  const auto ends = [](const ImportedRank& rank) {
    std::map<std::pair<std::string, std::size_t>, std::int64_t> found;
    std::map<std::string, std::size_t> numbers;
    for (const std::uint32_t index : rank.in_order) {
      const Item& item = rank.graph.items[index];
      const PlacedCommunication& placed = rank.placed[item.communication - 1];
      if (placed.kind.type != chakra::NodeType::CommColl) continue;
      found[{placed.group, numbers[placed.group]++}] = item.end_ns;
    }
    return found;
  };
  const auto reference = ends(first);
  std::int64_t earliest = first.graph.start_ns;
  for (ImportedRank& rank : job.ranks) {
    std::vector<std::int64_t> differences;
    for (const auto& [which, end] : ends(rank))
      if (const auto found = reference.find(which); found != reference.end())
        differences.push_back(end - found->second);
    if (differences.empty()) {  // nothing in common: they begin together
      rank.offset_ns = rank.graph.start_ns - first.graph.start_ns;
    } else {
      const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
      std::nth_element(differences.begin(), middle, differences.end());
      rank.offset_ns = *middle;
    }
    earliest = std::min(earliest, rank.graph.start_ns - rank.offset_ns);
  }
  for (ImportedRank& rank : job.ranks) rank.delay_ns = rank.graph.start_ns - rank.offset_ns - earliest;
}

/// Ranks that there must be at least, where no trace tells how many there are.
std::uint32_t largest_group(const ImportedJob& job, const ImportOptions& options) {
  constexpr std::uint32_t kMostRanks = 65'536;
  std::uint32_t largest = 0;
  const auto take = [&](const std::vector<std::uint32_t>& ranks) {
    for (const std::uint32_t rank : ranks)
      if (rank < kMostRanks) largest = std::max(largest, rank + 1);
  };
  for (const auto& [name, ranks] : options.groups) take(ranks);
  for (const ImportedRank& rank : job.ranks)
    for (const Communication& each : rank.graph.communications) {
      if (each.group_size <= kMostRanks) largest = std::max(largest, each.group_size);
      take(each.ranks);
    }
  return largest;
}

}  // namespace

ImportedJob import_job(const std::vector<RankFiles>& files, const ImportOptions& options) {
  if (files.empty()) throw chakra::TraceError("there are no traces to import");
  std::vector<Loaded> all;
  for (const RankFiles& each : files) all.push_back(load(each, options));
  number_ranks(all);

  ImportedJob job;
  std::uint32_t highest = 0;
  JobGroups groups(options.groups);
  for (Loaded& each : all) {
    highest = std::max(highest, each.rank.rank);
    if (each.world_size) job.world_size = std::max(job.world_size, *each.world_size);
    groups.add(each.rank.name, each.groups);
    job.ranks.push_back(std::move(each.rank));
  }
  if (job.world_size == 0) job.world_size = largest_group(job, options);
  job.world_size = std::max(job.world_size, highest + 1);
  groups.place(job);
  align_clocks(job);
  return job;
}

}  // namespace wafertlm::pytorch
