// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

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

}  // namespace wafertlm::chakra
