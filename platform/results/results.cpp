// SPDX-License-Identifier: Apache-2.0
#include "platform/results/results.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/command/format.h"
#include "platform/results/compute_facts.h"
#include "platform/results/memory_facts.h"
#include "platform/results/remote_memory_facts.h"
#include "platform/results/training_facts.h"
#include "platform/system/machine_links.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

/// Above this many collectives only totals and the worst are listed.
constexpr std::size_t kMostCollectives = 100'000, kWorst = 1000;
/// Above this many ranks times iterations only the last iteration lists its ranks.
constexpr std::size_t kMostRankRows = 100'000;

/// The classes that every results file has, also when they are 0; others follow by name.
constexpr const char* kClasses[] = {"mp", "dp", "pp", "ep", "input", "weights", "memory"};

template <typename Value>
Json breakdown_json(const std::map<std::string, Value>& parts, double to_seconds) {
  const auto part = [&](const std::string& name) {
    const auto found = parts.find(name);
    return found == parts.end() ? 0.0 : static_cast<double>(found->second) * to_seconds;
  };
  Json json = {{"compute", part("compute")}};
  for (const char* name : kClasses) json[std::string("exposed_") + name] = part(name);
  for (const auto& [name, value] : parts)
    if (name != "compute" && name != "idle") json["exposed_" + name] = part(name);
  json["idle"] = part("idle");
  return json;
}

Json picoseconds_json(const std::map<std::string, TimePs>& parts) {
  Json picoseconds = Json::object();
  for (const auto& [name, value] : parts) picoseconds[name] = value;
  return picoseconds;
}

Json ranks_json(const IterationResult& result) {
  Json ranks = Json::array();
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    ranks.push_back({{"rank", rank},
                     {"time_s", seconds(result.end_ps - result.start_ps)},
                     {"done_s", seconds(result.rank_end_ps[rank])},
                     {"breakdown_s", breakdown_json(result.ranks[rank], 1e-12)},
                     {"breakdown_ps", picoseconds_json(result.ranks[rank])}});
  return ranks;
}

Json iteration_json(const IterationResult& result, bool with_ranks) {
  const TimePs time = result.end_ps - result.start_ps;
  return {{"time_s", seconds(time)},
          {"time_ps", time},
          {"start_s", seconds(result.start_ps)},
          {"end_s", seconds(result.end_ps)},
          {"rank", result.last_rank},
          {"breakdown_s", breakdown_json(result.last, 1e-12)},
          {"breakdown_ps", picoseconds_json(result.last)},
          {"breakdown_min_s", breakdown_json(result.least, 1e-12)},
          {"breakdown_mean_s", breakdown_json(result.mean, 1e-12)},
          {"breakdown_max_s", breakdown_json(result.most, 1e-12)},
          {"ranks", with_ranks ? ranks_json(result) : Json::array()}};
}

Json collective_json(const CollectiveRecord& record) {
  const TimePs time = record.end_ps - record.first_entry_ps;
  const double after_last_entry = seconds(record.end_ps - record.last_entry_ps);
  const double rate = after_last_entry > 0 ? static_cast<double>(record.bytes) / after_last_entry : 0;
  return {{"id", record.id},
          {"name", record.name},
          {"type", record.type_name()},
          {"algorithm", record.algorithm},
          {"class", record.traffic_class},
          {"group", record.group},
          {"sequence", record.sequence},
          {"group_size", record.group_size},
          {"bytes", record.bytes},
          {"start_s", seconds(record.first_entry_ps)},
          {"end_s", seconds(record.end_ps)},
          {"skew_s", seconds(record.last_entry_ps - record.first_entry_ps)},
          {"time_s", seconds(time)},
          {"time_ps", time},
          {"predicted_s", seconds(record.cost.predicted_ps)},
          {"bound_s", seconds(record.cost.bound_ps)},
          {"bus_bandwidth_bytes_per_s",
           rate * (record.io_stream ? 1 : bus_factor(record.type, record.group_size))}};
}

Json link_json(const MachineLink& link, const ClassTable& classes, TimePs end_ps, double energy_per_bit_j) {
  const OutputCounters& counted = link.counters;
  const double end_s = seconds(end_ps);
  Json contention = Json::object(), longest = Json::object();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::string& name = classes[static_cast<ClassId>(i)].name;
    if (counted.contention_wait_ps[i] != 0) contention[name] = seconds(counted.contention_wait_ps[i]);
    if (counted.longest_wait_ps[i] != 0) longest[name] = seconds(counted.longest_wait_ps[i]);
  }
  const double busy_s = static_cast<double>(counted.wire_bytes) / static_cast<double>(link.bytes_per_s);
  return {{"name", link.name},
          {"bytes", counted.payload_bytes},
          {"wire_bytes", counted.wire_bytes},
          {"packets", counted.packets},
          {"busy_fraction", busy_s / end_s},
          {"blocked_fraction", {{"credit", seconds(counted.credit_blocked_ps) / end_s}}},
          {"packet_wait_s",
           {{"queue", seconds(counted.queue_wait_ps)},
            {"credit", seconds(counted.credit_wait_ps)},
            {"contention", contention}}},
          {"longest_wait_s", longest},
          {"energy_j", static_cast<double>(counted.wire_bytes) * 8 * energy_per_bit_j}};
}

Json critical_path_json(const JobRun& job) {
  const CriticalPath path = job.critical_path();
  std::map<std::uint32_t, std::vector<std::uint64_t>> nodes;
  for (const PathStep& step : path.steps) nodes[step.rank].push_back(step.node);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> names;
  for (const auto& [rank, ids] : nodes) {
    const auto found = chakra::node_names(*job.job().ranks[rank], ids);
    for (std::size_t i = 0; i < ids.size(); ++i) names[{rank, ids[i]}] = found[i];
  }
  Json parts = Json::object(), steps = Json::array();
  for (const auto& [category, time] : path.breakdown) parts[category] = time;
  for (const PathStep& step : path.steps)
    steps.push_back({{"rank", step.rank},
                     {"node", step.node},
                     {"name", names[{step.rank, step.node}]},
                     {"category", step.category},
                     {"start_s", seconds(step.start_ps)},
                     {"end_s", seconds(step.end_ps)}});
  return {
      {"length", path.length}, {"beginning_not_kept", path.cut}, {"breakdown_ps", parts}, {"steps", steps}};
}

Json collectives_json(const JobRun& job) {
  std::vector<const CollectiveRecord*> records = job.collectives();
  if (records.size() > kMostCollectives) {
    const auto excess = [](const CollectiveRecord* record) {
      return record->end_ps - record->first_entry_ps - std::min(record->cost.bound_ps, record->end_ps);
    };
    std::partial_sort(records.begin(), records.begin() + kWorst, records.end(),
                      [&](auto* a, auto* b) { return excess(a) > excess(b); });
    records.resize(kWorst);
  }
  Json list = Json::array();
  for (const CollectiveRecord* record : records) list.push_back(collective_json(*record));
  return list;
}

}  // namespace

Json results_json(const config::ExperimentSpec& experiment, const JobRun& job, Machine& machine,
                  const HostCost& host) {
  const Fabric& fabric = machine.wafer().fabric();
  const double per_bit_j = experiment.platform.wafer.fabric.energy_per_bit_j;
  Json results = {{"experiment", experiment.name},
                  {"platform", experiment.platform.name},
                  {"workload", experiment.workload.name},
                  {"iteration_time_s", 0},
                  {"iterations", Json::array()}};
  const auto iterations = job.iterations();
  for (const IterationResult& iteration : iterations)
    results["iterations"].push_back(iteration_json(
        iteration,
        iterations.size() * job.job().size() <= kMostRankRows || &iteration == &iterations.back()));
  results["iteration_time_s"] = results["iterations"].back()["time_s"];
  results["training"] = training_facts(experiment);
  results["compute"] = compute_facts(experiment.platform, machine);
  results["critical_path"] = critical_path_json(job);
  results["collectives_total"] = job.collectives().size();
  results["collectives"] = collectives_json(job);
  double energy_j = 0;
  results["links"] = Json::array();
  for (const MachineLink& link : machine_links(machine)) {
    results["links"].push_back(
        link_json(link, machine.wafer().classes, job.end_ps(), link.is_wire ? per_bit_j : 0));
    energy_j += results["links"].back()["energy_j"].get<double>();
  }
  results["memories"] = Json::array();
  for (std::uint32_t npu = 0; npu < machine.wafer().npus(); ++npu)
    results["memories"].push_back(memory_facts(machine.memory(static_cast<NpuId>(npu)), job.end_ps()));
  if (const RemotePool* const remote = machine.remote(); remote && remote->memory())
    results["remote_memory"] = remote_memory_facts(*remote, job.end_ps());
  results["energy_j"] = {{"links", energy_j}, {"per_bit_j", per_bit_j}};
  std::uint64_t missing = 0, left_out = 0;
  for (const chakra::TraceSummary& rank : job.job().summaries) {
    missing += rank.missing_ctrl_deps + rank.missing_data_deps;
    left_out += rank.left_out_ctrl_deps;
  }
  results["traces"] = {{"ranks", job.job().size()},
                       {"missing_dependencies", missing},
                       {"control_dependencies_left_out", left_out},
                       {"nodes_held_most", job.held_high_water()}};
  results["values_proven"] = job.proven();
  if (!machine.wafer().rtl().empty()) results["rtl"] = machine.wafer().rtl().json();
  if (const auto reliability = machine.reliability())
    results["reliability"] = to_json(*reliability, machine.wafer().spec().wafer.fabric.bit_error_rate);
  results["endpoints"] = {{"early_bytes_high_water", machine.early_bytes_high_water()}};
  results["simulation"] = {{"end_s", seconds(job.end_ps())},
                           {"packet_hops", fabric.packet_hops()},
                           {"scheduler_events", machine.wafer().scheduler.events()},
                           {"packets_in_flight_most", machine.wafer().packets.high_water()},
                           {"seed", experiment.platform.run.seed},
                           {"version", WAFERTLM_VERSION}};
  results["host"] = {{"wall_s", host.wall_s},
                     {"packet_hops_per_s", static_cast<double>(fabric.packet_hops()) / host.wall_s},
                     {"peak_rss_bytes", host.peak_rss_bytes}};
  return results;
}

std::string results_csv(const Json& results) {
  std::string text = "kind,name,time_s,bytes,predicted_s,bound_s,busy_fraction,credit_blocked_fraction\n";
  const auto quoted = [](std::string name) {
    for (std::size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2) name.insert(at, 1, '"');
    return '"' + name + '"';
  };
  std::size_t number = 0;
  for (const Json& row : results["iterations"])
    text += fmt::format("iteration,{},{},,,,,\n", number++, row["time_s"].get<double>());
  // Where the time of every rank went: "iteration 0 rank 3 exposed_dp"; the parts sum to the iteration's
  // time.
  number = 0;
  for (const Json& row : results["iterations"]) {
    for (const Json& rank : row["ranks"])
      for (const auto& [part, time] : rank["breakdown_s"].items())
        if (time.get<double>() != 0)
          text += fmt::format("breakdown,iteration {} rank {} {},{},,,,,\n", number,
                              rank["rank"].get<std::uint32_t>(), part, time.get<double>());
    ++number;
  }
  for (const Json& row : results["collectives"])
    text += fmt::format("collective,{},{},{},{},{},,\n", quoted(row["name"].get<std::string>()),
                        row["time_s"].get<double>(), row["bytes"].get<std::uint64_t>(),
                        row["predicted_s"].get<double>(), row["bound_s"].get<double>());
  for (const Json& row : results["links"])
    text += fmt::format("link,{},,{},,,{},{}\n", quoted(row["name"].get<std::string>()),
                        row["bytes"].get<std::uint64_t>(), row["busy_fraction"].get<double>(),
                        row["blocked_fraction"]["credit"].get<double>());
  return text;
}

}  // namespace wafertlm
