// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "platform/commands/explain/busy_time.h"
#include "platform/commands/explain/faster_links.h"
#include "platform/commands/explain/gains.h"
#include "platform/commands/explain/recording.h"
#include "platform/commands/explain/rerun.h"
#include "platform/commands/explain/trials.h"
#include "platform/commands/explain/what_if.h"
#include "platform/describe/document.h"
#include "platform/describe/fields.h"
#include "platform/host/files.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/machine/machine_links.h"
#include "platform/machine/rtl/rtl_report.h"
#include "platform/machine/wafer.h"
#include "platform/report/read_results.h"
#include "platform/report/report.h"
#include "platform/run/job.h"
#include "platform/spec/load.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"
#include "platform/text/quantity.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kShown = 5;
constexpr std::uint64_t kFactors[] = {2, 100};  // a better link, and next to instant ones

struct Options {
  std::string folder, limit = "120s", json, page;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::size_t trials = 100'000;
  bool rerun = false, quick = false;
};

/// What the fabric says of the last iteration; perhaps nothing.
std::string fabric_text(const Recording& recording) {
  const FabricResults* const of = recording.fabric_results();
  if (!of || !of->explain) return {};
  return of->explain(recording.machine.wafer().fabric(),
                     recording.exposed.of_last_rank(recording.run, recording.run.iterations().back()));
}

std::string name_of(const Gain& gain) {
  if (gain.what == "compute" || gain.what == "memory") return gain.what;
  return gain.what == "cpu" ? "the CPUs" : "class " + gain.what;
}

void print_gain(std::size_t number, const Gain& gain, TimePs iteration) {
  fmt::print("  {}. {}: at most {} ({:.2f} %)", number, name_of(gain), format_time(gain.gain_ps),
             100 * static_cast<double>(gain.gain_ps) / static_cast<double>(iteration));
  if (gain.on_path_ps != 0) fmt::print(", {} of the critical path", format_time(gain.on_path_ps));
}

/// Which links were busy most of the last iteration. What a single one costs cannot be told from this: where
/// many are busy together a faster one only waits for the others.
void print_busiest(const Recording& recording, const IterationResult& iteration) {
  const std::vector<MachineLink> links = machine_links(recording.machine);
  std::vector<std::pair<TimePs, std::string>> busy;
  for (std::size_t i = 0; i < links.size(); ++i)
    busy.emplace_back(busy_between(recording.usage.links(), i, iteration.start_ps, iteration.end_ps),
                      links[i].name);
  std::stable_sort(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  TextRows rows;
  const auto time = static_cast<double>(iteration.end_ps - iteration.start_ps);
  for (std::size_t i = 0; i < std::min(busy.size(), kShown); ++i)
    rows.push_back({busy[i].second, fmt::format("busy for {} ({:.2f} %)", format_time(busy[i].first),
                                                100 * static_cast<double>(busy[i].first) / time)});
  fmt::print("Busiest links of the last iteration:\n{}", aligned(rows, "l"));
}

/// The last iteration with faster links, simulated.
struct WithFasterLinks {
  std::uint64_t factor;
  std::vector<std::string> settings;
  TimePs iteration_ps;
};

std::vector<WithFasterLinks> simulate_faster_links(const config::Node& experiment) {
  std::vector<WithFasterLinks> made;
  for (const std::uint64_t factor : kFactors) {
    try {
      const FasterLinks faster = faster_links(experiment, factor);
      if (faster.settings.empty()) return {};
      made.push_back({factor, faster.settings, simulated_iteration_ps(faster.experiment)});
    } catch (const std::invalid_argument&) {
      break;  // this fabric has no such links
    }
  }
  return made;
}

void print_faster_links(const std::vector<WithFasterLinks>& all, TimePs iteration, bool had_rtl) {
  if (all.empty()) return;
  fmt::print(
      "What faster links save, simulated with all of the fabric's bandwidths so many times as high:\n");
  for (const WithFasterLinks& each : all) {
    const double saved = static_cast<double>(iteration) - static_cast<double>(each.iteration_ps);
    fmt::print("  {} times: {} ({:.2f} %), the iteration takes {} ps\n", each.factor, signed_time(saved),
               100 * saved / static_cast<double>(iteration), each.iteration_ps);
  }
  fmt::print("  ({} times:", all.front().factor);
  for (std::size_t k = 0; k < all.front().settings.size(); ++k) {
    if (k == kShown) {
      fmt::print(" and {} more", all.front().settings.size() - k);
      break;
    }
    fmt::print(" --set '{}'", all.front().settings[k]);
  }
  fmt::print(")\n");
  if (had_rtl) fmt::print("  (with the models in place of their RTL)\n");
}

/// Whatever else becomes faster, the computations remain. Proven where an iteration begins when the one
/// before is over.
void print_bound(const config::ExperimentSpec& experiment, const IterationResult& last) {
  const auto compute = last.most.find("compute");
  if (compute == last.most.end() || compute->second == 0) return;
  if (experiment.iterations > 1 && !experiment.barrier) return;
  const TimePs time = last.end_ps - last.start_ps;
  fmt::print(
      "With the computations as they are, links, memories and collectives cannot save more than {}: a rank "
      "computes for {}.\n",
      format_time(time - compute->second), format_time(compute->second));
}

/// What is simulated again, and which iteration of the results is its last one: of many iterations only the
/// first ones are.
struct Again {
  config::Node experiment;
  std::string which = "the last iteration";
  std::size_t listed = 0;
};

Again simulated_again(const std::string& file, const nlohmann::ordered_json& results) {
  Again made{config::load_document(file)};
  made.listed = results["iterations"].size() - 1;
  const std::uint32_t all = config::load_experiment(file).iterations, first = ListedIterations::kFirst;
  if (all <= ListedIterations::kMost) return made;
  made.experiment = config::merged(
      made.experiment, config::Node::map({{"iterations", config::Node::scalar(std::to_string(first))}}));
  made.which = fmt::format("iteration {} of {}", first, all);
  made.listed = first - 1;
  return made;
}

void require_same_time(const fs::path& folder, const nlohmann::ordered_json& results, const Again& again,
                       TimePs iteration) {
  if (iteration != results["iterations"][again.listed]["time_ps"].get<TimePs>())
    throw std::runtime_error(fmt::format(
        "{} was written by another version of the program, or its traces have changed: {} takes another time "
        "now. Run it again",
        folder.string(), again.which));
}

std::chrono::seconds limit_of(const Options& options) {
  try {
    return std::chrono::seconds((config::parse_time(options.limit) + kPsPerSecond - 1) / kPsPerSecond);
  } catch (const config::QuantityError& error) {
    throw std::invalid_argument("--limit " + options.limit + ": " + error.what());
  }
}

/// Single changes of the run in a folder, simulated.
WhatIfs what_ifs_of(const fs::path& folder, const nlohmann::ordered_json& results, const Again& again,
                    const Options& options) {
  Trials trials(again.experiment, options.jobs, limit_of(options), options.trials + 1);
  const TrialResult base = trials.run({{}}, "the run as it was").front();
  if (!base.problem.empty()) throw std::runtime_error(base.problem);
  if (!base.was_tried())
    throw std::invalid_argument("--limit " + options.limit + ": less than one run takes; give more");
  require_same_time(folder, results, again, *base.iteration_ps);
  return find_what_ifs(again.experiment, trials, *base.iteration_ps);
}

nlohmann::ordered_json explanation_json(const nlohmann::ordered_json& results, TimePs iteration,
                                        const std::vector<Gain>& gains,
                                        const std::vector<WithFasterLinks>& faster,
                                        const std::optional<WhatIfs>& what_ifs) {
  nlohmann::ordered_json if_instant = nlohmann::ordered_json::array(), links = if_instant;
  for (const Gain& each : gains)
    if_instant.push_back(
        {{"what", each.what}, {"gain_at_most_ps", each.gain_ps}, {"on_critical_path_ps", each.on_path_ps}});
  for (const WithFasterLinks& each : faster)
    links.push_back(
        {{"factor", each.factor}, {"iteration_ps", each.iteration_ps}, {"settings", each.settings}});
  return {{"experiment", results["experiment"]},
          {"iteration_ps", iteration},
          {"if_instant", if_instant},
          {"faster_links", links},
          {"what_if", what_ifs ? what_ifs_json(*what_ifs) : nlohmann::ordered_json()}};
}

nlohmann::ordered_json explanation_schema() {
  namespace schema = results::schema;
  return schema::object(
      {{"experiment", schema::text()},
       {"iteration_ps", schema::count()},
       {"if_instant", schema::list(schema::object({{"what", schema::text()},
                                                   {"gain_at_most_ps", schema::count()},
                                                   {"on_critical_path_ps", schema::count()}}))},
       {"faster_links", schema::list(schema::object({{"factor", schema::positive()},
                                                     {"iteration_ps", schema::count()},
                                                     {"settings", schema::list(schema::text())}}))},
       {"what_if", schema::or_null(what_ifs_schema(), "null with --quick")}});
}

int explain(const Options& options) {
  const auto results = read_results(options.folder);
  const fs::path given = options.folder;
  const fs::path folder = fs::is_directory(given) ? given : given.parent_path();
  const fs::path file = folder / "resolved.yaml";
  if (!fs::is_regular_file(file))
    throw std::invalid_argument(file.string() +
                                " is not there; give a folder that `wafertlm run` has written");
  if (options.quick && !options.page.empty())
    throw std::invalid_argument("--out is a page of the single changes, which --quick leaves out");
  const Again again = simulated_again(file.string(), results);
  config::ExperimentSpec experiment = config::load_experiment(again.experiment, {});
  const bool has_rtl = leave_out_rtl_beside(experiment);
  const Job job = load_job(experiment);
  // Real runs first: each is a process of its own, which must not have a simulation in it yet.
  std::optional<WhatIfs> what_ifs;
  if (!options.quick) what_ifs = what_ifs_of(folder, results, again, options);
  std::map<std::string, Rerun> reruns;
  if (options.rerun) {
    std::set<std::string> categories = {"compute"};
    for (const auto& summary : job.summaries)
      categories.insert(summary.classes.begin(), summary.classes.end());
    for (const std::string& category : categories) reruns[category] = rerun(experiment, category);
  }
  const std::vector<WithFasterLinks> faster = simulate_faster_links(again.experiment);
  Recording recording(experiment, job);
  const TimePs iteration = iteration_ps(recording.run);
  // What was sampled is simulated whole for the graph.
  if (experiment.platform.run.acceleration != config::Acceleration::sampled)
    require_same_time(folder, results, again, iteration);
  const auto all = gains(recording.recorded, recording.run.critical_path());
  const auto json = explanation_json(results, iteration, all, faster, what_ifs);
  if (!options.page.empty()) write_file("--out", options.page, report_html({{"explain", json}}));
  if (!options.json.empty() && write_json(options.json, json)) return 0;
  fmt::print(
      "{}: {} takes {}.\nWhat would shorten it most if it took no time, in the recorded "
      "order of service:\n",
      results["experiment"].get<std::string>(), again.which, format_time(iteration));
  std::size_t shown = 0;
  for (const Gain& each : all) {
    print_gain(++shown, each, iteration);
    fmt::print("\n");
    if (const auto real = reruns.find(each.what); real != reruns.end())
      print_rerun(recording.recorded, each, iteration, real->second);
  }
  if (all.empty()) fmt::print("  nothing\n");
  if (what_ifs) {
    print_bound(experiment, recording.run.iterations().back());
    fmt::print("{}", what_ifs_text(*what_ifs, "wafertlm run " + file.string()));
  }
  print_faster_links(faster, iteration, has_rtl);
  print_busiest(recording, recording.run.iterations().back());
  fmt::print("{}{}", fabric_text(recording), rtl_report(results));
  if (!options.page.empty()) fmt::print("Written:\n  {}\n", options.page);
  return 0;
}

}  // namespace

std::function<int()> add_explain_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "explain",
      "What would shorten a run's last iteration: single changes, simulated, and where its time is");
  command->add_option("DIR", options->folder, "Folder that `wafertlm run` has written, or its results.json")
      ->required()
      ->type_name("DIR");
  command->add_flag("--quick", options->quick,
                    "Without the single changes, each of which is a run of its own");
  add_shared_option(*command, "--limit", options->limit, "single changes")->capture_default_str();
  command->add_option("--trials", options->trials, "Single changes at most, the platform's first")
      ->check(CLI::Range(1, 100'000));
  add_jobs_option(*command, options->jobs, "runs");
  add_shared_option(*command, "--out", options->page, "a page with the charts; none if not given")
      ->check(names_output(OutputKind::file));
  add_json_option(*command, options->json, explanation_schema);
  command->add_flag(
      "--rerun", options->rerun,
      "Also run it with compute, and each traffic class, next to instant, and explain the difference");
  command->footer(
      "Examples:\n"
      "  wafertlm explain out/resnet50_dp20_mesh_5x4 --out explain.html\n"
      "  wafertlm explain out/resnet50_dp20_mesh_5x4 --quick --rerun");
  return [options] { return explain(*options); };
}

}  // namespace wafertlm
