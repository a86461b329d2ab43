// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/trace_import.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/commands/trace/import_report.h"
#include "platform/commands/trace/job_output.h"
#include "platform/host/files.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/text/format.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"
#include "workloads/pytorch/job_import.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

struct ImportArguments {
  std::vector<std::string> kineto, host;
  JobOutput out;
  std::string groups, timeline;
  bool json = false;
  double limit_percent = 5;
  double thread_gap_us = 100;
};

/// Numbers in names count as such: "rank10" comes after "rank9".
bool comes_before(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  const auto digits = [](const std::string& text, std::size_t at) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    return text.substr(at, end - at);
  };
  while (i < a.size() && j < b.size()) {
    const std::string x = digits(a, i), y = digits(b, j);
    if (!x.empty() && !y.empty()) {
      const auto key = [](const std::string& number) {
        const std::string bare = number.substr(std::min(number.find_first_not_of('0'), number.size()));
        return std::pair(bare.size(), bare);
      };
      if (key(x) != key(y)) return key(x) < key(y);
      i += x.size();
      j += y.size();
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

std::vector<pytorch::RankFiles> rank_files(const ImportArguments& arguments) {
  std::vector<std::string> kineto = arguments.kineto, host = arguments.host;
  if (!host.empty() && host.size() != kineto.size())
    throw std::invalid_argument(fmt::format("--et has {}, --kineto {}: one of each rank goes with one",
                                            counted(host.size(), "file"), counted(kineto.size(), "file")));
  std::stable_sort(kineto.begin(), kineto.end(), comes_before);
  std::stable_sort(host.begin(), host.end(), comes_before);
  std::vector<pytorch::RankFiles> files;
  for (std::size_t i = 0; i < kineto.size(); ++i) files.push_back({kineto[i], host.empty() ? "" : host[i]});
  return files;
}

pytorch::ImportOptions import_options(const ImportArguments& arguments) {
  pytorch::ImportOptions options;
  options.most_unlinked = arguments.limit_percent / 100;
  options.thread_gap_ns = static_cast<std::int64_t>(arguments.thread_gap_us * 1000);
  if (!arguments.groups.empty())
    options.groups = chakra::CommGroups::from_file(arguments.groups, 65'536).to_map();
  return options;
}

/// What a run would refuse is refused now.
void validate(const pytorch::ImportedJob& job) {
  const chakra::CommGroups groups = chakra::CommGroups::from_map(job.groups, job.world_size);
  std::vector<std::unique_ptr<pytorch::GraphSource>> sources;
  std::vector<chakra::NodeSource*> pointers;
  for (const pytorch::ImportedRank& rank : job.ranks) {
    sources.push_back(std::make_unique<pytorch::GraphSource>(rank));
    pointers.push_back(sources.back().get());
  }
  if (job.is_whole())
    chakra::validate_job(pointers, groups);
  else
    for (std::size_t i = 0; i < pointers.size(); ++i)
      chakra::validate(*pointers[i], job.ranks[i].rank, groups);
}

int import(const ImportArguments& arguments) {
  const JobOutput& out = arguments.out;
  const fs::path prefix(out.prefix);
  if (prefix.filename().empty() || chakra::is_trace_file(out.prefix))
    throw std::invalid_argument("--out is the common start of the files to write, PREFIX for PREFIX.<rank>." +
                                out.form + ", not " + out.prefix);
  const pytorch::ImportedJob job = pytorch::import_job(rank_files(arguments), import_options(arguments));
  validate(job);

  std::vector<std::uint32_t> ranks;
  for (const pytorch::ImportedRank& rank : job.ranks) ranks.push_back(rank.rank);
  JobWriter files(out, ranks);
  std::string written;
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    pytorch::GraphSource source(job.ranks[i]);
    const std::uint64_t nodes = files.add(source, out.file(ranks[i]));
    names.push_back(out.file(ranks[i]));
    written += fmt::format("  {}: {}\n", out.file(ranks[i]), counted(nodes, "node"));
  }
  const auto write = [&](const char* end, const std::string& text, const char* what) {
    names.push_back(files.write(end, text));
    written += "  " + names.back().get<std::string>() + what;
  };
  write(".import.json", import_json(job), ": what was linked, and what was not\n");
  if (!job.groups.empty())
    write(".groups.json", nlohmann::json(job.groups).dump(1) + "\n", ": the process groups\n");
  const std::string removed = files.commit();
  if (!arguments.timeline.empty()) {
    write_file("--timeline", arguments.timeline, import_timeline(job));
    names.push_back(arguments.timeline);
    written +=
        fmt::format("  {}: measured and imported, side by side, for ui.perfetto.dev\n", arguments.timeline);
  }
  if (arguments.json) {
    print_json({{"import", nlohmann::ordered_json::parse(import_json(job))}, {"written", names}});
    return 0;
  }
  fmt::print("{}", removed);
  fmt::print("{}Written:\n{}", import_text(job), written);
  return 0;
}

}  // namespace

std::function<int()> add_trace_import(CLI::App& trace) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = trace.add_subcommand(
      "import", "PyTorch's traces (Kineto, and ExecutionTraceObserver) as Chakra traces");
  command->add_option("--kineto", arguments->kineto, "Kineto traces, one of each rank (.json, .json.gz)")
      ->required()
      ->type_name("FILES");
  command
      ->add_option(
          "--et", arguments->host,
          "Execution traces of the same run, one of each rank: they know tensors and groups that older "
          "Kineto traces leave out")
      ->type_name("FILES");
  add_job_output(*command, arguments->out);
  command
      ->add_option(
          "--missing-at-most", arguments->limit_percent,
          "Percent of events that may be damaged, of operators, kernels or communications that may stay "
          "without partner")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command
      ->add_option("--thread-gap", arguments->thread_gap_us,
                   "Microseconds: a thread that does nothing for longer waits for another thread")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  add_shared_option(*command, "--comm-groups", arguments->groups, "where the traces do not tell");
  add_json_flag(*command, arguments->json);
  command
      ->add_option("--timeline", arguments->timeline,
                   "Timeline of what was measured beside what the imported graph gives, for ui.perfetto.dev")
      ->type_name("FILE")
      ->check(names_output(OutputKind::file));
  command->footer(
      "Files are put in the order of the numbers in their names; the rank is the one that the Kineto trace\n"
      "says, else the position. Communication is simulated in a run of the traces; with the key\n"
      "`communication: recorded` of a workload it takes as long as it was measured.\n"
      "Examples:\n"
      "  wafertlm trace import --kineto run/kineto_*.json --et run/et_*.json --out traces/job\n"
      "  wafertlm trace import --kineto trace.json.gz --out traces/one --timeline traces/one.timeline.json");
  return [=] { return command->parsed() ? import(*arguments) : -1; };
}

}  // namespace wafertlm
