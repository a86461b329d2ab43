// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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

/// Writes into a file that write_trace_file() has made, `.et` or `.json`, which set of ranks it belongs to:
/// `wafertlm_set`, a number that all files of the set share. @param set not 0, below 2^53 (exact in any JSON
/// reader). @throws TraceError
void stamp_set(const std::string& path, std::uint64_t set);
/// Compresses a `.et` file to a `.et.gz`. @throws TraceError
void pack_trace(const std::string& plain, const std::string& packed);

/// That ranks which are read together were written together.
class OneSet {
 public:
  /// @throws TraceError: it is of another set than the first, or one of the two says of none.
  void add(const NodeSource& rank);

 private:
  std::optional<std::uint64_t> set_;
  std::string first_;
};

/// Files of the job `prefix` that would stand beside `written`, the files that are going to be written, and
/// be taken for ranks of theirs.
std::vector<std::string> stale_rank_files(const std::string& prefix, const std::vector<std::string>& written);

}  // namespace wafertlm::chakra
