// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "models/hbm/dram/dram_memory.h"
#include "platform/machine/measurements.h"
#include "platform/machine/remote_pool.h"
#include "platform/run/job.h"
#include "platform/spec/experiment_spec.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// Said of results that are mostly latency, if it is that of the fabric alone.
inline constexpr const char* kIdealEndpoints =
    "most of the collectives' time is latency, and the costs of the endpoints (npu.endpoint) are 0: launch, "
    "set-up and reception would add to every step (configs/endpoints has costs with their sources)";

/// Which compute model of the NPUs has told how long computations take: the field `compute` of results.json
/// (see platform/README.md).
nlohmann::ordered_json compute_json(const config::PlatformSpec& platform, const Measurements& measured);
nlohmann::ordered_json compute_schema();

/// The same in a sentence, of results.json, for a systolic array; else nothing.
std::string compute_text(const nlohmann::ordered_json& results);

/// What a generated workload asks of an NPU beside what the NPU is: the field `training` of results.json (see
/// platform/README.md); null for traces.
nlohmann::ordered_json training_json(const config::ExperimentSpec& experiment);
nlohmann::ordered_json training_schema();

/// The same in a sentence or two, of results.json; what is remarkable alone.
std::string training_text(const nlohmann::ordered_json& results);

/// Whether an NPU's memory holds what the workload's ranks need of it at the same time: the field
/// `memory_check` of results.json.
nlohmann::ordered_json memory_check_json(const config::ExperimentSpec& experiment, const Job& job);
nlohmann::ordered_json memory_check_schema();

/// The same in a sentence, of results.json, unless it was checked and fits.
std::string memory_check_text(const nlohmann::ordered_json& results);

/// An entry of memories[] in results.json; the run has ended at `end_ps`.
nlohmann::ordered_json memory_json(const std::string& name, const MemoryMeasurements& memory, TimePs end_ps);
nlohmann::ordered_json memory_schema();
/// For the terminal, of results.json: how much of the memories' bandwidth was used, and what kept the rest.
/// Empty if no memory of a generation was used.
std::string memories_text(const nlohmann::ordered_json& results);

/// Losses by name, in femtoseconds of all channels together, with "busy" first; they sum to channels · total.
nlohmann::ordered_json loss_parts(const MemoryLosses& losses);

/// `remote_memory` of results.json: what the pool's servers did, and the engines in front of it if there are
/// any. Of the platform's own pool.
nlohmann::ordered_json remote_memory_json(const RemotePool& remote, TimePs end_ps);
nlohmann::ordered_json remote_memory_schema();

}  // namespace wafertlm
