// SPDX-License-Identifier: Apache-2.0
#include "platform/run/job_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <regex>
#include <set>
#include <stdexcept>
#include <utility>

#include "platform/machine/machine.h"
#include "platform/machine/routes.h"
#include "platform/machine/run_faults.h"
#include "platform/machine/sampled/sampling.h"
#include "platform/machine/simulate.h"
#include "platform/machine/wafer.h"
#include "platform/run/collective_planner.h"
#include "platform/run/entry_news.h"
#include "platform/run/job.h"
#include "platform/run/stream_ends.h"
#include "platform/run/tuned_choice.h"
#include "platform/spec/cut_times.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/ranges.h"
#include "tlm/shape/equal_places.h"

namespace wafertlm {
namespace {

struct WaitChain {
  std::vector<std::string> lines;
  std::set<std::pair<std::uint32_t, const Task*>> named;  ///< (rank, task) that the lines explain
};

/// The chain of who waits for whom in a run that is stuck: from the lowest rank that waits for another one, a
/// line per step, until it comes back to where it was or nobody can be named.
WaitChain who_waits_for_whom(const std::vector<std::unique_ptr<RankSequencer>>& ranks) {
  WaitChain chain;
  std::vector<std::string>& lines = chain.lines;
  std::uint32_t rank = 0;
  const Task* task = nullptr;
  for (; rank < ranks.size() && !task; ++rank)
    for (const Task* candidate : ranks[rank]->engine.under_way())
      if (!task && !ranks[rank]->need_of(*candidate).ranks.empty()) task = candidate;
  if (!task) return chain;
  --rank;

  std::map<const Task*, std::size_t> seen;  // task → its line, counted from 1
  while (task) {
    const auto [first, is_new] = seen.emplace(task, lines.size() + 1);
    chain.named.emplace(rank, task);
    if (!is_new) {
      lines.push_back(fmt::format("… which is line {} again: they wait in a circle", first->second));
      break;
    }
    const RankSequencer::Need need = ranks[rank]->need_of(*task);
    std::string line = fmt::format("{}. rank {}: {} waits for {}", lines.size() + 1, rank, describe(*task),
                                   need.ranks.empty() ? "its end" : need.text);
    if (need.ranks.empty()) {
      lines.push_back(line);
      break;
    }
    rank = need.ranks.front();
    const Task* wanted = nullptr;
    task = ranks[rank]->engine.blocker(need.provides, &wanted);
    if (wanted && task)
      line += fmt::format("; rank {} does that in {}, behind {}", rank, describe(*wanted), describe(*task));
    else if (!task)
      line += fmt::format("; rank {} has nothing under way", rank);
    lines.push_back(line);
  }
  return chain;
}

/// What the machine says is pending, in terms of the job: rank r runs on NPU r, and the places in a group
/// that the machine calls ranks mean nothing to the user. Each pair of a collective is named once, those of
/// the collectives `without` not at all.
std::vector<std::string> in_ranks(const std::vector<std::string>& pending,
                                  const std::set<std::uint64_t>& without) {
  static const std::regex npu_of_a_rank("NPU ([0-9]+)( \\(rank [0-9]+\\))?");
  static const std::regex step(" in collective ([0-9]+) step [0-9]+ of threadblock [0-9]+");
  std::vector<std::string> lines;
  for (const std::string& line : pending) {
    std::smatch match;
    std::string known;  // the number of the collective
    if (std::regex_search(line, match, step)) {
      known = std::to_string(CollectiveRecord::record_id(std::stoull(match[1])));
      const bool lost = match.suffix().length() != 0;  // a message that left and did not arrive
      if (!lost && without.count(std::stoull(known)) != 0) continue;
    }
    std::string text = std::regex_replace(line, npu_of_a_rank, "rank $1");
    text = std::regex_replace(text, step, " in collective " + known);
    if (std::find(lines.begin(), lines.end(), text) == lines.end()) lines.push_back(std::move(text));
  }
  return lines;
}

std::string type_name(const chakra::Node& node) {
  std::string type = chakra::to_string(*node.comm_type);
  for (char& letter : type) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return type;
}

/// Whether such a collective is left to `collectives.algorithm`, which may be a tuning table.
bool takes_the_table(const config::CollectivesSpec& spec, const chakra::Node& node, bool is_partial) {
  if (node.io_stream) return false;
  const std::string name = type_name(node);
  for (const CollectiveType type : kCollectiveTypes)
    if (name == to_string(type))
      return spec.custom.of(type).empty() && platform_algorithm(spec, type, is_partial).empty();
  return true;
}

/// " (FILE:LINE:COLUMN, KEY)", where the platform says how such a collective is done; "" if it does not.
std::string algorithm_place(const config::PlatformSpec& platform, const chakra::Node& node, bool is_partial) {
  const std::string type = type_name(node);
  for (const std::string& key : {is_partial ? "partial_groups." + type : "", "by_type." + type,
                                 "dimensions." + type, "custom." + type, std::string("algorithm")})
    if (const config::Origin* const origin = platform.origins.find("collectives." + key))
      return fmt::format(" ({}, collectives.{})", origin->place.text(), key);
  return "";
}

}  // namespace

JobRun::JobRun(Machine& machine, const Job& job, const config::ExperimentSpec& experiment, EqualRanks equal)
    : machine_(machine),
      job_(job),
      equal_(std::move(equal)),
      iteration_count_(experiment.iterations),
      listed_(experiment.iterations, experiment.list_all_iterations),
      barrier_(experiment.barrier),
      proven_(experiment.platform.run.functional),
      time_step_ps_(
          fabric_kind(experiment.platform.wafer).abilities(experiment.platform.wafer.fabric).time_step_ps),
      registry_(job.groups, machine.traits(), collective_planner(job, experiment),
                [&job, chunk = experiment.platform.wafer.io.chunk_bytes,
                 data_type = experiment.platform.run.data_type](
                    CollectiveType type, const std::vector<std::uint32_t>& ranks, std::uint64_t bytes) {
                  IoStreamRequest request{type, bytes, chunk, data_type};
                  for (const std::uint32_t rank : ranks) request.members.push_back(job.npus[rank]);
                  return request;
                }),
      context_{machine, causes_, categories_, registry_, messages_, proven_ && !machine.is_played(), nullptr},
      time_(job.size(), listed_),
      stream_ends_(std::make_unique<StreamEnds>(
          machine, job.npus, experiment.platform.run.functional,
          StreamEnds::Job{[this](std::uint32_t rank) -> RankSequencer& { return *ranks_[rank]; },
                          [this](CollectiveRecord& record) { stream_is_out(record); }})),
      iteration_times_(experiment.iterations),
      ranks_done_(experiment.iterations),
      last_rank_(experiment.iterations),
      rank_ends_(listed_.size(), std::vector<TimePs>(job.size())) {
  if (equal_.places.one_for_all) registry_.stand_for(equal_.groups_like);
  plan_collectives(experiment.platform);
  if (equal_.places.one_for_all && !are_plans_alike(equal_))
    throw PlacesDiffer("ranks differ in what they do in a collective");
  for (std::uint32_t rank = 0; rank < job.size(); ++rank)
    for (const std::uint32_t peer : job.summaries[rank].sends_to)
      machine.wafer().fabric().require_routes({job.npus[rank], job.npus[peer]});
  const std::uint32_t simulated_ranks = equal_.places.one_for_all ? 1 : job.size();
  for (std::uint32_t rank = 0; rank < simulated_ranks; ++rank) {
    RankHost& host = *this;
    ranks_.push_back(
        std::make_unique<RankSequencer>(context_, host, rank, job, experiment.platform.sequencer));
  }
  causes_.bound(kCausesKept, [this] { return accounted_ps(); });
  const Wafers wafers = fabric_kind(experiment.platform.wafer).wafers(experiment.platform.wafer);
  if (wafers.count > 1)
    news_ = std::make_unique<EntryNews>(
        job.groups, wafers, wafers_of_ranks(job.npus, wafers), std::nullopt, machine.wafer().scheduler,
        [this](std::uint32_t rank, std::uint32_t group, std::uint64_t number, TimePs now) {
          ranks_[rank]->engine.awaited(group, number, now);
        });
}

JobRun::~JobRun() = default;

namespace {

/// All-to-alls beside collectives of other classes: they meet in ever new ways.
bool exchanges_among_others(const Job& job) {
  bool exchanges = false;
  std::set<std::string> classes;
  for (const chakra::TraceSummary& rank : job.summaries)
    for (const auto& [kind, collectives] : rank.collective_kinds) {
      exchanges = exchanges || collectives.first.comm_type == chakra::CollectiveType::AllToAll;
      classes.insert(collectives.first.comm_class);
    }
  return exchanges && classes.size() > 1;
}

}  // namespace

void JobRun::plan_collectives(const config::PlatformSpec& platform) {
  const config::WaferSpec& wafer = platform.wafer;
  const FabricAbilities abilities = fabric_kind(wafer).abilities(wafer.fabric);
  Repeats repeats{machine_.skipped() != nullptr, machine_.plays_episodes(), abilities.new_courses,
                  abilities.new_packets};
  if (exchanges_among_others(job_)) {
    constexpr double kNewPackets = 380;  // measured with Mixtral 8x7B
    repeats.new_courses = 1;
    repeats.new_packets = std::max(repeats.new_packets, kNewPackets);
  }
  WorkCounter counter(machine_.traits(), abilities.packets, iteration_count_, repeats);
  const auto tuned = tuned_choice(platform.collectives);
  bool takes_table = false;
  for (std::uint32_t rank = 0; rank < job_.size(); ++rank)
    for (const auto& [kind, collectives] : job_.summaries[rank].collective_kinds) {
      const chakra::Node& node = collectives.first;
      const std::size_t group_size = job_.groups.ranks(node.pg_name).size();
      takes_table = takes_table || takes_the_table(platform.collectives, node, group_size < job_.size());
      try {
        const auto& programs = registry_.plan_ahead(make_task(node, rank, job_.groups));
        if (job_.groups.ranks(node.pg_name).front() != rank) continue;
        for (const auto& program : programs) require_routes(*program, machine_.wafer().fabric());
        counter.add(programs, collectives.count, node.io_stream);
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(fmt::format("{}: {}: {}{}", job_.ranks[rank]->name(),
                                                chakra::describe(node), error.what(),
                                                algorithm_place(platform, node, group_size < job_.size())));
      }
    }
  if (tuned && !takes_table) tuned->refuse_unused();
  for (const chakra::TraceSummary& rank : job_.summaries) counter.add(rank);
  work_ = counter.work();
}

bool JobRun::are_plans_alike(const EqualRanks& equal) {
  for (const auto& [kind, collectives] : job_.summaries[0].collective_kinds) {
    const auto& first = registry_.plan_ahead(make_task(collectives.first, 0, job_.groups)).front();
    for (const std::uint32_t number : equal.groups_like[kind.group]) {
      chakra::Node like = collectives.first;
      like.pg_name = job_.groups.name(number);
      if (!are_alike(*first, *registry_.plan_ahead(make_task(like, 0, job_.groups)).front())) return false;
    }
  }
  return true;
}

/// No gap reaches back beyond this time.
TimePs JobRun::accounted_ps() const {
  TimePs least = kNever;
  for (const auto& rank : ranks_) least = std::min(least, rank->account.covered_ps());
  return least;
}

void JobRun::time_spent(std::uint32_t rank, const TimeSegment& segment) {
  time_.add(rank, segment);
  if (context_.observer)
    context_.observer->time_spent(rank, segment.from_ps, segment.to_ps, categories_.name(segment.category));
}

bool JobRun::gathers(std::uint32_t rank, const CollectiveRecord& record, TimePs now) const {
  if (!news_) return record.gathers(now);
  return news_->gathers(rank, static_cast<std::uint32_t>(job_.groups.number(record.group)), record.sequence,
                        now);
}

void JobRun::collective_entered(std::uint32_t rank, const CollectiveRecord& record, bool is_first,
                                TimePs now) {
  if (!news_ && !is_first) return;  // all others have been told
  const auto group = static_cast<std::uint32_t>(job_.groups.number(record.group));
  if (news_) return news_->entered(rank, group, record.sequence, now);
  for (const std::uint32_t other : job_.groups.ranks(record.group))
    if (other != rank) ranks_[other]->engine.awaited(group, record.sequence, now);
}

void JobRun::stream_is_out(CollectiveRecord& record) {
  record.is_out = true;
  if (record.type != CollectiveType::reduce) return;
  const TimePs now = machine_.wafer().scheduler.now();
  for (const std::uint32_t rank : job_.groups.ranks(record.group)) ranks_[rank]->stream_is_out(record, now);
}

void JobRun::stream_complete(CollectiveRecord& record) { stream_ends_->start(record); }

void JobRun::relayed(std::uint64_t token, const Operation& operation, const std::vector<std::byte>& data) {
  stream_ends_->done(token, operation, data);
}

void JobRun::iteration_done(std::uint32_t rank, std::uint32_t iteration, TimePs now) {
  // Calls come in the order of time: the last is the end. Of equals the lowest rank is named.
  if (iteration_times_[iteration] != now || rank < last_rank_[iteration]) last_rank_[iteration] = rank;
  iteration_times_[iteration] = now;
  if (listed_.has(iteration)) rank_ends_[listed_.place_of(iteration)][rank] = now;
  if (Sampling* const sampling = machine_.sampling()) sampling->next_period(job_.npus[rank]);
  const bool all_done = ++ranks_done_[iteration] == ranks_.size();
  if (all_done) {
    time_.close(now);
    drop_what_is_not_listed();
  }
  if (iteration + 1 == iteration_count_) return;
  if (!barrier_) {
    ranks_[rank]->engine.start_iteration(now);
  } else if (all_done) {
    const CauseRef cause = ranks_[last_rank_[iteration]]->engine.last();
    for (const auto& each : ranks_) each->engine.start_iteration(now, cause);
  }
}

/// The chain first, then what it does not name: collectives that not all have entered, other operations, and
/// what the machine says of collectives that all have entered.
std::vector<std::string> JobRun::waiting(const std::vector<std::string>& pending) const {
  auto [lines, named] = who_waits_for_whom(ranks_);
  std::set<std::uint64_t> chained, open;
  for (const auto& [rank, task] : named)
    if (const CollectiveRecord* record = ranks_[rank]->collective_of(*task)) chained.insert(record->id);
  for (const auto& [record, line] : registry_.unfinished()) {
    open.insert(record->id);
    if (chained.count(record->id) == 0) lines.push_back(line);
  }
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    for (const Task* task : ranks_[rank]->engine.under_way()) {
      const CollectiveRecord* const record = ranks_[rank]->collective_of(*task);
      if (named.count({rank, task}) != 0 || (record && open.count(record->id) != 0)) continue;
      const RankSequencer::Need need = ranks_[rank]->need_of(*task);
      lines.push_back(fmt::format("rank {}: {}{}", rank, describe(*task),
                                  need.text.empty() ? " is not done" : " waits for " + need.text));
    }
  for (std::string& line : in_ranks(pending, open)) lines.push_back(std::move(line));
  return lines;
}

std::uint64_t JobRun::finished() const {
  std::uint64_t sum = 0;
  for (const auto& rank : ranks_) sum += rank->engine.finished();
  return sum;
}

std::size_t JobRun::held_high_water() const {
  std::size_t most = 0;
  for (const auto& rank : ranks_) most = std::max(most, rank->engine.held_high_water());
  return most;
}

/// Of a run that ends at `now`: what a job would lose.
std::string JobRun::what_is_lost(TimePs now) const {
  const auto done =
      static_cast<std::size_t>(std::find_if(ranks_done_.begin(), ranks_done_.end(),
                                            [&](std::uint32_t ranks) { return ranks != ranks_.size(); }) -
                               ranks_done_.begin());
  const TimePs kept_ps = done == 0 ? 0 : iteration_times_[done - 1];
  return fmt::format(
      "; {} of {} iterations were done, and {} of the next one are lost: the job goes on from its last "
      "checkpoint (what that costs over many failures: wafertlm goodput)",
      done, iteration_count_, format_time(now - kept_ps));
}

void JobRun::run(const std::function<void(TimePs, std::uint64_t, std::uint64_t)>& progress) {
  std::uint64_t all = 0;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    all += job_.summaries[rank].nodes * iteration_count_;
  try {
    simulate(
        machine_,
        [&] {
          for (const auto& rank : ranks_) rank->engine.start_iteration(0);
        },
        [&] { return ranks_done_.back() == ranks_.size(); },
        [&](TimePs now) {
          if (progress) progress(now, finished(), all);
        },
        [&](const std::vector<std::string>& pending) { return waiting(pending); });
  } catch (const PartLost& lost) {
    throw std::runtime_error(lost.what() + what_is_lost(lost.at_ps));
  }
  if (end_ps() == 0)
    throw std::runtime_error("the workload took no time at all: no node has a duration and nothing was sent");
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto& by_type = job_.summaries[rank].by_type;
    const bool has_messages = by_type[static_cast<std::size_t>(chakra::NodeType::CommSend)] +
                                  by_type[static_cast<std::size_t>(chakra::NodeType::CommRecv)] !=
                              0;
    ranks_[rank]->account.finish(end_ps(), ranks_[rank]->engine.last(), has_messages);
  }
  for (const CollectiveRecord* record : collectives()) require_bound(*record);
}

/// @throws std::runtime_error: it was faster than can be.
void JobRun::require_bound(const CollectiveRecord& record) const {
  const TimePs time = record.end_ps - record.first_entry_ps;
  if (time + cut_at_most_ps(time_step_ps_, record.group_size, record.chunks) < record.cost.bound_ps)
    throw std::runtime_error(fmt::format(
        "collective {} (\"{}\") took {} ps, less than its bound of {} ps: this is a fault of the model, "
        "please report it",
        record.id, record.name, time, record.cost.bound_ps));
}

/// Collectives that began in iterations before the one that has just ended: ranks may still be in those of
/// this one.
void JobRun::drop_what_is_not_listed() {
  const std::vector<TimePs>& ends = time_.ends();
  if (listed_.all() || ends.size() < listed_.first() + std::size_t{2}) return;
  registry_.drop(ends[listed_.first() - 1], ends[ends.size() - 2],
                 [this](const CollectiveRecord& record) { require_bound(record); });
}

std::map<std::string, TimePs> JobRun::breakdown(std::uint32_t rank, std::uint32_t iteration) const {
  std::map<std::string, TimePs> parts;
  for (std::uint8_t category = 0; category < categories_.size(); ++category)
    if (const TimePs sum = time_.sum(simulated(rank), iteration, category); sum != 0)
      parts[categories_.name(category)] = sum;
  return parts;
}

std::vector<TimePs> JobRun::iteration_times_ps() const {
  std::vector<TimePs> times;
  for (std::size_t k = 0; k < time_.ends().size(); ++k)
    times.push_back(time_.ends()[k] - (k == 0 ? 0 : time_.ends()[k - 1]));
  return times;
}

std::vector<IterationResult> JobRun::iterations() const {
  std::vector<IterationResult> results(listed_.size());
  for (std::uint32_t place = 0; place < results.size(); ++place) {
    const std::uint32_t k = listed_.iteration_at(place);
    IterationResult& result = results[place];
    result.number = k;
    result.start_ps = k == 0 ? 0 : time_.ends()[k - 1];
    result.end_ps = time_.ends()[k];
    result.last_rank = last_rank_[k];
    std::map<std::string, std::uint32_t> seen;
    for (std::uint32_t rank = 0; rank < job_.size(); ++rank) {
      result.rank_end_ps.push_back(rank_ends_[place][simulated(rank)]);
      const auto& parts = result.ranks.emplace_back(breakdown(rank, k));
      if (rank == result.last_rank) result.last = parts;
      for (const auto& [category, time] : parts) {
        const auto [least, is_new] = result.least.try_emplace(category, time);
        least->second = std::min(least->second, time);
        result.most[category] = std::max(result.most[category], time);
        result.mean[category] += static_cast<double>(time) / static_cast<double>(job_.size());
        ++seen[category];
      }
    }
    for (const auto& [category, count] : seen)
      if (count < job_.size()) result.least[category] = 0;
  }
  return results;
}

CriticalPath JobRun::critical_path() const {
  CauseRef last;
  for (const auto& rank : ranks_) last.take_later(rank->engine.last());
  const std::size_t iterations = time_.ends().size();
  const TimePs start = iterations < 2 ? 0 : time_.ends()[iterations - 2];
  CriticalPath path;
  TimePs to = end_ps();
  for (std::uint32_t at = last.index(); to > start && at != CauseRef::kNone; at = causes_.cause_of(at)) {
    const CauseLog::Run& run = causes_.at(at);
    if (run.end_ps <= start) break;
    path.cut = run.cut;
    const std::string& name = categories_.name(run.category);
    const TimePs end = std::min(run.end_ps, to), begin = std::max(std::min(run.start_ps, end), start);
    if (end < to) path.breakdown["idle"] += to - end;
    if (begin < end) path.breakdown[name] += end - begin;
    to = begin;
    ++path.length;
    if (path.steps.size() < CriticalPath::kMaxSteps)
      path.steps.push_back({run.rank, run.node, name, run.start_ps, run.end_ps});
  }
  if (to > start) path.breakdown["idle"] += to - start;
  std::reverse(path.steps.begin(), path.steps.end());
  return path;
}

}  // namespace wafertlm
