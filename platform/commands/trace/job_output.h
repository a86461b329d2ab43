// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/chakra/node_source.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {

/// Where the traces of a job are written: PREFIX.<rank>.FORM.
struct JobOutput {
  std::string prefix, form = "et";
  bool force = false;  ///< ranks of an earlier job that would stand beside the new ones are removed

  std::string file(std::uint32_t rank) const;
  /// @throws std::invalid_argument: they would be written over the traces of `job`, a prefix.
  void require_other_than(const std::string& job) const;
};

/// --form and --force.
void add_form_and_force(CLI::App& command, JobOutput& output);
/// These and --out PREFIX.
void add_job_output(CLI::App& command, JobOutput& output);

/// Writes traces of a job under other names, and puts them in place together; earlier ones stay until then.
class JobWriter {
 public:
  /// Makes the folder. @throws std::invalid_argument: that cannot be, or ranks of an earlier job would stand
  /// beside these.
  JobWriter(const JobOutput& output, const std::vector<std::uint32_t>& ranks);
  /// @return nodes
  std::uint64_t add(chakra::NodeSource& source, std::uint32_t rank);
  void commit();

 private:
  const JobOutput output_;
  std::vector<std::string> stale_;
  chakra::TraceFiles files_;
};

/// Writes PREFIX.comm_groups.json, unless there are no groups. @return a line about it
std::string write_groups(const JobOutput& output,
                         const std::map<std::string, std::vector<std::uint32_t>>& groups);

/// Writes all ranks of a job, in their order. @return nodes; @throws as JobWriter.
std::uint64_t write_job(const JobOutput& output, const std::vector<chakra::NodeSource*>& ranks);

}  // namespace wafertlm
