// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "tlm/kernel/units.h"

namespace wafertlm {

class Machine;

/// `faults` of results: what each of the platform's run.faults met; [] if there are none. The run ended at
/// `end_ps`.
nlohmann::ordered_json faults_json(const Machine& machine, TimePs end_ps);
nlohmann::ordered_json faults_schema();
/// A line for each, of what faults_json() made.
std::string faults_text(const nlohmann::ordered_json& faults);

}  // namespace wafertlm
