// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm {

struct ConvertOptions {
  std::vector<std::string> files;
  std::string out;          ///< folder; empty: beside the original
  std::string form;         ///< et, et.gz or json; empty: `files` are two names, FROM and TO
  std::uint32_t ranks = 0;  ///< of text workloads
  bool force = false;       ///< remove ranks of an earlier job that would stand beside the new ones
  bool json = false;        ///< says it as JSON
};

/// Writes traces in another form, or text workloads of ASTRA-sim 1.0 as traces, and says so: all files appear
/// when all are complete, or none.
/// @throws std::invalid_argument, chakra::TraceError.
void convert_traces(const ConvertOptions& options);

}  // namespace wafertlm
