// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/job_output.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "platform/commands/trace/trace_job.h"
#include "platform/host/files.h"

namespace wafertlm {

namespace fs = std::filesystem;

std::string JobOutput::file(std::uint32_t rank) const { return fmt::format("{}.{}.{}", prefix, rank, form); }

void JobOutput::require_other_than(const std::string& job) const {
  if (fs::absolute(prefix).lexically_normal() == fs::absolute(job).lexically_normal())
    throw std::invalid_argument("--out " + prefix + " would be written over the traces themselves");
}

void add_form_and_force(CLI::App& command, JobOutput& output) {
  command.add_option("--form", output.form, "et, et.gz or json")
      ->check(CLI::IsMember({"et", "et.gz", "json"}))
      ->capture_default_str();
  command.add_flag(
      "--force", output.force,
      "Remove ranks of an earlier job that would stand beside the new ones; refused if not given");
}

void add_job_output(CLI::App& command, JobOutput& output) {
  command.add_option("--out", output.prefix, "PREFIX of the traces to write, PREFIX.<rank>.et")
      ->required()
      ->type_name("PREFIX");
  add_form_and_force(command, output);
}

JobWriter::JobWriter(const JobOutput& output, const std::vector<std::uint32_t>& ranks) : output_(output) {
  std::vector<std::string> names;
  for (const std::uint32_t rank : ranks) names.push_back(output_.file(rank));
  stale_ = chakra::stale_rank_files(output_.prefix, names);
  if (!output_.force) require_no_stale_ranks(stale_, false);
  const fs::path folder = fs::path(output_.prefix).parent_path();
  require_writable_folder(folder.empty() ? fs::path(".") : folder);
}

std::uint64_t JobWriter::add(chakra::NodeSource& source, std::uint32_t rank) {
  return files_.add(source, output_.file(rank));
}

void JobWriter::commit() {
  require_no_stale_ranks(stale_, output_.force);
  files_.commit();
}

std::string write_groups(const JobOutput& output,
                         const std::map<std::string, std::vector<std::uint32_t>>& groups) {
  if (groups.empty()) return "";
  const std::string file = output.prefix + ".comm_groups.json";
  write_file(file, nlohmann::json(groups).dump() + "\n");
  return file + ": the communicator groups\n";
}

std::uint64_t write_job(const JobOutput& output, const std::vector<chakra::NodeSource*>& ranks) {
  std::vector<std::uint32_t> numbers(ranks.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  JobWriter writer(output, numbers);
  std::uint64_t nodes = 0;
  for (const std::uint32_t rank : numbers) nodes += writer.add(*ranks[rank], rank);
  writer.commit();
  return nodes;
}

}  // namespace wafertlm
