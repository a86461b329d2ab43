// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/trace_convert.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/commands/trace/job_output.h"
#include "platform/commands/trace/numbered_groups.h"
#include "platform/commands/trace/trace_job.h"
#include "platform/host/json_output.h"
#include "platform/text/format.h"
#include "workloads/astra_text/training_job.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

std::string without_suffix(const std::string& name) {
  for (const std::string suffix : {".et.gz", ".et", ".json"})
    if (name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
      return name.substr(0, name.size() - suffix.size());
  return name;
}

struct Conversion {
  std::string from, to;
};

/// What becomes the files of one prefix.
struct JobConversion {
  bool is_whole = false;  ///< all ranks of a job; else other ranks of it may be there
  std::vector<Conversion> files;
};

/// Says what became of the job. @return names of the files
std::vector<std::string> convert_job(const std::string& prefix, const JobConversion& job, bool force,
                                     bool is_quiet) {
  std::string report, note;
  std::vector<std::string> traces;
  for (const Conversion& each : job.files) traces.push_back(each.to);
  // What is converted may stay, with a note.
  const auto stays = [&](const std::string& file) {
    std::error_code error;
    const bool is_source = std::any_of(job.files.begin(), job.files.end(), [&](const Conversion& each) {
      return fs::equivalent(each.from, file, error);
    });
    if (is_source && note.empty() && job.is_whole)
      note = fmt::format("note: {} stands beside {}: as a prefix, {} is ambiguous now\n", traces.front(),
                         file, prefix);
    return is_source || !job.is_whole;
  };
  JobWriter writer(prefix, traces, force, stays);
  chakra::OneSet set;
  for (const auto& [from, to] : job.files) {
    const auto source = chakra::open_trace(from);
    if (job.is_whole) set.add(*source);
    report += fmt::format("{} -> {}: {}\n", from, to, counted(writer.add(*source, to), "node"));
  }
  const std::string removed = writer.commit(job.is_whole);
  if (!is_quiet) fmt::print("{}{}{}", removed, report, note);
  return traces;
}

/// Beside the traces NAME.comm_groups.json, for --comm-groups.
void convert_text(const std::string& file, const ConvertOptions& options) {
  if (options.ranks == 0)
    throw std::invalid_argument(file + ": a text workload is one file for all ranks; give --replicate RANKS");
  const astra_text::TrainingJob job(file, options.ranks);
  const NumberedGroups groups(job.groups());
  const fs::path folder = options.out.empty() ? fs::path(file).parent_path() : fs::path(options.out);
  const JobOutput out{(folder / fs::path(file).stem()).string(), options.form.empty() ? "et" : options.form,
                      options.force};
  std::vector<std::unique_ptr<chakra::NodeSource>> ranks;
  std::vector<chakra::NodeSource*> named;
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
    ranks.push_back(std::make_unique<chakra::VectorSource>(file, job.nodes(rank)));
    ranks.push_back(groups.named(*ranks.back()));
    named.push_back(ranks.back().get());
  }
  const std::uint64_t nodes = write_job(out, named, groups.json());
  if (options.json) {
    nlohmann::ordered_json written = nlohmann::ordered_json::array();
    for (std::uint32_t rank = 0; rank < options.ranks; ++rank) written.push_back(out.file(rank));
    written.push_back(out.prefix + ".comm_groups.json");
    print_json({{"nodes", nodes}, {"written", written}});
    return;
  }
  fmt::print("{} -> {} to {}: {}; groups in {}.comm_groups.json\n", file, out.file(0),
             out.file(options.ranks - 1), counted(nodes, "node"), out.prefix);
}

/// By prefix.
using Conversions = std::map<std::string, JobConversion>;

void add_conversion(Conversions& conversions, const std::string& from, const std::string& to, bool is_whole) {
  const auto part = chakra::split_rank_file(to);
  JobConversion& job = conversions[part ? part->prefix : without_suffix(to)];
  job.is_whole = job.is_whole || is_whole;
  job.files.push_back({from, to});
}

}  // namespace

void convert_traces(const ConvertOptions& options) {
  if (options.files.size() == 1 && astra_text::is_text_workload(options.files.front()))
    return convert_text(options.files.front(), options);
  Conversions conversions;
  if (options.form.empty()) {
    if (options.files.size() != 2 || !options.out.empty() || !chakra::is_trace_file(options.files[1]))
      throw std::invalid_argument("trace convert needs --form et, et.gz or json, or two file names: FROM TO");
    add_conversion(conversions, options.files[0], options.files[1], false);
  } else {
    for (const TraceJob& job : find_trace_jobs(options.files)) {
      for (const std::string& file : job.files) {
        const fs::path path(file);
        const fs::path folder = options.out.empty() ? path.parent_path() : fs::path(options.out);
        add_conversion(conversions, file,
                       (folder / (without_suffix(path.filename().string()) + "." + options.form)).string(),
                       job.is_whole);
      }
    }
  }
  std::map<std::string, std::string> sources;
  for (const auto& [prefix, job] : conversions)
    for (const auto& [from, to] : job.files) {
      std::error_code error;
      if (fs::equivalent(from, to, error))
        throw std::invalid_argument(from + " would be written over itself; choose another --form or --out");
      if (const auto [known, is_new] = sources.emplace(to, from); !is_new)
        throw std::invalid_argument(known->second + " and " + from + " would both become " + to +
                                    "; convert them one after the other, with another --out each");
    }
  nlohmann::ordered_json written = nlohmann::ordered_json::array();
  for (const auto& [prefix, job] : conversions)
    for (const std::string& file : convert_job(prefix, job, options.force, options.json))
      written.push_back(file);
  if (options.json) print_json({{"written", written}});
}

}  // namespace wafertlm
