// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "platform/config/config_error.h"
#include "platform/config/descriptions.h"
#include "platform/config/document.h"
#include "platform/config/platform_spec.h"
#include "platform/config/value_types.h"
#include "platform/config/yaml_file.h"
#include "platform/fabrics/registry.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/collectives/algorithm.h"

namespace wafertlm::config {

namespace {

/// Written out only if there is one.
class CustomAlgorithms final : public TypeOf<CustomAlgorithmsSpec> {
 public:
  explicit CustomAlgorithms(std::shared_ptr<const Struct<CustomAlgorithmsSpec>> type)
      : type_(std::move(type)) {}
  CustomAlgorithmsSpec read(const Reader& in) const override { return type_->read(in); }
  Node write(const CustomAlgorithmsSpec& value) const override { return type_->write(value); }
  bool has_value(const CustomAlgorithmsSpec& value) const override {
    return !(value.all_reduce + value.all_gather + value.reduce_scatter + value.all_to_all).empty();
  }
  std::optional<std::string> locate(const CustomAlgorithmsSpec& value, const void* address) const override {
    return type_->locate(value, address);
  }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override { return type_->schema(style, defs); }
  const StructType* structure() const override { return type_.get(); }
  bool may_be_annotated() const override { return type_->may_be_annotated(); }

 private:
  std::shared_ptr<const Struct<CustomAlgorithmsSpec>> type_;
};

std::shared_ptr<const Struct<CustomAlgorithmsSpec>> custom_algorithms_type() {
  const auto path = file_path("an MSCCL program (.xml), or PREFIX of PREFIX.<rank>.et");
  auto type = std::make_shared<Struct<CustomAlgorithmsSpec>>("custom_algorithms");
  type->optional("all_reduce", &CustomAlgorithmsSpec::all_reduce, path,
                 "MSCCL program (.xml), or PREFIX or folder of Chakra traces, that does all-reduces")
      .optional("all_gather", &CustomAlgorithmsSpec::all_gather, path, "The same of all-gathers")
      .optional("reduce_scatter", &CustomAlgorithmsSpec::reduce_scatter, path, "The same of reduce-scatters")
      .optional("all_to_all", &CustomAlgorithmsSpec::all_to_all, path, "The same of all-to-alls");
  return type;
}

std::shared_ptr<const Struct<CollectivesSpec>> collectives_type() {
  auto type = std::make_shared<Struct<CollectivesSpec>>("collectives");
  type->optional(
          "algorithm", &CollectivesSpec::algorithm, one_of(algorithm_choices()),
          "How collectives are done; auto: chosen from the fabric, large vectors as in the FRED paper's "
          "baseline; fastest: the smallest prediction")
      .optional(
          "chunks", &CollectivesSpec::chunks, auto_or(integer<std::uint64_t>(1, 1024)),
          "Pieces of a collective that move through its phases one after the other; auto: the algorithm's "
          "own choice")
      .optional(
          "split_percent", &CollectivesSpec::split_percent, auto_or(integer<std::uint64_t>(0, 100)),
          "hierarchical_2d: how much of the vector is in the part that goes along the rows first; auto: "
          "so much that rows and columns carry the same")
      .optional("dimensions", &CollectivesSpec::by_dimension, by_dimension_type(),
                "How collectives go through the dimensions of a fabric that has them")
      .optional("custom", &CollectivesSpec::custom,
                std::make_shared<const CustomAlgorithms>(custom_algorithms_type()),
                "Algorithms that files give, in place of `algorithm`");
  return type;
}

FabricAbilities abilities_of(const PlatformSpec& platform) {
  return fabric_kind(platform.wafer).abilities(platform.wafer.fabric);
}

void check_fault_npus(const PlatformSpec& platform, const Check& check) {
  if (!platform.run.fault) return;
  const FaultParams& fault = *platform.run.fault;
  if (!fault.to && !abilities_of(platform).in_network)
    check.fail({&platform.run.fault},
               "there are no in-network flows here: add 'to', the NPU that it goes to");
  for (const NpuId* npu : {&fault.from, fault.to ? &*fault.to : &fault.from})
    if (index_of(*npu) >= platform.wafer.npu_count())
      check.fail({npu}, "there is no NPU " + std::to_string(index_of(*npu)) + "; the wafer has NPUs 0 to " +
                            std::to_string(platform.wafer.npu_count() - 1));
}

void check_stragglers(const PlatformSpec& platform, const Check& check) {
  const auto& stragglers = platform.npu.compute.stragglers;
  const FabricSpec& fabric = platform.wafer.fabric;
  const std::vector<NpuId> failed = fabric.kind->failed_npus(fabric);
  for (const StragglerSpec& straggler : stragglers) {
    const auto npu = static_cast<std::uint32_t>(index_of(straggler.npu));
    if (npu >= platform.wafer.npu_count())
      check.fail({&straggler.npu}, "there is no NPU " + std::to_string(npu) + "; the wafer has NPUs 0 to " +
                                       std::to_string(platform.wafer.npu_count() - 1));
    if (std::find(failed.begin(), failed.end(), straggler.npu) != failed.end())
      check.fail({&straggler.npu},
                 "the router of NPU " + std::to_string(npu) + " has failed; it does not compute");
    for (const StragglerSpec* before = stragglers.data(); before != &straggler; ++before)
      if (before->npu == straggler.npu)
        check.fail({&straggler.npu}, "NPU " + std::to_string(npu) + " is a straggler already; leave one out");
  }
}

void check_custom(const CustomAlgorithmsSpec& custom, const Check& check) {
  for (const std::string* path :
       {&custom.all_reduce, &custom.all_gather, &custom.reduce_scatter, &custom.all_to_all})
    if (!path->empty() && !is_readable_file(*path) && !std::filesystem::is_directory(*path) &&
        !chakra::has_rank_files(*path))
      check.fail({path}, "there is no file " + quoted(*path) + nearest_file(*path) +
                             ", nor are there traces of that name");
}

void check_platform(const PlatformSpec& platform, const Check& check) {
  check_custom(platform.collectives.custom, check);
  const FabricAbilities abilities = abilities_of(platform);
  if (!abilities.endpoint_memory && platform.npu.endpoint.memory == EndpointMemory::hbm)
    check.fail({&platform.npu.endpoint.memory},
               "messages do not pass through the memory on a fabric of dimensions, a graph or several "
               "wafers; leave it out");
  if (platform.npu.compute.operands == OperandSource::hbm &&
      platform.npu.compute.tiles.tile_bytes > platform.npu.hbm.capacity_bytes)
    check.fail({&platform.npu.compute.tiles.tile_bytes}, "a tile is larger than the memory");
  if (!abilities.packets && platform.run.fault)
    check.fail({&platform.run.fault}, "a fault hits a packet; take wafer.fabric.transport: packets");
  check_fault_npus(platform, check);
  check_stragglers(platform, check);
  if (platform.remote_memory) check_remote_memory(*platform.remote_memory, platform.wafer.npu_count(), check);
}

}  // namespace

std::shared_ptr<const Struct<PlatformSpec>> platform_type() {
  static const auto type = [] {
    auto platform = std::make_shared<Struct<PlatformSpec>>("platform");
    platform->required("platform", &PlatformSpec::name, text(), "Name of the platform")
        .required("wafer", &PlatformSpec::wafer, wafer_type(), "The wafer and its fabric")
        .optional("npu", &PlatformSpec::npu, npu_type(), "One NPU; all are alike")
        .optional(
            "remote_memory", &PlatformSpec::remote_memory, maybe<RemoteMemorySpec>(remote_memory_type()),
            "Memory beyond the NPUs' own, which loads and stores of traces and offloaded parameters use")
        .optional("collectives", &PlatformSpec::collectives, collectives_type(), "How collectives are done")
        .optional("sequencer", &PlatformSpec::sequencer, sequencer_type(), "How a rank walks its trace")
        .optional("run", &PlatformSpec::run, run_type(), "How the simulation runs")
        .check(check_platform);
    return platform;
  }();
  return type;
}

const std::string& CustomAlgorithmsSpec::of(CollectiveType type) const {
  static const std::string none;
  switch (type) {
    case CollectiveType::all_reduce:
      return all_reduce;
    case CollectiveType::all_gather:
      return all_gather;
    case CollectiveType::reduce_scatter:
      return reduce_scatter;
    case CollectiveType::all_to_all:
      return all_to_all;
    default:
      return none;
  }
}

bool operator==(const PlatformSpec& a, const PlatformSpec& b) {
  return same_values(platform_type()->write(a), platform_type()->write(b)) && a.origins == b.origins;
}

}  // namespace wafertlm::config
