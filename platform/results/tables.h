// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace wafertlm {

/// The rows of results.json as CSV, a table per file with one header, {name of the file, text}:
///   iterations.csv   a row per iteration that is listed, with the breakdown of the rank that finishes last
///   breakdown.csv    iteration, rank, part, time_s: where the time of every rank went, parts that are not 0
///   collectives.csv, links.csv, memories.csv   a row each
/// Numbers are in base units, which a column's name ends in (_s, _bytes, _bytes_per_s, _j); values in an
/// object of JSON have a column outer_inner_unit. A table without rows has its header.
std::vector<std::pair<std::string, std::string>> result_tables(const nlohmann::ordered_json& results);

/// The names of those files.
std::vector<std::string> names_of_result_tables();

}  // namespace wafertlm
