// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "platform/spec/fabric_kind.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm {

/// By wafer: the process that simulates it. Neighbours stay together; the most ranks of a process are as few
/// as can be, since a rank's packets are most of the work.
std::vector<std::uint32_t> deal_wafers(const Wafers& wafers, const Placement& npus, std::uint32_t processes);
/// From a table with the columns wafer and process. @throws std::invalid_argument with the line: a wafer that
/// is missing, twice there or none, a process that is none or has no wafer.
std::vector<std::uint32_t> read_dealing(const std::string& file, std::uint32_t wafers,
                                        std::uint32_t processes);
/// "process 1 (wafers 2, 3)", by process.
std::vector<std::string> process_names(const std::vector<std::uint32_t>& dealing, std::uint32_t processes);

}  // namespace wafertlm
