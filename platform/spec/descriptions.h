// SPDX-License-Identifier: Apache-2.0
// What describes the files and their parts.
#pragma once
#include <memory>

#include "models/mesh/io_port.h"
#include "platform/describe/struct_type.h"

namespace wafertlm {
struct Parallelism;
}

namespace wafertlm::config {

struct CostSpec;
struct DramTimingSpec;
struct EfficiencySpec;
struct EndpointSpec;
struct ExperimentSpec;
struct FabricSpec;
struct HbmSpec;
struct ModelSpec;
struct NpuSpec;
struct PlatformSpec;
struct RemoteMemorySpec;
struct StudySpec;
struct DefectsSpec;
struct RunFaultSpec;
struct WaferSpec;
struct WorkloadSpec;

std::shared_ptr<const Struct<PlatformSpec>> platform_type();
std::shared_ptr<const Struct<ExperimentSpec>> experiment_type();
std::shared_ptr<const Struct<StudySpec>> study_type();
std::shared_ptr<const Struct<CostSpec>> cost_type();
std::shared_ptr<const Struct<ModelSpec>> model_type();
std::shared_ptr<const Struct<WorkloadSpec>> workload_type();
/// In an experiment: it needs no name.
std::shared_ptr<const Struct<WorkloadSpec>> inline_workload_type();
/// Adds the keys of WorkloadKind::training, the first of which tells it from the others.
void add_training_keys(Struct<WorkloadSpec>& workload);
/// "MP(2)-DP(5)-PP(2)".
TypePtr<Parallelism> parallelism_type();

std::shared_ptr<const Struct<WaferSpec>> wafer_type();
const TypePtr<Side>& side_type();
std::shared_ptr<const Struct<NpuSpec>> npu_type();
std::shared_ptr<const Struct<HbmSpec>> hbm_type();
std::shared_ptr<const Struct<EfficiencySpec>> efficiency_type();
std::shared_ptr<const Struct<DramTimingSpec>> dram_timing_type();
std::shared_ptr<const Struct<EndpointSpec>> endpoint_type();
std::shared_ptr<const Struct<RemoteMemorySpec>> remote_memory_type();
/// The pool of a wafer with so many NPUs.
void check_remote_memory(const RemoteMemorySpec& spec, const WaferSpec& wafer, const Check& check);

std::shared_ptr<const Struct<FabricSpec>> fabric_type();
TypePtr<DefectsSpec> defects_type();
/// The rules of wafer.defects that hold for every kind of fabric.
void check_defects(const WaferSpec& wafer, const Check& check);
/// What NPUs have of their HBM must make a memory.
void check_partial_hbm(const PlatformSpec& platform, const Check& check);
/// Of a whole wafer with so many I/O controllers.
void check_dead_io(const DefectsSpec& defects, std::size_t controllers, const Check& check);
std::shared_ptr<const Struct<RunFaultSpec>> run_fault_type();
void check_run_faults(const PlatformSpec& platform, const Check& check);

}  // namespace wafertlm::config
