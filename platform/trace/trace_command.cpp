// SPDX-License-Identifier: Apache-2.0
#include "platform/trace/trace_command.h"

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "platform/command/files.h"
#include "platform/trace/trace_info.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

/// A file whose job is not known may name any rank.
constexpr std::uint32_t kAnyRanks = 65'536;

struct Options {
  std::vector<std::string> files;
  std::string dependencies = "all", groups, out, form;
  std::uint32_t replicate = 0;
};

chakra::ValidateOptions validate_options(const Options& options) {
  if (options.dependencies == "existing") return {chakra::Dependencies::existing};
  if (options.dependencies == "data") return {chakra::Dependencies::data};
  return {chakra::Dependencies::all};
}

int info(const Options& options) {
  for (const TraceJob& job : find_trace_jobs(options.files)) fmt::print("{}", info_text(job, read_info(job)));
  return 0;
}

std::vector<chakra::TraceSummary> check_job(const TraceJob& job, const Options& options) {
  std::vector<std::unique_ptr<chakra::NodeSource>> sources;
  std::vector<chakra::NodeSource*> ranks;
  const std::size_t copies = options.replicate != 0 ? options.replicate : job.files.size();
  if (options.replicate != 0 && job.files.size() != 1)
    throw std::invalid_argument("--replicate goes with one trace file, and " + job.name + " has " +
                                std::to_string(job.files.size()));
  for (std::size_t rank = 0; rank < copies; ++rank) {
    sources.push_back(chakra::open_trace(job.files[options.replicate != 0 ? 0 : rank]));
    ranks.push_back(sources.back().get());
  }
  const bool whole = job.is_whole || options.replicate != 0;
  const auto size = whole ? static_cast<std::uint32_t>(copies) : kAnyRanks;
  const auto groups =
      options.groups.empty() ? chakra::CommGroups(size) : chakra::CommGroups::from_file(options.groups, size);
  if (whole) return chakra::validate_job(ranks, groups, validate_options(options));
  return {chakra::validate(*ranks.front(), job.rank, groups, validate_options(options))};
}

int check(const Options& options) {
  for (const TraceJob& job : find_trace_jobs(options.files)) {
    const auto summaries = check_job(job, options);
    std::uint64_t nodes = 0, missing = 0, left_out = 0;
    for (const chakra::TraceSummary& rank : summaries) {
      nodes += rank.nodes;
      missing += rank.missing_ctrl_deps + rank.missing_data_deps;
      left_out += rank.left_out_ctrl_deps;
    }
    fmt::print("{}: ok, {} rank{}, {} nodes\n", job.name, summaries.size(), summaries.size() == 1 ? "" : "s",
               nodes);
    if (left_out != 0) fmt::print("  {} control dependencies were left out\n", left_out);
    if (missing != 0) fmt::print("  {} dependencies are on nodes that are not there\n", missing);
    if (summaries.size() == 1 && !job.is_whole && options.replicate == 0)
      fmt::print("  one rank by itself: nothing was compared with other ranks\n");
  }
  return 0;
}

std::string without_suffix(const std::string& name) {
  for (const std::string suffix : {".et.gz", ".et", ".json"})
    if (name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
      return name.substr(0, name.size() - suffix.size());
  return name;
}

void convert_file(const std::string& from, const fs::path& to) {
  std::error_code error;
  if (fs::equivalent(from, to, error))
    throw std::invalid_argument(from + " would be written over itself; choose another --to or --out");
  const auto source = chakra::open_trace(from);
  const std::uint64_t nodes = chakra::write_trace_file(*source, to.string());
  fmt::print("{} -> {}: {} nodes\n", from, to.string(), nodes);
}

int convert(const Options& options) {
  if (options.form.empty()) {
    if (options.files.size() == 2 && options.out.empty() && chakra::is_trace_file(options.files[1])) {
      convert_file(options.files[0], options.files[1]);
      return 0;
    }
    throw std::invalid_argument("trace convert needs --to et, et.gz or json, or two file names: FROM TO");
  }
  if (!options.out.empty()) require_writable_folder(options.out);
  for (const TraceJob& job : find_trace_jobs(options.files))
    for (const std::string& file : job.files) {
      const fs::path path(file);
      const fs::path folder = options.out.empty() ? path.parent_path() : fs::path(options.out);
      convert_file(file, folder / (without_suffix(path.filename().string()) + "." + options.form));
    }
  return 0;
}

void add_files(CLI::App& command, Options& options) {
  command.add_option("FILES", options.files, "Trace files, or PREFIX for PREFIX.<rank>.et")
      ->required()
      ->type_name("FILES");
}

}  // namespace

std::function<int()> add_trace_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("trace", "Look at, check and convert Chakra execution traces");
  command->require_subcommand(1);

  CLI::App* info_command = command->add_subcommand("info", "What is in the traces");
  add_files(*info_command, *options);

  CLI::App* check_command =
      command->add_subcommand("check", "Whether they can be run; exit code 2 names what is wrong");
  add_files(*check_command, *options);
  check_command
      ->add_option(
          "--dependencies", options->dependencies,
          "Which count: all; existing (those on nodes that are not there are satisfied); data (control "
          "dependencies are left out)")
      ->check(CLI::IsMember({"all", "existing", "data"}));
  check_command->add_option("--comm-groups", options->groups, "JSON file with the members of the groups")
      ->type_name("FILE");
  check_command->add_option("--replicate", options->replicate, "So many ranks play the one file")
      ->check(CLI::Range(1U, 65'536U));

  CLI::App* convert_command = command->add_subcommand("convert", "Write them in another form");
  add_files(*convert_command, *options);
  convert_command->add_option("--to", options->form, "et, et.gz or json")
      ->check(CLI::IsMember({"et", "et.gz", "json"}));
  convert_command->add_option("--out", options->out, "Folder; beside the original if not given")
      ->type_name("DIR");

  command->footer(
      "Examples:\n"
      "  wafertlm trace info traces/job\n"
      "  wafertlm trace check traces/job.*.et\n"
      "  wafertlm trace convert traces/job --to json --out readable\n"
      "  wafertlm trace convert job.0.json job.0.et.gz");
  return [=] {
    if (info_command->parsed()) return info(*options);
    return check_command->parsed() ? check(*options) : convert(*options);
  };
}

}  // namespace wafertlm
