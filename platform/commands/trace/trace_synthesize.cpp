// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/trace_synthesize.h"

#include <fmt/core.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "platform/commands/trace/job_output.h"
#include "platform/commands/trace/synthesis_text.h"
#include "platform/commands/trace/trace_job.h"
#include "platform/host/files.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/text/format.h"
#include "tlm/input/file.h"
#include "workloads/chakra/peer_messages.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"
#include "workloads/trace_model/learn.h"
#include "workloads/trace_model/model_file.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using trace_model::Generated;
using trace_model::Model;
using trace_model::Ranks;

struct SynthesizeArguments {
  std::vector<std::string> jobs, suspects;
  std::string groups, dependencies = "all", learned, model;
  JobOutput out;
  double bound_percent = 5;
  std::uint64_t identical = 3;
  bool json = false;
  trace_model::GenerateOptions generate;

  bool is_scaled() const {
    return generate.layers || generate.ranks || generate.hidden != 1 || generate.batch != 1;
  }
};

/// What does not go together, or would have no effect.
void require_sense(const SynthesizeArguments& arguments, const CLI::App& command) {
  const auto given = [&](const char* option) { return command.get_option(option)->count() != 0; };
  if (arguments.jobs.empty() && arguments.model.empty())
    throw std::invalid_argument("nothing to learn of: give PREFIX of traces, or --model FILE");
  if (!arguments.model.empty())
    for (const char* option : {"--learn", "--bound"})
      if (given(option))
        throw std::invalid_argument(std::string(option) + " is about learning, and --model has been learned");
  if (!arguments.model.empty() && arguments.jobs.size() > 1)
    throw std::invalid_argument("with --model one PREFIX can be given, to compare with");
  if (arguments.out.prefix.empty()) {
    if (arguments.learned.empty())
      throw std::invalid_argument(
          "nothing to write: give --out PREFIX for traces, or --learn FILE for the model");
    for (const char* option :
         {"--layers", "--ranks", "--hidden", "--batch", "--form", "--force", "--suspects", "--identical"})
      if (given(option))
        throw std::invalid_argument(std::string(option) + " is about traces: give --out PREFIX");
  } else if (fs::path(arguments.out.prefix).filename().empty() ||
             chakra::is_trace_file(arguments.out.prefix)) {
    throw std::invalid_argument("--out is the common start of the files to write, PREFIX for PREFIX.<rank>." +
                                arguments.out.form + ", not " + arguments.out.prefix);
  }
  if (arguments.jobs.empty() && (given("--comm-groups") || given("--dependencies") || given("--suspects")))
    throw std::invalid_argument(
        "--comm-groups, --dependencies and --suspects are about PREFIX, which is missing");
  for (const std::string& job : arguments.jobs)
    if (!arguments.out.prefix.empty()) arguments.out.require_other_than(job);
}

/// With messages in place of all-to-alls of unequal parts. `groups`: a file, or "".
Ranks read_job(const std::string& prefix, const std::string& dependencies, const std::string& groups) {
  const std::vector<std::string> files = chakra::find_rank_files(prefix);
  const chakra::CommGroups members = groups_of(groups, static_cast<std::uint32_t>(files.size()), files);
  Ranks ranks;
  chakra::OneSet set;
  for (const std::string& file : files) {
    const auto trace = chakra::open_trace(file);
    set.add(*trace);
    const auto rank = static_cast<std::uint32_t>(ranks.size());
    ranks.push_back(statistics::read_graph(*chakra::with_peer_messages(*trace, members, rank),
                                           dependencies_of(dependencies)));
  }
  return ranks;
}

Model read_model(const std::string& path) {
  try {
    return trace_model::from_json(read_input(path), path);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string("--model ") + error.what());
  }
}

Model learn_model(const SynthesizeArguments& arguments, const trace_model::Jobs& jobs) {
  const auto ranks = static_cast<std::uint32_t>(jobs.front().size());
  return trace_model::learn(
      jobs, groups_of(arguments.groups, ranks, chakra::find_rank_files(arguments.jobs.front())),
      {arguments.bound_percent / 100, arguments.generate.seed});
}

/// Made traces, ready to be written.
struct MadeJob {
  Generated made;
  std::vector<std::unique_ptr<chakra::VectorSource>> sources;
  std::vector<chakra::NodeSource*> pointers;  ///< to these
  Ranks graphs;
  std::uint64_t nodes = 0;
};

MadeJob make_job(const SynthesizeArguments& arguments, const Model& model) {
  MadeJob job;
  job.made = trace_model::generate(model, arguments.generate);
  for (std::uint32_t rank = 0; rank < job.made.ranks.size(); ++rank) {
    job.sources.push_back(
        std::make_unique<chakra::VectorSource>(arguments.out.file(rank), job.made.ranks[rank]));
    job.pointers.push_back(job.sources.back().get());
    job.nodes += job.made.ranks[rank].size();
  }
  const auto ranks = static_cast<std::uint32_t>(job.pointers.size());
  chakra::validate_job(job.pointers, chakra::CommGroups::from_map(job.made.groups, ranks));
  for (const auto& source : job.sources) job.graphs.push_back(statistics::read_graph(*source));
  return job;
}

/// Which of the suspects an attacker would take the traces for.
std::string suspects_text(const SynthesizeArguments& arguments, const MadeJob& job) {
  if (arguments.suspects.empty()) return "";
  std::vector<std::vector<double>> known;
  for (const std::string& suspect : arguments.suspects)
    known.push_back(trace_model::family_features(
        statistics::statistics_of(read_job(suspect, arguments.dependencies, ""))));
  const auto features = trace_model::family_features(statistics::statistics_of(job.graphs));
  return fmt::format("  most like {}, of {}\n",
                     arguments.suspects[trace_model::nearest_family(features, known)],
                     counted(known.size(), "suspect"));
}

/// Compares with the source. @throws std::invalid_argument: too much is as it was.
std::string compared(const SynthesizeArguments& arguments, const Model& model, const Ranks& source,
                     const MadeJob& job) {
  if (source.size() != model.ranks)
    throw std::invalid_argument(fmt::format("{} has {}, and the model {}", arguments.jobs.front(),
                                            counted(source.size(), "rank"), model.ranks));
  const SynthesisCheck check = check_synthesis(source, model, job.made, job.graphs, arguments.is_scaled());
  if (model.bound > 0 && check.most_identical > arguments.identical)
    throw std::invalid_argument(fmt::format(
        "a connected part of up to {} is as in the source, and --identical allows {}: give a wider --bound, "
        "another --seed, or allow it",
        counted(check.most_identical, "node"), arguments.identical));
  return check_text(check, arguments.is_scaled()) + suspects_text(arguments, job);
}

/// Returns what was written.
std::string write_made(const JobOutput& out, const MadeJob& job, bool is_quiet) {
  const std::string groups = groups_text(job.made.groups);
  write_job(out, job.pointers, groups, is_quiet);
  return fmt::format("{}: {}, {}\n{}", out.prefix, counted(job.pointers.size(), "rank"),
                     counted(job.nodes, "node"), groups_line(out, groups));
}

int synthesize(const SynthesizeArguments& arguments) {
  trace_model::Jobs jobs;
  for (const std::string& job : arguments.jobs)
    jobs.push_back(read_job(job, arguments.dependencies, arguments.groups));
  const Model model = arguments.model.empty() ? learn_model(arguments, jobs) : read_model(arguments.model);
  std::string text = model_text(model);
  nlohmann::ordered_json written = nlohmann::ordered_json::array(), made;
  if (!arguments.out.prefix.empty()) {
    const MadeJob job = make_job(arguments, model);
    const std::string comparison = jobs.empty() ? "" : compared(arguments, model, jobs.front(), job);
    text += write_made(arguments.out, job, arguments.json) + comparison;
    written = written_json(arguments.out, job.pointers.size(), groups_text(job.made.groups));
    made = {{"ranks", job.pointers.size()}, {"nodes", job.nodes}};
  }
  if (!arguments.learned.empty()) {
    const std::string json = trace_model::to_json(model);
    write_file("--learn", arguments.learned, json);
    written.push_back(arguments.learned);
    text += fmt::format("{}: the model, {}\n", arguments.learned, format_bytes(json.size()));
  }
  if (arguments.json) {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    std::istringstream said(text);
    for (std::string line; std::getline(said, line);) lines.push_back(line);
    print_json({{"made", made}, {"report", lines}, {"written", written}});
    return 0;
  }
  fmt::print("{}", text);
  return 0;
}

void add_learning(CLI::App& command, SynthesizeArguments& arguments) {
  command.add_option("PREFIX", arguments.jobs,
                     "Traces of all ranks, PREFIX.<rank>.et; several: runs of the same job");
  add_json_flag(command, arguments.json);
  add_shared_option(command, "--comm-groups", arguments.groups);
  add_shared_option(command, "--dependencies", arguments.dependencies)
      ->check(CLI::IsMember({"all", "existing", "data"}))
      ->capture_default_str();
  add_shared_option(command, "--bound", arguments.bound_percent, "0 leaves them as they are")
      ->check(CLI::Range(0.0, 49.0))
      ->capture_default_str();
  command.add_option("--learn", arguments.learned, "Write the model, a readable JSON file")
      ->type_name("FILE")
      ->check(names_output(OutputKind::file));
  command.add_option("--model", arguments.model, "A model that was learned before")->type_name("FILE");
}

void add_making(CLI::App& command, SynthesizeArguments& arguments) {
  add_shared_option(command, "--out", arguments.out.prefix, "PREFIX of the traces, PREFIX.<rank>.et")
      ->check(names_output(OutputKind::prefix));
  add_form_and_force(command, arguments.out);
  add_shared_option(command, "--seed", arguments.generate.seed, "of all changes")->capture_default_str();
  command.add_option("--layers", arguments.generate.layers, "Layers of a rank")
      ->check(CLI::Range(1, 1'000'000));
  command
      .add_option("--ranks", arguments.generate.ranks,
                  "So many ranks: a multiple of the learned ones, or a divisor")
      ->check(CLI::Range(1, 1'000'000));
  command.add_option("--hidden", arguments.generate.hidden, "Times as wide")->check(CLI::Range(1e-3, 1e3));
  command.add_option("--batch", arguments.generate.batch, "Times as many samples")
      ->check(CLI::Range(1e-3, 1e3));
  command
      .add_option("--identical", arguments.identical,
                  "The most nodes of a connected part that may be as in the source")
      ->capture_default_str();
  command
      .add_option("--suspects", arguments.suspects,
                  "Other traces, of which an attacker chooses the one that is most like those made")
      ->type_name("PREFIX");
}

}  // namespace

std::function<int()> add_trace_synthesize(CLI::App& trace) {
  auto arguments = std::make_shared<SynthesizeArguments>();
  CLI::App* command = trace.add_subcommand(
      "synthesize", "A model of traces, and traces made of it, of any number of layers or ranks");
  add_learning(*command, *arguments);
  add_making(*command, *arguments);
  command->footer(
      "Traces made keep what a simulation sees: operations, what depends on what, the schedule of "
      "collectives,\n"
      "sums of sizes and times. Names are gone. What is as in the source is counted, and an attack of our "
      "own\n"
      "guesses layers; how the order of operations gives a model's family away shows --suspects.\n"
      "Examples:\n"
      "  wafertlm trace synthesize traces/job --learn job.model.json --out traces/public\n"
      "  wafertlm trace synthesize --model job.model.json --layers 96 --ranks 256 --out traces/large");
  return [=] {
    if (!command->parsed()) return -1;
    require_sense(*arguments, *command);
    return synthesize(*arguments);
  };
}

}  // namespace wafertlm
