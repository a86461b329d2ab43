// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string>
#include <vector>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {

constexpr std::array<const char*, 3> kTraceSuffixes = {".et", ".et.gz", ".json"};

/// The files `PREFIX.<rank>.et` in rank order; if there is none `.et.gz`, then `.json`. @throws TraceError
/// when there are none, or when the ranks do not run from 0 to the highest (names the missing ones).
std::vector<std::string> find_rank_files(const std::string& prefix);
/// Whether there is one.
bool has_rank_files(const std::string& prefix);

}  // namespace wafertlm::chakra
