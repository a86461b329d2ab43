// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/spec/platform_spec.h"
#include "tlm/program/program.h"

namespace wafertlm {

/// Whether all of the text is a number.
template <typename Number>
bool is_number(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// "0-4,10" → NPUs; empty: all that are not idle. @throws std::invalid_argument that shows the form, or an
/// idle one.
Group parse_npus(const std::string& text, std::uint32_t npus, const std::vector<NpuId>& idle = {});
/// "1MiB", "8" (bytes), "1K,3K" or "1MiB:1GiB:2". @throws std::invalid_argument that shows the form.
std::vector<std::uint64_t> parse_sizes(const std::string& text);
/// The platform's algorithm for this collective as the planner names it; empty: the planner chooses, because
/// the platform leaves it open or names one for other collectives.
/// `is_partial`: of a group that not all ranks are in.
std::string platform_algorithm(const config::CollectivesSpec& spec, CollectiveType type,
                               bool is_partial = false);

}  // namespace wafertlm
