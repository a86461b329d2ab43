// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "platform/commands/validate/validation_row.h"
#include "platform/spec/cores_spec.h"

namespace wafertlm::validate {

/// "WSE-2" of a row of it or of a CS-2; none: of another wafer.
std::optional<std::string> wafer_of(const ValidationRow& row);
/// "wse2", as presets of "WSE-2" are called.
std::string wafer_preset(const std::string& wafer);
/// The wafer at the grain of its cores. @throws CannotSay: there is no preset, or how the row's service lays
/// models over several wafers is not published.
config::CoresSpec cores_of(const ValidationRow& row);

}  // namespace wafertlm::validate
