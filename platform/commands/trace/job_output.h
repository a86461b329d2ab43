// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/host/interrupt.h"
#include "platform/host/output_folder.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm {

/// Where the traces of a job are written: PREFIX.<rank>.FORM.
struct JobOutput {
  std::string prefix, form = "et";
  bool force = false;  ///< ranks of an earlier job that would stand beside the new ones are removed

  std::string file(std::uint32_t rank) const;
  std::vector<std::string> files(const std::vector<std::uint32_t>& ranks) const;
  /// @throws std::invalid_argument: they would be written over the traces of `job`, a prefix.
  void require_other_than(const std::string& job) const;
};

/// --form and --force.
void add_form_and_force(CLI::App& command, JobOutput& output);
/// These and --out PREFIX.
void add_job_output(CLI::App& command, JobOutput& output);

/// The files of a job, PREFIX.*: made in a hidden folder beside (OutputFolder) and put in place together,
/// with one identity in all traces (wafertlm_set: of their bytes, so that the same traces have the same). A
/// signal ends it before that.
class JobWriter {
 public:
  using Stays = std::function<bool(const std::string& file)>;
  /// @param traces that will be written, PREFIX.<rank>.<form>. @param stays what of an earlier job may stand
  /// beside them. @throws std::invalid_argument: they cannot be written; ranks of an earlier job would stand
  /// beside these, without `force`.
  JobWriter(const std::string& prefix, const std::vector<std::string>& traces, bool force,
            Stays stays = nullptr);
  JobWriter(const JobOutput& output, const std::vector<std::uint32_t>& ranks);

  /// Where the files are until commit().
  std::string working_prefix() const { return working(prefix_); }
  /// Writes a trace, one of those announced. @return nodes. @throws chakra::TraceError, Interrupted
  std::uint64_t add(chakra::NodeSource& source, const std::string& trace);
  /// Writes another file of the set, PREFIX + end. @return its name. @throws std::runtime_error
  std::string write(const std::string& end, const std::string& text);
  /// @param is_whole else each trace keeps the identity that it came with, for others of its set to follow.
  /// @return what was removed, for the user
  std::string commit(bool is_whole = true);

 private:
  std::string working(const std::string& file) const;
  void require_no_signal() const;
  void give_identity(bool is_whole);

  std::string prefix_;
  std::vector<std::string> stale_;
  Stays stays_;
  std::vector<std::pair<std::string, std::uint64_t>> added_;  // with the source's identity
  InterruptNotes notes_;
  OutputFolder folder_;
};

/// The text of a file of communicator groups; "": there are none.
std::string groups_text(const std::map<std::string, std::vector<std::uint32_t>>& groups);

/// Names of the files that write_job() writes.
nlohmann::ordered_json written_json(const JobOutput& output, std::size_t ranks, const std::string& groups);

/// Writes all ranks of a job, in their order, and unless `groups` is empty PREFIX.comm_groups.json.
/// @param is_quiet what was removed of an earlier job is not said. @return nodes; @throws as JobWriter.
std::uint64_t write_job(const JobOutput& output, const std::vector<chakra::NodeSource*>& ranks,
                        const std::string& groups = "", bool is_quiet = false);

/// A line about that file; "": there is none.
std::string groups_line(const JobOutput& output, const std::string& groups);

}  // namespace wafertlm
