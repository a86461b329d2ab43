// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "platform/spec/study_spec.h"

namespace wafertlm {

/// A value of a document: "iterations[-1].breakdown_s.compute" (-1: the last one), "links[*].busy_fraction"
/// (every one, of which `taken` says what is wanted).
/// @throws std::invalid_argument that names the part that is not there, and the nearest name.
nlohmann::json read_path(const nlohmann::json& document, const std::string& path, config::Taken taken);

/// By how much that value may be off: its half-width at 95 %, where the run was sampled; 0: it is exact.
double read_half_width(const nlohmann::json& document, const std::string& path, config::Taken taken);
/// Where it stands, for `pruned_json`; empty: there is none.
std::string half_width_path(const std::string& path);

/// @throws std::invalid_argument in the same words: no document of this JSON Schema has such a value.
void require_path(const nlohmann::ordered_json& schema, const std::string& path);

}  // namespace wafertlm
