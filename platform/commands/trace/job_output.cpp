// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/job_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "platform/host/digest.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/text/format.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {

namespace fs = std::filesystem;

constexpr const char* kGroupsEnd = ".comm_groups.json";

namespace {

std::string name_of(const std::string& file) { return fs::path(file).filename().string(); }

fs::path folder_of(const std::string& prefix) {
  const fs::path folder = fs::path(prefix).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

/// A trace is packed when its identity is in it.
std::string unpacked(const std::string& file) {
  return chakra::ends_with(file, ".gz") ? file.substr(0, file.size() - 3) : file;
}

std::string some_of(const std::vector<std::string>& files) {
  constexpr std::size_t kMaxNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < files.size() && i < kMaxNamed; ++i) names += (i == 0 ? "" : ", ") + files[i];
  return names + (files.size() > kMaxNamed ? ", …" : "");
}

/// Ranks of an earlier job would be taken for ranks of the new one.
void refuse_stale_ranks(const std::vector<std::string>& stale) {
  if (!stale.empty())
    throw std::invalid_argument(fmt::format(
        "{} of an earlier job would stand beside the new ones and be taken for ranks of theirs: {}; "
        "remove them, choose another --out, or give --force to have them removed",
        counted(stale.size(), "trace"), some_of(stale)));
}

}  // namespace

std::string JobOutput::file(std::uint32_t rank) const { return fmt::format("{}.{}.{}", prefix, rank, form); }

std::vector<std::string> JobOutput::files(const std::vector<std::uint32_t>& ranks) const {
  std::vector<std::string> files;
  for (const std::uint32_t rank : ranks) files.push_back(file(rank));
  return files;
}

void JobOutput::require_other_than(const std::string& job) const {
  if (fs::absolute(prefix).lexically_normal() == fs::absolute(job).lexically_normal())
    throw std::invalid_argument("--out " + prefix + " would be written over the traces themselves");
}

void add_form_and_force(CLI::App& command, JobOutput& output) {
  add_shared_option(command, "--form", output.form)
      ->check(CLI::IsMember({"et", "et.gz", "json"}))
      ->capture_default_str();
  add_shared_flag(command, "--force", output.force,
                  "removes ranks of an earlier job that would stand beside the new ones");
}

void add_job_output(CLI::App& command, JobOutput& output) {
  add_shared_option(command, "--out", output.prefix, "PREFIX of the traces, PREFIX.<rank>.et")
      ->required()
      ->check(names_output(OutputKind::prefix));
  add_form_and_force(command, output);
}

JobWriter::JobWriter(const std::string& prefix, const std::vector<std::string>& traces, bool force,
                     Stays stays)
    : prefix_(prefix),
      stale_(chakra::stale_rank_files(prefix, traces)),
      stays_(std::move(stays)),
      folder_(folder_of(prefix), "wafertlm, traces " + prefix, name_of(prefix) + ".traces") {
  if (stays_) stale_.erase(std::remove_if(stale_.begin(), stale_.end(), stays_), stale_.end());
  if (!force) refuse_stale_ranks(stale_);
  std::vector<std::string> names = traces;
  names.insert(names.end(), stale_.begin(), stale_.end());
  std::transform(names.begin(), names.end(), names.begin(), name_of);
  folder_.require_free(names);
}

JobWriter::JobWriter(const JobOutput& output, const std::vector<std::uint32_t>& ranks)
    : JobWriter(output.prefix, output.files(ranks), output.force) {}

std::string JobWriter::working(const std::string& file) const {
  return (folder_.working() / fs::path(file).filename()).string();
}

void JobWriter::require_no_signal() const {
  if (const int signal = InterruptNotes::signal())
    throw Interrupted(signal, fmt::format("ended by {}; no trace was written", signal_name(signal)));
}

std::uint64_t JobWriter::add(chakra::NodeSource& source, const std::string& trace) try {
  require_no_signal();
  added_.emplace_back(trace, source.set().value_or(0));
  return chakra::write_trace_file(source, unpacked(working(trace)));
} catch (const chakra::TraceError& error) {
  throw chakra::TraceError(folder_.in_place(error.what()));
} catch (const std::system_error& error) {
  throw std::runtime_error(folder_.in_place(error.what()));
}

std::string JobWriter::write(const std::string& end, const std::string& text) {
  folder_.write(name_of(prefix_ + end), text);
  return prefix_ + end;
}

void JobWriter::give_identity(bool is_whole) {
  constexpr std::size_t kDigits = 13;  // 52 bits
  std::string digests;
  for (const auto& [trace, earlier] : added_)
    if (is_whole) digests += sha256_of_file_now(unpacked(working(trace))) + "\n";
  const std::uint64_t set = std::stoull(sha256(digests).substr(0, kDigits), nullptr, 16) | 1U;
  for (const auto& [trace, earlier] : added_)
    chakra::stamp_set(unpacked(working(trace)), is_whole ? set : earlier);
}

std::string JobWriter::commit(bool is_whole) {
  give_identity(is_whole);
  for (const auto& [trace, earlier] : added_) {
    require_no_signal();
    const std::string packed = working(trace), plain = unpacked(packed);
    if (plain == packed) continue;
    chakra::pack_trace(plain, packed);
    fs::remove(plain);
  }
  std::vector<std::string> stay;
  for (const std::string& name : folder_.earlier())
    if (stays_ && stays_((folder_.path() / name).string())) stay.push_back(name);
  require_no_signal();
  folder_.commit(stay);
  return stale_.empty() ? ""
                        : fmt::format("removed {} of an earlier job: {}\n", counted(stale_.size(), "trace"),
                                      some_of(stale_));
}

std::string groups_text(const std::map<std::string, std::vector<std::uint32_t>>& groups) {
  return groups.empty() ? "" : nlohmann::json(groups).dump() + "\n";
}

std::string groups_line(const JobOutput& output, const std::string& groups) {
  return groups.empty() ? "" : output.prefix + kGroupsEnd + ": the communicator groups\n";
}

nlohmann::ordered_json written_json(const JobOutput& output, std::size_t ranks, const std::string& groups) {
  nlohmann::ordered_json written = nlohmann::ordered_json::array();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) written.push_back(output.file(rank));
  if (!groups.empty()) written.push_back(output.prefix + kGroupsEnd);
  return written;
}

std::uint64_t write_job(const JobOutput& output, const std::vector<chakra::NodeSource*>& ranks,
                        const std::string& groups, bool is_quiet) {
  std::vector<std::uint32_t> numbers(ranks.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  JobWriter writer(output, numbers);
  std::uint64_t nodes = 0;
  for (const std::uint32_t rank : numbers) nodes += writer.add(*ranks[rank], output.file(rank));
  if (!groups.empty()) writer.write(kGroupsEnd, groups);
  const std::string removed = writer.commit();
  if (!is_quiet) fmt::print("{}", removed);
  return nodes;
}

}  // namespace wafertlm
