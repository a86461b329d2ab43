// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "tests/support/random_platform.h"

namespace wafertlm::test {

using WritePlatform = RandomPlatform(const std::string& folder, std::mt19937_64& random);

/// Writes a platform, traces and an experiment of two iterations that the seed determines: fabrics of all
/// kinds with random links, layers of computations, collectives and messages that repeat, some a little
/// differently, and timings of all sorts. So small that it is simulated in a fraction of a second.
/// @param repeats  of its layers, fewer or more; else a few
/// @return the experiment's path
std::string write_random_job(const std::string& folder, std::uint64_t seed,
                             std::optional<std::uint64_t> repeats = {},
                             WritePlatform* write_platform = write_random_platform);

}  // namespace wafertlm::test
