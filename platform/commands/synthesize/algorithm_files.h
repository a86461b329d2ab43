// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/trace/job_output.h"
#include "platform/host/files.h"
#include "workloads/collectives/custom/program_chunks.h"

namespace wafertlm {

/// The files that an algorithm is written to: an MSCCL program, FILE.xml, or traces, PREFIX.<rank>.et.
class AlgorithmFiles {
 public:
  /// `out`: FILE.xml, PREFIX or PREFIX.et. @throws std::invalid_argument: it cannot be written; ranks of
  /// another job would stand beside them.
  AlgorithmFiles(const std::string& out, std::size_t ranks, bool force);

  /// What `--algorithm` takes to run it.
  const std::string& name() const { return name_; }
  /// Writes them under other names, lets `prove` read them there, and puts them in place. If that throws,
  /// nothing is left. @throws std::invalid_argument: the form cannot say it. @return bytes
  std::uint64_t write(const ChunkedProgram& program, const std::string& title,
                      const std::function<void(const std::string& name)>& prove);

 private:
  using Prove = std::function<void(const std::string& name)>;
  std::uint64_t write_msccl(const ChunkedProgram& program, const std::string& title, const Prove& prove);
  std::uint64_t write_traces(const ChunkedProgram& program, const Prove& prove);

  std::string name_;
  std::optional<PendingFile> msccl_;
  std::vector<std::string> traces_;  // by rank
  std::optional<JobWriter> job_;
};

}  // namespace wafertlm
