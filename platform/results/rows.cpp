// SPDX-License-Identifier: Apache-2.0
#include "platform/results/rows.h"

#include <algorithm>
#include <utility>

#include "platform/machine/sampled/sampling.h"
#include "platform/machine/wafer.h"
#include "platform/text/format.h"

namespace wafertlm::results {
namespace {

/// The classes that every results file has, also when they are 0; others follow by name.
constexpr const char* kClasses[] = {"mp", "dp", "pp", "ep", "input", "weights", "memory"};

/// What is no computation of the rank, and no communication.
constexpr const char* kUnexposed[] = {"bubble", "cpu", "idle"};

template <std::size_t kCount>
bool is_in(const char* const (&names)[kCount], const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

template <typename Value>
Json breakdown_s(const std::map<std::string, Value>& parts) {
  const auto part = [&](const std::string& name) {
    const auto found = parts.find(name);
    return found == parts.end() ? 0.0 : static_cast<double>(found->second) * 1e-12;
  };
  Json json = {{"compute", part("compute")}};
  for (const char* name : kClasses) json[std::string("exposed_") + name] = part(name);
  for (const auto& [name, value] : parts)
    if (name != "compute" && !is_in(kUnexposed, name)) json["exposed_" + name] = part(name);
  for (const char* name : kUnexposed) json[name] = part(name);
  return json;
}

Json breakdown_ps(const std::map<std::string, TimePs>& parts) {
  Json picoseconds = Json::object();
  for (const auto& [name, value] : parts) picoseconds[name] = value;
  return picoseconds;
}

Json of_seconds() { return schema::reference("breakdown"); }
Json of_picoseconds() { return schema::reference("picoseconds_by_category"); }

struct RankRow {
  const IterationResult& of;
  std::size_t rank;
};

const Fields<RankRow>& rank_fields() {
  static const Fields<RankRow> fields([](Fields<RankRow>& f) {
    using R = const RankRow&;
    f.add("rank", schema::count(), &RankRow::rank);
    f.add("time_s", schema::seconds(), [](R row) { return seconds(row.of.end_ps - row.of.start_ps); });
    f.add("done_s", schema::seconds(), [](R row) { return seconds(row.of.rank_end_ps[row.rank]); });
    f.add("breakdown_s", of_seconds(), [](R row) { return breakdown_s(row.of.ranks[row.rank]); });
    f.add("breakdown_ps", of_picoseconds(), [](R row) { return breakdown_ps(row.of.ranks[row.rank]); });
  });
  return fields;
}

Json ranks_json(const IterationResult& result) {
  Json ranks = Json::array();
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    ranks.push_back(rank_fields().json({result, rank}));
  return ranks;
}

/// Of an iteration: what comes of operations that are served in another order than they would have been,
/// which no audit of times sees.
constexpr double kOrder = 0.0005;

/// 1 for a rank that waits for nobody.
double whole_over_busy(const IterationResult& iteration, std::size_t rank) {
  const auto whole_ps = static_cast<double>(iteration.end_ps - iteration.start_ps);
  double idle_ps = 0;
  for (const auto& [name, time_ps] : iteration.ranks[rank])
    if (is_in(kUnexposed, name)) idle_ps += static_cast<double>(time_ps);
  return whole_ps / std::max(whole_ps - idle_ps, 1.0);
}

IterationHalfWidths half_widths_of(const Machine& machine, const Placement& npus,
                                   const IterationResult& iteration) {
  const Sampling& sampling = *machine.sampling();
  const ClassTable& classes = machine.wafer().classes;
  IterationHalfWidths widths;
  for (std::size_t rank = 0; rank < npus.size(); ++rank) {
    const Sampling::Shares shares = sampling.shares(npus[rank], iteration.number);
    const double stretch = whole_over_busy(iteration, rank);
    Sampling::Share whole;
    for (std::size_t column = 0; column < shares.size(); ++column) {
      whole += shares[column];
      const double width_ps = stretch * sampling.half_width_ps(shares[column]);
      if (width_ps == 0) continue;
      double& widest =
          widths.breakdown_ps[column == Sampling::kMemory ? "memory"
                                                          : classes[static_cast<ClassId>(column)].name];
      widest = std::max(widest, width_ps);
    }
    widths.time_ps = std::max(widths.time_ps, stretch * sampling.half_width_ps(whole));
  }
  widths.time_ps += kOrder * static_cast<double>(iteration.end_ps - iteration.start_ps);
  widths.breakdown_ps["idle"] = widths.breakdown_ps["bubble"] = widths.time_ps;
  return widths;
}

double rate(const IterationRow& row, double amount) {
  return amount / seconds(row.result.end_ps - row.result.start_ps);
}

}  // namespace

const Fields<IterationRow>& iteration_fields() {
  static const Fields<IterationRow> fields([](Fields<IterationRow>& f) {
    using R = const IterationRow&;
    f.add_if([](R row) { return row.is_numbered; }, "number",
             schema::count("From 0, where not all iterations are listed"),
             [](R row) { return row.result.number; });
    f.add("time_s", schema::seconds(),
          [](R row) { return seconds(row.result.end_ps - row.result.start_ps); });
    f.add("time_ps", schema::count(), [](R row) { return row.result.end_ps - row.result.start_ps; });
    const auto is_sampled = [](R row) { return row.half_widths != nullptr; };
    f.add_if(is_sampled, "time_half_width_s", half_width_schema(),
             [](R row) { return row.half_widths->time_ps * 1e-12; });
    f.add_if(is_sampled, "breakdown_half_width_s",
             schema::reference("breakdown", "run.acceleration: sampled: the breakdowns are ± these at 95 %"),
             [](R row) { return breakdown_s(row.half_widths->breakdown_ps); });
    const auto per_second = [](std::optional<double> IterationWork::*amount) {
      return [amount](R row) { return (row.work.*amount) ? Json(rate(row, *(row.work.*amount))) : Json(); };
    };
    f.add("mfu",
          schema::or_null(schema::number(),
                          "Model FLOPs utilisation: operations of forward and backward pass (of traces what "
                          "their nodes tell) by time and npu.peak of all NPUs with a rank; null: not known"),
          [](R row) {
            return row.work.operations && row.peak_operations_per_s > 0
                       ? Json(rate(row, *row.work.operations) / row.peak_operations_per_s)
                       : Json();
          });
    f.add("samples_per_s",
          schema::or_null(schema::number(), "null: traces, or a part of the model is simulated"),
          per_second(&IterationWork::samples));
    f.add("tokens_per_s", schema::or_null(schema::number(), "null: the same, or samples have no tokens"),
          per_second(&IterationWork::tokens));
    f.add("start_s", schema::seconds(), [](R row) { return seconds(row.result.start_ps); });
    f.add("end_s", schema::seconds(), [](R row) { return seconds(row.result.end_ps); });
    f.add("rank", schema::count("That finishes last, whose breakdown this is"),
          [](R row) { return row.result.last_rank; });
    f.add("breakdown_s", of_seconds(), [](R row) { return breakdown_s(row.result.last); });
    f.add("breakdown_ps", of_picoseconds(), [](R row) { return breakdown_ps(row.result.last); });
    f.add("breakdown_min_s", of_seconds(), [](R row) { return breakdown_s(row.result.least); });
    f.add("breakdown_mean_s", of_seconds(), [](R row) { return breakdown_s(row.result.mean); });
    f.add("breakdown_max_s", of_seconds(), [](R row) { return breakdown_s(row.result.most); });
    f.add(
        "ranks",
        schema::list(schema::reference("rank"),
                     "Empty where ranks times iterations are more than 100,000, but for the last iteration"),
        [](R row) { return row.with_ranks ? ranks_json(row.result) : Json::array(); });
  });
  return fields;
}

Json half_width_schema() {
  return schema::seconds("run.acceleration: sampled: the figure without \"half_width_\" is ± this at 95 %");
}

Json rank_schema() { return rank_fields().schema(); }

Json breakdown_schema() {
  Json required = {"compute"};
  for (const char* name : kClasses) required.push_back(std::string("exposed_") + name);
  for (const char* name : kUnexposed) required.push_back(name);
  return {
      {"description",
       "The parts sum to the iteration's time. bubble: waits for another stage of the pipeline; cpu: of the "
       "CPU that launches; idle: of ranks that are late in a collective"},
      {"type", "object"},
      {"required", required},
      {"propertyNames", {{"pattern", "^(compute|bubble|cpu|idle|exposed_.+)$"}}},
      {"additionalProperties", schema::seconds()}};
}

namespace {

/// Above this many collectives only totals and the worst are listed.
constexpr std::size_t kMaxCollectives = 100'000, kWorst = 1000;

double bus_bandwidth(const CollectiveRecord& record) {
  const double after_last_entry = seconds(record.end_ps - record.last_entry_ps);
  const double rate = after_last_entry > 0 ? static_cast<double>(record.bytes) / after_last_entry : 0;
  return rate * (record.io_stream ? 1 : bus_factor(record.type, record.group_size));
}

}  // namespace

const Fields<CollectiveRecord>& collective_fields() {
  static const Fields<CollectiveRecord> fields([](Fields<CollectiveRecord>& f) {
    using R = const CollectiveRecord&;
    f.add("id", schema::count(), &CollectiveRecord::id);
    f.add("name", schema::text(), &CollectiveRecord::name);
    f.add("type", schema::text(), &CollectiveRecord::type_name);
    f.add("algorithm", schema::text("That really ran"), &CollectiveRecord::algorithm);
    f.add("class", schema::text(), &CollectiveRecord::traffic_class);
    f.add("group", schema::text(), &CollectiveRecord::group);
    f.add("sequence", schema::count(), &CollectiveRecord::sequence);
    f.add("group_size", schema::count(), &CollectiveRecord::group_size);
    f.add("bytes", schema::count(), &CollectiveRecord::bytes);
    f.add("start_s", schema::seconds("First rank enters"), [](R row) { return seconds(row.first_entry_ps); });
    f.add("end_s", schema::seconds("Last rank leaves"), [](R row) { return seconds(row.end_ps); });
    f.add("skew_s", schema::seconds("Last entry after the first"),
          [](R row) { return seconds(row.last_entry_ps - row.first_entry_ps); });
    f.add("time_s", schema::seconds(), [](R row) { return seconds(row.end_ps - row.first_entry_ps); });
    f.add("time_ps", schema::count(), [](R row) { return row.end_ps - row.first_entry_ps; });
    f.add_if([](R row) { return row.half_width_ps != 0; }, "time_half_width_s", half_width_schema(),
             [](R row) { return row.half_width_ps * 1e-12; });
    f.add("predicted_s", schema::seconds("Alone on an idle fabric"),
          [](R row) { return seconds(row.cost.predicted_ps); });
    f.add("bound_s", schema::seconds("No algorithm can beat it"),
          [](R row) { return seconds(row.cost.bound_ps); });
    f.add("bus_bandwidth_bytes_per_s", schema::number(), bus_bandwidth);
  });
  return fields;
}

std::vector<const CollectiveRecord*> listed(std::vector<const CollectiveRecord*> records, std::size_t most,
                                            std::size_t worst) {
  if (records.size() <= most) return records;
  const auto excess = [](const CollectiveRecord* record) {
    return record->end_ps - record->first_entry_ps - std::min(record->cost.bound_ps, record->end_ps);
  };
  std::partial_sort(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(worst), records.end(),
                    [&](auto* a, auto* b) { return excess(a) > excess(b); });
  records.resize(worst);
  return records;
}

Json collectives_json(const JobRun& job) {
  Json list = Json::array();
  for (const CollectiveRecord* record : listed(job.collectives(), kMaxCollectives, kWorst))
    list.push_back(collective_fields().json(*record));
  return list;
}

namespace {

struct StepRow {
  const PathStep& step;
  std::string name;
};

const Fields<StepRow>& step_fields() {
  static const Fields<StepRow> fields([](Fields<StepRow>& f) {
    using R = const StepRow&;
    f.add("rank", schema::count(), [](R row) { return row.step.rank; });
    f.add("node", schema::count(), [](R row) { return row.step.node; });
    f.add("name", schema::text(), &StepRow::name);
    f.add("category", schema::text(), [](R row) { return row.step.category; });
    f.add("start_s", schema::seconds(), [](R row) { return seconds(row.step.start_ps); });
    f.add("end_s", schema::seconds(), [](R row) { return seconds(row.step.end_ps); });
  });
  return fields;
}

Json steps_json(const JobRun& job, const CriticalPath& path) {
  std::map<std::uint32_t, std::vector<std::uint64_t>> nodes;
  for (const PathStep& step : path.steps) nodes[step.rank].push_back(step.node);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> names;
  for (const auto& [rank, ids] : nodes) {
    const auto found = chakra::node_names(*job.job().ranks[rank], ids);
    for (std::size_t i = 0; i < ids.size(); ++i) names[{rank, ids[i]}] = found[i];
  }
  Json steps = Json::array();
  for (const PathStep& step : path.steps)
    steps.push_back(step_fields().json({step, names[{step.rank, step.node}]}));
  return steps;
}

}  // namespace

const Fields<CriticalPathRow>& critical_path_fields() {
  static const Fields<CriticalPathRow> fields([](Fields<CriticalPathRow>& f) {
    using R = const CriticalPathRow&;
    f.add("length", schema::count(), [](R row) { return row.path.length; });
    f.add("beginning_not_kept", schema::boolean(), [](R row) { return row.path.cut; });
    f.add("breakdown_ps", of_picoseconds(), [](R row) { return breakdown_ps(row.path.breakdown); });
    f.add("steps", schema::list(step_fields().schema()), [](R row) { return steps_json(row.job, row.path); });
  });
  return fields;
}

namespace {

/// Those that are not 0, in seconds.
template <typename Times>
Json by_class(const ClassTable& classes, const Times& times_ps) {
  Json json = Json::object();
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (times_ps[i] != 0) json[classes[static_cast<ClassId>(i)].name] = seconds(times_ps[i]);
  return json;
}

double busy_fraction_of(const LinkRow& row) {
  const double busy_s =
      static_cast<double>(row.counters.wire_bytes) / static_cast<double>(row.link.bytes_per_s);
  return busy_s / seconds(row.end_ps);
}

}  // namespace

const Fields<LinkRow>& link_fields() {
  static const Fields<LinkRow> fields([](Fields<LinkRow>& f) {
    using R = const LinkRow&;
    Fields<LinkRow> blocked, wait;
    blocked.add("credit", schema::fraction(),
                [](R row) { return seconds(row.counters.credit_blocked_ps) / seconds(row.end_ps); });
    wait.add("queue", schema::seconds(), [](R row) { return seconds(row.counters.queue_wait_ps); });
    wait.add("credit", schema::seconds(), [](R row) { return seconds(row.counters.credit_wait_ps); });
    wait.add("contention", schema::map_of(schema::seconds()),
             [](R row) { return by_class(row.classes, row.counters.contention_wait_ps); });
    f.add("name", schema::text(), [](R row) { return row.link.name; });
    f.add("bytes", schema::count("Payload"), [](R row) { return row.counters.payload_bytes; });
    f.add("wire_bytes", schema::count(), [](R row) { return row.counters.wire_bytes; });
    f.add("packets", schema::count(), [](R row) { return row.counters.packets; });
    f.add("busy_fraction", schema::fraction(), busy_fraction_of);
    f.add("blocked_fraction", blocked, "The line is idle with a packet ready, by cause");
    f.add("packet_wait_s", wait,
          "Over all packets, by cause; contention by the class that was served instead");
    f.add("longest_wait_s", schema::map_of(schema::seconds(), "By class"),
          [](R row) { return by_class(row.classes, row.counters.longest_wait_ps); });
    f.add("energy_j", schema::or_null(schema::number(), "null: not modelled"),
          [](R row) -> Json { return row.energy_per_bit_j == 0 ? Json() : Json(row.energy_j()); });
  });
  return fields;
}

std::vector<IterationHalfWidths> half_widths(const Machine& machine, const Placement& npus,
                                             const std::vector<IterationResult>& iterations) {
  std::vector<IterationHalfWidths> widths;
  if (!machine.sampling() || machine.sampling()->counts().is_exact()) return widths;
  for (const IterationResult& iteration : iterations)
    widths.push_back(half_widths_of(machine, npus, iteration));
  return widths;
}

}  // namespace wafertlm::results
