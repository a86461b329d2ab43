// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/commands/trace/job_output.h"
#include "platform/commands/trace/numbered_groups.h"
#include "platform/describe/fields.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/run/job.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/load.h"
#include "platform/spec/workload_spec.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"
#include "workloads/training/memory.h"
#include "workloads/training/volumes.h"

namespace wafertlm {
namespace {

/// Of a workload made from a model.
struct TrainingTotals {
  std::shared_ptr<const training::Plan> plan;
  bool is_a_part = false;  ///< Strategy::simulated_chunks or simulated_rounds; samples and volumes are of it
  std::vector<training::MemoryNeed> memory;  ///< by rank

  std::uint64_t parameters() const { return model::parameters(plan->model()); }
  std::uint64_t forward_operations() const { return model::forward_operations(plan->model()); }
  /// With gradients, per sample; of stages as if all blocks were alike.
  std::uint64_t step_operations() const {
    const training::Strategy& s = plan->strategy();
    const std::uint64_t once = model::step_operations(plan->model(), model::Recompute::none);
    const std::uint64_t again = model::step_operations(plan->model(), s.recompute) - once;
    return once + (s.recompute_stages ? again / s.degrees.pp * *s.recompute_stages : again);
  }
};

/// Totals of a workload, without a platform.
struct WorkloadTotals {
  std::string name;
  std::vector<training::Volumes> ranks;
  std::optional<TrainingTotals> training;  ///< of workloads made from a model
};

using training::ClassVolume;
using training::MemoryNeed;
using training::Volumes;

struct Spread {
  std::uint64_t least = ~std::uint64_t{0}, most = 0, sum = 0, count = 0;
  void add(std::uint64_t value) {
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
    ++count;
  }
  std::uint64_t mean() const { return sum / count; }
};

std::set<std::string> classes_of(const WorkloadTotals& totals) {
  std::set<std::string> names;
  for (const Volumes& rank : totals.ranks)
    for (const auto& [name, volume] : rank.classes) names.insert(name);
  return names;
}

template <typename Value>
Spread spread(const WorkloadTotals& totals, const std::string& traffic_class, const Value& value) {
  Spread result;
  for (const Volumes& rank : totals.ranks) {
    const auto found = rank.classes.find(traffic_class);
    result.add(found == rank.classes.end() ? 0 : value(found->second));
  }
  return result;
}

using Parts = std::vector<std::pair<const char*, std::uint64_t>>;
Parts parts_of(const MemoryNeed& need) {
  return {{"parameters", need.parameters},   {"gradients", need.gradients}, {"optimizer", need.optimizer},
          {"activations", need.activations}, {"gathered", need.gathered},   {"streaming", need.streaming}};
}

std::size_t largest(const std::vector<MemoryNeed>& needs) {
  const auto most = std::max_element(needs.begin(), needs.end(),
                                     [](const auto& a, const auto& b) { return a.total() < b.total(); });
  return static_cast<std::size_t>(most - needs.begin());
}

void print_training(fmt::memory_buffer& out, const TrainingTotals& of) {
  const auto line = [&](auto... parts) { fmt::format_to(std::back_inserter(out), parts...); };
  const model::Model& model = of.plan->model();
  const training::Strategy& strategy = of.plan->strategy();
  line("  model       {}: {} parameters, {} operations forward and {} in all per sample ({})\n", model.name,
       format_count(of.parameters()), format_count(of.forward_operations()),
       format_count(of.step_operations()), model.sample);
  line("  iteration   {} samples on {}: {} microbatches of {:.6g}\n", strategy.minibatch,
       to_string(strategy.degrees), strategy.microbatches, strategy.samples_per_microbatch());
  if (of.is_a_part)
    line("  a part      simulated_chunks or simulated_rounds: nodes, samples and volumes are of this part\n");
}

void print_classes(fmt::memory_buffer& out, const WorkloadTotals& totals) {
  const auto line = [&](auto... parts) { fmt::format_to(std::back_inserter(out), parts...); };
  line("\nCommunication of an NPU in an iteration (bytes that leave it with ring algorithms)\n");
  TextRows volumes{{"class", "least", "mean", "most", "most operations"}}, all_sizes;
  for (const std::string& name : classes_of(totals)) {
    const Spread bytes = spread(totals, name, [](const ClassVolume& of) { return of.sent_bytes; });
    const Spread count = spread(totals, name, [](const ClassVolume& of) { return of.operations; });
    volumes.push_back({name, format_bytes(bytes.least), format_bytes(bytes.mean()), format_bytes(bytes.most),
                       std::to_string(count.most)});
  }
  line("{}", aligned(volumes, "lr"));
  line("\nSizes of collectives and messages, all ranks\n");
  for (const std::string& name : classes_of(totals)) {
    std::map<unsigned, std::uint64_t> sizes;
    for (const Volumes& rank : totals.ranks)
      if (const auto found = rank.classes.find(name); found != rank.classes.end())
        for (const auto& [size, count] : found->second.by_size) sizes[size] += count;
    for (const auto& [size, count] : sizes)
      all_sizes.push_back({name, format_bytes(std::uint64_t{1} << size), "to",
                           size < 62 ? format_bytes(std::uint64_t{2} << size) : "", std::to_string(count)});
  }
  line("{}", aligned(all_sizes, "lrllr"));
}

void print_streams(fmt::memory_buffer& out, const WorkloadTotals& totals) {
  TextRows rows{{"class", "in, all", "out, all", "in, most at one", "out, most at one"}};
  for (const std::string& name : classes_of(totals)) {
    const Spread in = spread(totals, name, [](const ClassVolume& of) { return of.streamed_in_bytes; });
    const Spread away = spread(totals, name, [](const ClassVolume& of) { return of.streamed_out_bytes; });
    if (in.most == 0 && away.most == 0) continue;
    rows.push_back(
        {name, format_bytes(spread(totals, name, [](const ClassVolume& of) { return of.io_in_bytes; }).sum),
         format_bytes(spread(totals, name, [](const ClassVolume& of) { return of.io_out_bytes; }).sum),
         format_bytes(in.most), format_bytes(away.most)});
  }
  if (rows.size() > 1)
    fmt::format_to(std::back_inserter(out), "\nStreams of an iteration through the I/O controllers\n{}",
                   aligned(rows, "lr"));
}

void print_remote(fmt::memory_buffer& out, const WorkloadTotals& totals) {
  Spread loaded, stored, room;
  for (const Volumes& rank : totals.ranks) loaded.add(rank.loads.bytes), stored.add(rank.stores.bytes);
  if (loaded.most == 0 && stored.most == 0) return;
  if (totals.training)
    for (const MemoryNeed& need : totals.training->memory) room.add(need.offloaded);
  TextRows rows{{"", "least", "mean", "most", "all NPUs"}};
  const auto add = [&](const char* name, const Spread& of) {
    rows.push_back(
        {name, format_bytes(of.least), format_bytes(of.mean()), format_bytes(of.most), format_bytes(of.sum)});
  };
  add("loaded", loaded);
  add("stored", stored);
  if (room.count != 0) add("kept there", room);
  fmt::format_to(std::back_inserter(out), "\nRemote memory, an NPU in an iteration\n{}", aligned(rows, "lr"));
}

void print_memory(fmt::memory_buffer& out, const std::vector<MemoryNeed>& needs) {
  const std::size_t rank = largest(needs);
  TextRows rows;
  for (const auto& [name, bytes] : parts_of(needs[rank]))
    if (bytes != 0) rows.push_back({name, format_bytes(bytes)});
  rows.push_back({"total", format_bytes(needs[rank].total())});
  fmt::format_to(std::back_inserter(out), "\nMemory of the NPU that needs most, rank {}\n{}", rank,
                 aligned(rows, "lr"));
}

/// Reads or generates all nodes. @throws chakra::TraceError.
WorkloadTotals workload_totals(const config::WorkloadSpec& workload) {
  WorkloadTotals totals;
  totals.name = workload.name;
  const auto sources = workload_sources(workload);
  const auto ranks = static_cast<std::uint32_t>(sources.size());
  const chakra::CommGroups groups = workload_groups(workload, sources);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    totals.ranks.push_back(training::volumes_of(*sources[rank], rank, groups));
  if (workload.kind != config::WorkloadKind::training) return totals;
  TrainingTotals& of = totals.training.emplace();
  of.plan = training_plan(workload.training);
  of.is_a_part = workload.training.strategy.is_a_part();
  const training::Plan whole(of.plan->model(), workload.training.whole_strategy());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) of.memory.push_back(memory_need(whole, rank));
  return totals;
}

std::string totals_text(const WorkloadTotals& totals) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "{}\n", totals.name);
  if (totals.training) print_training(out, *totals.training);
  Spread compute, operations, nodes;
  for (const Volumes& rank : totals.ranks) {
    compute.add(rank.compute_ps);
    operations.add(rank.operations);
    nodes.add(rank.nodes);
  }
  fmt::format_to(std::back_inserter(out),
                 "  ranks       {}; each {} to {} nodes, {} to {} operations, computes for {} to {}\n",
                 totals.ranks.size(), nodes.least, nodes.most, format_count(operations.least),
                 format_count(operations.most), format_time(compute.least), format_time(compute.most));
  if (!classes_of(totals).empty()) print_classes(out, totals);
  print_streams(out, totals);
  print_remote(out, totals);
  if (totals.training) print_memory(out, totals.training->memory);
  return fmt::to_string(out);
}

nlohmann::ordered_json totals_json(const WorkloadTotals& totals) {
  nlohmann::ordered_json json;
  json["workload"] = totals.name;
  if (totals.training) {
    const TrainingTotals& of = *totals.training;
    const training::Strategy& strategy = of.plan->strategy();
    json["model"] = {{"name", of.plan->model().name},
                     {"parameters", of.parameters()},
                     {"forward_operations_per_sample", of.forward_operations()},
                     {"step_operations_per_sample", of.step_operations()}};
    json["parallelism"] = to_string(strategy.degrees);
    json["minibatch"] = strategy.minibatch;
    json["microbatches"] = strategy.microbatches;
    json["samples_per_microbatch"] = strategy.samples_per_microbatch();
  }
  for (std::size_t rank = 0; rank < totals.ranks.size(); ++rank) {
    const Volumes& of = totals.ranks[rank];
    nlohmann::ordered_json row{{"rank", rank},
                               {"nodes", of.nodes},
                               {"operations", of.operations},
                               {"compute_s", seconds(of.compute_ps)}};
    if (of.loads.operations != 0 || of.stores.operations != 0)
      row["remote_memory"] = {{"loads", of.loads.operations},
                              {"loaded_bytes", of.loads.bytes},
                              {"stores", of.stores.operations},
                              {"stored_bytes", of.stores.bytes}};
    for (const auto& [name, volume] : of.classes) {
      nlohmann::ordered_json& entry = row["classes"][name];
      entry = {{"operations", volume.operations}, {"sent_bytes", volume.sent_bytes}};
      if (volume.streamed_in_bytes != 0 || volume.streamed_out_bytes != 0) {
        entry["streamed_in_bytes"] = volume.streamed_in_bytes;
        entry["streamed_out_bytes"] = volume.streamed_out_bytes;
        entry["io_in_bytes"] = volume.io_in_bytes;
        entry["io_out_bytes"] = volume.io_out_bytes;
      }
      for (const auto& [size, count] : volume.by_size)
        entry["sizes"].push_back({{"at_least_bytes", std::uint64_t{1} << size}, {"count", count}});
    }
    if (totals.training) {
      for (const auto& [name, bytes] : parts_of(totals.training->memory[rank]))
        row["memory_bytes"][name] = bytes;
      row["memory_bytes"]["total"] = totals.training->memory[rank].total();
      row["memory_bytes"]["offloaded"] = totals.training->memory[rank].offloaded;
    }
    json["ranks"].push_back(row);
  }
  return json;
}

nlohmann::ordered_json totals_schema() {
  namespace schema = results::schema;
  const auto counts = [](std::initializer_list<const char*> names) {
    nlohmann::ordered_json fields;
    for (const char* name : names) fields[name] = schema::count();
    return fields;
  };
  auto volume = counts(
      {"operations", "sent_bytes", "streamed_in_bytes", "streamed_out_bytes", "io_in_bytes", "io_out_bytes"});
  volume["sizes"] = schema::list(schema::object(counts({"at_least_bytes", "count"})));
  auto row = counts({"rank", "nodes", "operations"});
  row["compute_s"] = schema::seconds();
  row["remote_memory"] = schema::object(counts({"loads", "loaded_bytes", "stores", "stored_bytes"}));
  row["classes"] = schema::map_of(schema::object(
      volume, nullptr, {"streamed_in_bytes", "streamed_out_bytes", "io_in_bytes", "io_out_bytes", "sizes"}));
  row["memory_bytes"] = schema::map_of(schema::count());
  auto model = counts({"parameters", "forward_operations_per_sample", "step_operations_per_sample"});
  model["name"] = schema::text();
  auto fields = counts({"minibatch", "microbatches"});
  fields["samples_per_microbatch"] = schema::number();
  fields["workload"] = schema::text();
  fields["model"] = schema::object(model);
  fields["parallelism"] = schema::text();
  fields["ranks"] = schema::list(schema::object(row, nullptr, {"remote_memory", "classes", "memory_bytes"}));
  return schema::object(fields, nullptr,
                        {"model", "parallelism", "minibatch", "microbatches", "samples_per_microbatch"});
}

struct WorkloadOptions {
  std::string workload, out;
  JobOutput job;
  std::vector<std::string> overrides;
  bool json = false;
};

int generate(const WorkloadOptions& options) {
  namespace fs = std::filesystem;
  const config::WorkloadSpec spec = config::load_workload(options.workload, options.overrides);
  const auto sources = workload_sources(spec);
  const auto ranks = static_cast<std::uint32_t>(sources.size());
  std::vector<chakra::NodeSource*> pointers;
  for (const auto& source : sources) pointers.push_back(source.get());
  // Nothing is written that could not be run.
  chakra::ValidateOptions validate;
  validate.dependencies = spec.traces.dependencies;
  chakra::validate_job(pointers, workload_groups(spec, sources), validate);
  JobOutput job = options.job;
  job.prefix = (fs::path(options.out) / fs::path(options.workload).stem()).string();
  std::vector<std::uint32_t> numbers(ranks);
  std::iota(numbers.begin(), numbers.end(), 0U);
  JobWriter files(job, numbers);
  std::uint64_t nodes = 0;
  const NumberedGroups groups(spec.kind == config::WorkloadKind::training
                                  ? training_plan(spec.training)->groups()
                                  : NumberedGroups::Groups());
  for (const std::uint32_t rank : numbers) nodes += files.add(*groups.named(*sources[rank]), job.file(rank));
  std::string written;
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const std::uint32_t rank : numbers) names.push_back(job.file(rank));
  if (spec.kind == config::WorkloadKind::training) {
    const std::string name = fs::path(options.workload).stem().string(), groups_end = ".comm_groups.json";
    names.push_back(files.write(groups_end, groups.json()));
    written += names.back().get<std::string>() + ": the communicator groups\n";
    // Traces do not say where ranks are; this file does, so that they run as the workload would.
    const std::string workload = files.write(
        ".traces.yaml",
        fmt::format("workload: {}\nchakra: {}\ncomm_groups: {}\nplacement: \"{}\"\nplaced_as: {}\n",
                    nlohmann::json(spec.name).dump(), name, name + groups_end, spec.policy(),
                    to_string(spec.placed_as(ranks))));
    names.push_back(workload);
    written += fmt::format("{}: the workload to run, with placement {}\n", workload, spec.policy());
  }
  const std::string removed = files.commit();
  if (options.json) {
    print_json({{"ranks", ranks}, {"nodes", nodes}, {"written", names}});
    return 0;
  }
  fmt::print("{}{}", removed, written);
  fmt::print("{}.<rank>.{}: {}, {}\n", job.prefix, job.form, counted(ranks, "rank"), counted(nodes, "node"));
  return 0;
}

int show(const WorkloadOptions& options) {
  const WorkloadTotals totals = workload_totals(config::load_workload(options.workload, options.overrides));
  fmt::print("{}", options.json ? totals_json(totals).dump(2) + "\n" : totals_text(totals));
  return 0;
}

}  // namespace

std::function<int()> add_workload_command(CLI::App& app) {
  auto options = std::make_shared<WorkloadOptions>();
  CLI::App* command = app.add_subcommand("workload", "Look at a workload, or make Chakra traces of it");
  command->require_subcommand(1);
  CLI::App* generate_command =
      command->add_subcommand("generate", "Write what a workload file describes as a trace per rank");
  add_file(*generate_command, "WORKLOAD", options->workload, "Workload file", "workloads");
  add_shared_option(*generate_command, "--out", options->out, "a folder for the traces")
      ->required()
      ->check(names_output(OutputKind::folder));
  add_set_option(
      *generate_command, options->overrides, [] { return config::workload_type()->all_paths(); },
      "data_parallel=4");
  add_form_and_force(*generate_command, options->job);
  add_json_flag(*generate_command, options->json);
  generate_command->footer(
      "The files are DIR/<name of the workload file>.<rank>.<form>.\n"
      "Examples:\n"
      "  wafertlm workload generate configs/workloads/resnet50_dp20.yaml --out traces\n"
      "  wafertlm workload generate configs/workloads/resnet50_dp20.yaml --out traces --set data_parallel=8 "
      "--form json --force");
  CLI::App* show_command = command->add_subcommand(
      "show", "Totals of a workload: parameters, operations, bytes by traffic class, message sizes, memory");
  add_file(*show_command, "WORKLOAD", options->workload, "Workload file", "workloads");
  add_set_option(
      *show_command, options->overrides, [] { return config::workload_type()->all_paths(); },
      "microbatches=4");
  add_json_flag(*show_command, options->json, totals_schema, "with every rank");
  command->footer(
      "Examples:\n"
      "  wafertlm workload generate configs/workloads/resnet50_dp20.yaml --out traces\n"
      "  wafertlm workload show configs/workloads/transformer_17b.yaml");
  return [options, show_command] { return show_command->parsed() ? show(*options) : generate(*options); };
}

}  // namespace wafertlm
