// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wafertlm::test {

/// By "scope.name": the changes after the first value, as (time, value).
using VcdChanges = std::map<std::string, std::vector<std::pair<std::uint64_t, std::uint64_t>>>;

/// Of a value change dump; signals that never change are there, too.
VcdChanges read_vcd(const std::string& path);

/// The signals of a value change dump with their bits, as "scope.name[bits]".
std::vector<std::string> vcd_signals(const std::string& path);

}  // namespace wafertlm::test
