// SPDX-License-Identifier: Apache-2.0
#include "platform/results/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

#include "platform/describe/table.h"
#include "platform/machine/faults_report.h"
#include "platform/machine/machine_links.h"
#include "platform/machine/reliability.h"
#include "platform/machine/rtl/memory_views.h"
#include "platform/machine/rtl/rtl_views.h"
#include "platform/machine/wafer.h"
#include "platform/results/accelerated.h"
#include "platform/results/cost.h"
#include "platform/results/notes.h"
#include "platform/results/parts.h"
#include "platform/results/rows.h"
#include "platform/spec/fabric_kind.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/fabric_results.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using results::Fields;
using results::Json;
namespace schema = results::schema;

/// Above this many ranks times iterations only the last iteration lists its ranks.
constexpr std::size_t kMaxRankRows = 100'000;

/// A whole run.
struct RunRow {
  const config::ExperimentSpec& experiment;
  const JobRun& job;
  Machine& machine;
  const Measurements& measured;
  const HostCost& host;
  std::vector<MachineLink> links;
  std::vector<IterationResult> iterations;
  std::vector<results::IterationHalfWidths> half_widths = {};  // empty: nothing was sampled
  double link_energy_j = 0;
  IterationWork work = {};
  std::optional<cost::PlatformCost> platform_cost = {};
  std::uint64_t missing_dependencies = 0, left_out_dependencies = 0;
  chakra::AttributeCounts unknown_attributes = {};

  double energy_per_bit_j() const { return experiment.platform.wafer.fabric.energy_per_bit_j; }
  const FabricKind& kind() const { return fabric_kind(experiment.platform.wafer); }
  /// Of all NPUs that have a rank.
  double peak_operations_per_s() const {
    return static_cast<double>(experiment.platform.npu.peak_operations_per_s) * job.job().size();
  }
  results::LinkRow link(std::size_t k) const {
    return {links[k], measured.links.at(k), machine.wafer().classes, job.end_ps(), energy_per_bit_j()};
  }
  bool models_energy() const { return energy_per_bit_j() != 0; }
};
using Run = const RunRow&;

RunRow row_of(const config::ExperimentSpec& experiment, const JobRun& job, Machine& machine,
              const Measurements& measured, const HostCost& host) {
  RunRow row{experiment, job, machine, measured, host, machine_links(machine), job.iterations()};
  row.work = iteration_work(experiment, job.job());
  if (experiment.costs) row.platform_cost = cost::cost_of(experiment, machine.wafer().fabric());
  row.half_widths = results::half_widths(machine, job.job().npus, row.iterations);
  for (std::size_t k = 0; k < row.links.size(); ++k) row.link_energy_j += row.link(k).energy_j();
  for (const chakra::TraceSummary& rank : job.job().summaries) {
    row.missing_dependencies += rank.missing_ctrl_deps + rank.missing_data_deps;
    row.left_out_dependencies += rank.left_out_ctrl_deps;
    for (const auto& [name, count] : rank.unknown_attributes) row.unknown_attributes[name] += count;
  }
  return row;
}

bool lists_some(Run row) { return row.iterations.size() < row.experiment.iterations; }

Json iterations_json(Run row) {
  const std::size_t count = row.iterations.size();
  const bool all_ranks = count * row.job.job().size() <= kMaxRankRows;
  Json list = Json::array();
  for (std::size_t k = 0; k < count; ++k)
    list.push_back(
        results::iteration_fields().json({row.iterations[k], all_ranks || k + 1 == count,
                                          row.half_widths.empty() ? nullptr : &row.half_widths[k],
                                          lists_some(row), row.work, row.peak_operations_per_s()}));
  return list;
}

/// How long all iterations take, by nearest rank.
const Fields<std::vector<TimePs>>& iteration_times_fields() {
  static const Fields<std::vector<TimePs>> fields([](Fields<std::vector<TimePs>>& f) {
    using Times = const std::vector<TimePs>&;  // ascending
    const auto at = [](std::size_t percent) {
      return [percent](Times times) {
        return seconds(times[std::max<std::size_t>(1, (times.size() * percent + 99) / 100) - 1]);
      };
    };
    f.add("count", schema::positive(), [](Times times) { return times.size(); });
    f.add("min_s", schema::seconds(), at(0));
    f.add("median_s", schema::seconds(), at(50));
    f.add("p90_s", schema::seconds(), at(90));
    f.add("p99_s", schema::seconds(), at(99));
    f.add("max_s", schema::seconds(), at(100));
    f.add("mean_s", schema::seconds(), [](Times times) {
      return seconds(std::accumulate(times.begin(), times.end(), TimePs{0})) /
             static_cast<double>(times.size());
    });
  });
  return fields;
}

double iteration_time_s(Run row) {
  return seconds(row.iterations.back().end_ps - row.iterations.back().start_ps);
}

Json memories_json(Run row) {
  Json list = Json::array();
  for (const MemoryMeasurements& memory : row.measured.memories)
    list.push_back(memory_json("hbm_" + std::to_string(list.size()), memory, row.job.end_ps()));
  return list;
}

/// With the schemas of rows that are listed by reference.
void describe_process(Fields<ProcessCost>& of) {
  of.add("wafers", schema::list(schema::count()), &ProcessCost::wafers);
  of.add("windows_wall_s", schema::seconds("In windows and between them, waiting for others included"),
         &ProcessCost::windows_wall_s);
  of.add("work_s", schema::seconds("Processor time in windows"), &ProcessCost::work_s);
  of.add("around_s",
         schema::seconds("Processor time before and after windows: the first process also puts together what "
                         "all have measured"),
         &ProcessCost::around_s);
  of.add("bytes_sent", schema::count("To the others, in windows"), &ProcessCost::bytes_sent);
  of.add("peak_rss_bytes", schema::count(), &ProcessCost::peak_rss_bytes);
}

void describe_processes(Fields<HostCost>& of) {
  static const Fields<ProcessCost> process(describe_process);
  const auto sum = [](const HostCost& host, auto member) {
    return std::accumulate(host.processes.begin(), host.processes.end(),
                           std::decay_t<decltype(ProcessCost{}.*member)>{},
                           [&](auto all, const ProcessCost& each) { return all + each.*member; });
  };
  of.add("windows", schema::count("Of simulated time, after each of which the processes exchange"),
         &HostCost::windows);
  of.add("bytes_exchanged", schema::count(),
         [sum](const HostCost& host) { return sum(host, &ProcessCost::bytes_sent); });
  of.add("work_s", schema::seconds("Processor time in windows, of all processes"),
         [sum](const HostCost& host) { return sum(host, &ProcessCost::work_s); });
  of.add(
      "critical_work_s",
      schema::seconds("The same, of the process that works longest in each window: on as many processors as "
                      "processes at most work_s / critical_work_s times as fast"),
      &HostCost::critical_work_s);
  of.add_list("each", process, &HostCost::processes);
}

Fields<RunRow> make_run_fields() {
  Fields<RunRow> f;
  f.add("experiment", schema::text(), [](Run row) { return row.experiment.name; });
  f.add("platform", schema::text(), [](Run row) { return row.experiment.platform.name; });
  f.add("workload", schema::text(), [](Run row) { return row.experiment.workload.name; });
  f.add("iteration_time_s", schema::seconds("Of the last iteration"), iteration_time_s);
  f.add_if([](Run row) { return !row.half_widths.empty(); }, "iteration_time_half_width_s",
           results::half_width_schema(), [](Run row) { return row.half_widths.back().time_ps * 1e-12; });
  f.add("iterations",
        schema::described({{"type", "array"}, {"minItems", 1}, {"items", schema::reference("iteration")}},
                          "All, or without list_all_iterations of more than 100 the first ten and the last"),
        iterations_json);
  f.add_if(lists_some, "iteration_times",
           iteration_times_fields().schema("Of all iterations, where not all are listed"), [](Run row) {
             std::vector<TimePs> times = row.job.iteration_times_ps();
             std::sort(times.begin(), times.end());
             return iteration_times_fields().json(times);
           });
  f.add("training", schema::or_null(schema::reference("training"), "null for traces, which do not tell"),
        [](Run row) { return training_json(row.experiment); });
  f.add("memory_check", memory_check_schema(),
        [](Run row) { return memory_check_json(row.experiment, row.job.job()); });
  f.add("compute", compute_schema(),
        [](Run row) { return compute_json(row.experiment.platform, row.measured); });
  f.add("critical_path", results::critical_path_fields().schema(), [](Run row) {
    return results::critical_path_fields().json({row.job, row.job.critical_path()});
  });
  f.add("collectives_total", schema::count(), [](Run row) { return row.job.collectives_total(); });
  f.add(
      "collectives",
      schema::list(schema::reference("collective"),
                   "Of the iterations that are listed: all, or of more than 100,000 those that lie farthest "
                   "above their bound"),
      [](Run row) { return results::collectives_json(row.job); });
  f.add("links", schema::list(schema::reference("link")), [](Run row) {
    Json list = Json::array();
    for (std::size_t k = 0; k < row.links.size(); ++k)
      list.push_back(results::link_fields().json(row.link(k)));
    return list;
  });
  for (const auto& kind : fabric_kinds())
    if (const FabricResults* const of = kind->results())
      f.add_if([of](Run row) { return row.kind().results() == of; }, of->name, of->schema,
               [of](Run row) { return of->json(row.machine.wafer().fabric()); });
  f.add("memories", schema::list(memory_schema()), memories_json);
  f.add_if([](Run row) { return row.machine.remote() && row.machine.remote()->memory(); }, "remote_memory",
           remote_memory_schema(),
           [](Run row) { return remote_memory_json(*row.machine.remote(), row.job.end_ps()); });
  f.add("notes", schema::list(schema::text(), "What to bear in mind with these results"),
        [](Run row) { return results::notes(row.experiment, row.job, row.machine, row.measured, row.work); });
  f.add("energy_j", [](Fields<RunRow>& of) {
    const auto if_modelled = [](double (*value)(Run)) {
      return [value](Run row) { return row.models_energy() ? Json(value(row)) : Json(); };
    };
    of.add("links", schema::or_null(schema::number(), "null: not modelled"),
           if_modelled([](Run row) { return row.link_energy_j; }));
    of.add("per_bit_j", schema::or_null(schema::number(), "null: not given"),
           if_modelled([](Run row) { return row.energy_per_bit_j(); }));
    of.add("drawn", schema::or_null(schema::number(), "The power of `cost` for all of the simulated time"),
           [](Run row) {
             return row.platform_cost ? Json(row.platform_cost->power() * seconds(row.job.end_ps())) : Json();
           });
    of.add_if([](Run row) { return !row.models_energy(); }, "not_modelled", schema::text("Why not"),
              [](Run) { return "the platform gives no wafer.fabric.energy_per_bit"; });
  });
  f.add("cost", cost::cost_schema(), [](Run row) {
    return cost::cost_json(row.platform_cost, {iteration_time_s(row), row.work.samples, row.work.tokens});
  });
  f.add("traces", [](Fields<RunRow>& of) {
    of.add("ranks", schema::positive(), [](Run row) { return row.job.job().size(); });
    of.add("missing_dependencies", schema::count(), &RunRow::missing_dependencies);
    of.add("control_dependencies_left_out", schema::count(), &RunRow::left_out_dependencies);
    of.add("unknown_attributes",
           schema::described({{"type", "object"}, {"additionalProperties", schema::count()}},
                             "Of how many nodes by name; they change nothing"),
           [](Run row) { return Json(row.unknown_attributes); });
  });
  f.add("values_proven", schema::boolean("run.functional: every value of every collective was right"),
        [](Run row) { return row.job.proven(); });
  f.add_if([](Run row) { return !row.machine.wafer().rtl().empty(); }, "rtl",
           schema::list(rtl_view_schema(), "Switches with wafer.fabric.rtl, if there are any"),
           [](Run row) { return row.machine.wafer().rtl().json(); });
  f.add_if([](Run row) { return !row.machine.memory_rtl().empty(); }, "memory_rtl",
           schema::list(memory_view_schema(), "Memories with npu.hbm.rtl, if there are any"),
           [](Run row) { return row.machine.memory_rtl().json(); });
  f.add_if([](Run row) { return row.machine.faults() != nullptr; }, "faults", faults_schema(),
           [](Run row) { return faults_json(row.machine, row.job.end_ps()); });
  f.add_if([](Run row) { return reliability_params(row.machine.wafer().spec()).has_value(); }, "reliability",
           schema::described(
               {{"type", "object"}, {"required", {"goodput"}}, {"additionalProperties", schema::number()}},
               "Go-Back-N, if it was on"),
           [](Run row) {
             return to_json(row.measured.reliability, row.machine.wafer().spec().wafer.fabric.bit_error_rate);
           });
  f.add("endpoints", [](Fields<RunRow>& of) {
    of.add("early_bytes_high_water",
           schema::count("Most bytes of messages that an NPU or I/O controller held at one time because "
                         "their receive was not posted yet"),
           [](Run row) { return row.measured.early_bytes_most; });
  });
  f.add("simulation", [](Fields<RunRow>& of) {
    of.add("end_s", schema::seconds(), [](Run row) { return seconds(row.job.end_ps()); });
    of.add("packet_hops", schema::count(), [](Run row) { return row.measured.packet_hops; });
    of.add("seed", schema::count(), [](Run row) { return row.experiment.platform.run.seed; });
    of.add("version", schema::text(), [](Run) { return WAFERTLM_VERSION; });
  });
  f.add(
      "host",
      [](Fields<RunRow>& of) {
        of.add("wall_s", schema::seconds(), [](Run row) { return row.host.wall_s; });
        of.add("packet_hops_per_s", schema::number(),
               [](Run row) { return static_cast<double>(row.measured.packet_hops) / row.host.wall_s; });
        of.add("peak_rss_bytes", schema::count("Of one process, the most"),
               [](Run row) { return row.host.peak_rss_bytes; });
        static const Fields<HostCost> processes(describe_processes);
        of.add_if([](Run row) { return !row.host.processes.empty(); }, "processes",
                  processes.schema("Several simulated the wafers together (--processes)"),
                  [](Run row) { return processes.json(row.host); });
        of.add("packets_held_most",
               schema::count("Packets that the simulation kept at one time, most; not those of one moment of "
                             "simulated time if it is accelerated"),
               [](Run row) { return row.measured.packets_held_most; });
        of.add("nodes_held_most", schema::count("Nodes of a trace that were kept at one time, most"),
               [](Run row) { return row.job.held_high_water(); });
        of.add("scheduler_events", schema::count(), [](Run row) { return row.measured.scheduler_events; });
        of.add("accelerated",
               results::accelerated_fields().schema(
                   "What was not simulated because it repeats (run.acceleration); results are the same "
                   "without, but for `sampled`"),
               [](Run row) { return results::accelerated_fields().json(row.machine); });
      },
      "Of this run on this machine; the only part that may differ between two runs");
  return f;
}

}  // namespace

Json results_json(const config::ExperimentSpec& experiment, const JobRun& job, Machine& machine,
                  const Measurements& measured, const HostCost& host) {
  return make_run_fields().json(row_of(experiment, job, machine, measured, host));
}

Json results_schema() {
  Json fields = schema::described(make_run_fields().schema(),
                                  "Times end in _s (seconds) or _ps (whole picoseconds), sizes in _bytes. "
                                  "Everything but `host` is the same in every run of the same input.");
  Json whole = schema::document("results.json of `wafertlm run`", std::move(fields));
  whole["$defs"].update({{"picoseconds_by_category", schema::map_of(schema::count())},
                         {"breakdown", results::breakdown_schema()},
                         {"rank", results::rank_schema()},
                         {"iteration", results::iteration_fields().schema()},
                         {"collective", results::collective_fields().schema()},
                         {"link", results::link_fields().schema()},
                         {"training", training_schema()}});
  return whole;
}

}  // namespace wafertlm
