// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/trace_convert.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "platform/commands/trace/job_output.h"
#include "platform/commands/trace/numbered_groups.h"
#include "platform/commands/trace/trace_job.h"
#include "platform/host/files.h"
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

/// Files of another job beside the new ones. What is converted may stay, with a note.
std::vector<std::string> stale_neighbours(const std::vector<Conversion>& conversions, std::string& note) {
  std::set<std::string> prefixes;
  std::vector<std::string> written, stale;
  for (const Conversion& each : conversions) {
    written.push_back(each.to);
    if (const auto part = chakra::split_rank_file(each.to)) prefixes.insert(part->prefix);
  }
  for (const std::string& prefix : prefixes)
    for (const std::string& file : chakra::stale_rank_files(prefix, written)) {
      std::error_code error;
      const bool is_source = std::any_of(conversions.begin(), conversions.end(), [&](const Conversion& each) {
        return fs::equivalent(each.from, file, error);
      });
      if (!is_source)
        stale.push_back(file);
      else if (note.empty())
        note = fmt::format("note: {} stands beside {}: as a prefix, {} is ambiguous now\n", written.front(),
                           file, prefix);
    }
  return stale;
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
  const std::uint64_t nodes = write_job(out, named);
  write_file(out.prefix + ".comm_groups.json", groups.json());
  fmt::print("{} -> {} to {}: {}; groups in {}.comm_groups.json\n", file, out.file(0),
             out.file(options.ranks - 1), counted(nodes, "node"), out.prefix);
}

void convert_files(const std::vector<Conversion>& conversions, bool whole, bool force) {
  std::string report, note;
  std::vector<std::string> stale = stale_neighbours(conversions, note);
  if (!whole) stale.clear();  // other ranks of the same job
  if (!force) require_no_stale_ranks(stale, false);
  chakra::TraceFiles files;
  for (const auto& [from, to] : conversions) {
    const auto source = chakra::open_trace(from);
    const std::uint64_t nodes = files.add(*source, to);
    report += fmt::format("{} -> {}: {}\n", from, to, counted(nodes, "node"));
  }
  require_no_stale_ranks(stale, force);
  files.commit();
  fmt::print("{}{}", report, note);
}

}  // namespace

void convert_traces(const ConvertOptions& options) {
  if (options.files.size() == 1 && astra_text::is_text_workload(options.files.front()))
    return convert_text(options.files.front(), options);
  std::vector<Conversion> conversions;
  bool whole = false;
  if (options.form.empty()) {
    if (options.files.size() != 2 || !options.out.empty() || !chakra::is_trace_file(options.files[1]))
      throw std::invalid_argument("trace convert needs --to et, et.gz or json, or two file names: FROM TO");
    conversions.push_back({options.files[0], options.files[1]});
  } else {
    for (const TraceJob& job : find_trace_jobs(options.files)) {
      whole = whole || job.is_whole;
      for (const std::string& file : job.files) {
        const fs::path path(file);
        const fs::path folder = options.out.empty() ? path.parent_path() : fs::path(options.out);
        conversions.push_back(
            {file, (folder / (without_suffix(path.filename().string()) + "." + options.form)).string()});
      }
    }
  }
  std::map<std::string, std::string> sources;
  for (const auto& [from, to] : conversions) {
    std::error_code error;
    if (fs::equivalent(from, to, error))
      throw std::invalid_argument(from + " would be written over itself; choose another --to or --out");
    if (const auto [known, is_new] = sources.emplace(to, from); !is_new)
      throw std::invalid_argument(known->second + " and " + from + " would both become " + to +
                                  "; convert them one after the other, with another --out each");
  }
  const bool is_new = !options.out.empty() && !fs::exists(options.out);
  if (!options.out.empty()) require_writable_folder(options.out);
  try {
    convert_files(conversions, whole, options.force);
  } catch (...) {
    std::error_code ignored;
    if (is_new) fs::remove(options.out, ignored);  // empty: nothing was put in place
    throw;
  }
}

}  // namespace wafertlm
