// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/chakra/node_source.h"

namespace wafertlm::chakra {

/// The forms of a trace file, by the end of its name: `.et`, `.et.gz` (or an `.et` that holds gzip data) and
/// Chakra's JSON, `.json`.
bool is_trace_file(const std::string& path);
/// Opens one of any form. @throws TraceError
std::unique_ptr<NodeSource> open_trace(const std::string& path);
/// Writes all nodes of `source`, from its first, in the form that the name of `path` says; returns how many.
/// The file appears when it is complete. @throws TraceError
std::uint64_t write_trace_file(NodeSource& source, const std::string& path);

/// Several trace files that appear together when all of them are complete, or not at all: until commit() they
/// have hidden temporary names in the same folders.
class TraceFiles {
 public:
  TraceFiles() = default;
  TraceFiles(const TraceFiles&) = delete;
  TraceFiles& operator=(const TraceFiles&) = delete;
  ~TraceFiles();

  /// Writes a file; returns how many nodes. @throws TraceError
  std::uint64_t add(NodeSource& source, const std::string& path);
  /// Gives all files their names. @throws TraceError
  void commit();

 private:
  std::vector<std::pair<std::string, std::string>> files_;  // temporary name, name
};

/// Files of the job `prefix` that would stand beside `written`, the files that are going to be written, and
/// be taken for ranks of theirs.
std::vector<std::string> stale_rank_files(const std::string& prefix, const std::vector<std::string>& written);

}  // namespace wafertlm::chakra
