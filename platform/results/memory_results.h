// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "models/hbm/dram/dram_memory.h"
#include "models/hbm/hbm.h"

namespace wafertlm {

/// An entry of memories[] in results.json; the run has ended at `end_ps`.
nlohmann::ordered_json memory_json(Hbm& memory, TimePs end_ps);
nlohmann::ordered_json memory_schema();
/// For the terminal, of results.json: how much of the memories' bandwidth was used, and what kept the rest.
/// Empty if no memory of a generation was used.
std::string memories_text(const nlohmann::ordered_json& results);

/// Losses by name, in femtoseconds of all channels together, with "busy" first; they sum to channels · total.
nlohmann::ordered_json loss_parts(const MemoryLosses& losses);

}  // namespace wafertlm
