// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <limits>

#include "platform/describe/document.h"
#include "platform/describe/value_types.h"
#include "platform/describe/yaml_file.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/platform_spec.h"
#include "platform/spec/tuned.h"
#include "platform/text/config_error.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm::config {
namespace {

std::shared_ptr<const Struct<ByDimensionSpec>> by_dimension_type() {
  std::vector<std::pair<std::string, DimensionAlgorithm>> words;
  for (const DimensionAlgorithm algorithm : kDimensionAlgorithms)
    words.emplace_back(to_string(algorithm), algorithm);
  const auto algorithms = list_of(choice<DimensionAlgorithm>(words), 0, 32);
  using Order = HierarchyOptions::Order;
  using Within = HierarchyOptions::Within;
  using Reductions = HierarchyOptions::Reductions;
  auto type = std::make_shared<Struct<ByDimensionSpec>>("by_dimension");
  type->optional("order", &ByDimensionSpec::order,
                 one_of<Order>({"local_bandwidth_aware", "ascending", "per_dimension", "themis"}),
                 "The dimensions that a chunk goes through: reduce-scatter up, all-reduce in the last, "
                 "all-gather down; without that all-reduce; an all-reduce in each; or for each chunk those "
                 "with the least load first")
      .optional("within", &ByDimensionSpec::within, one_of<Within>({"fifo", "smallest_first"}),
                "Whose message a port sends first: of the stage that came first, or of the one with the "
                "fewest bytes")
      .optional("active_chunks", &ByDimensionSpec::active_chunks, auto_or(integer<std::uint64_t>(1, 65'536)),
                "Chunks that are in a dimension at a time; auto: all")
      .optional("all_reduce", &ByDimensionSpec::all_reduce, algorithms,
                "By dimension; the last one holds for those behind it. auto: ring on rings and meshes, "
                "direct where fully connected, halving_doubling on switches of a power of two, else direct")
      .optional("all_gather", &ByDimensionSpec::all_gather, algorithms, "The same of all-gather")
      .optional("reduce_scatter", &ByDimensionSpec::reduce_scatter, algorithms, "The same of reduce-scatter")
      .optional("all_to_all", &ByDimensionSpec::all_to_all, algorithms, "The same of all-to-all")
      .optional("direct_window", &ByDimensionSpec::direct_window, integer<std::uint32_t>(0, 65'536),
                "Peers that direct exchanges with at a time; 0: all")
      .optional("reductions", &ByDimensionSpec::reductions, one_of<Reductions>({"received", "astra_sim"}),
                "Whose npu.endpoint.reduction_bandwidth is paid for: of all bytes that are added; or as "
                "ASTRA-sim charges it: by halving of as many as are sent next, none at last, and along a "
                "double_binary_tree also of what is passed down");
  return type;
}

void check_fault(const FaultParams& fault, const Check& check) {
  if (fault.to == fault.from)
    check.fail({&fault.to}, "a packet does not go from an NPU to itself; expected another NPU");
}

std::shared_ptr<const Struct<FaultParams>> fault_type() {
  const auto npu = integer<NpuId>(0, 65'535);
  constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::int64_t>::max();
  auto type = std::make_shared<Struct<FaultParams>>("fault");
  type->required("kind", &FaultParams::kind, one_of<FaultParams::Kind>({"flip_bit", "drop_packet"}),
                 "What happens to the packet where it leaves its NPU")
      .required("from", &FaultParams::from, npu, "NPU that sends the packet")
      .optional("to", &FaultParams::to, maybe(npu),
                "NPU that the packet goes to; left out: a packet that goes into an in-network flow")
      .optional("packet", &FaultParams::packet, integer<std::uint64_t>(1, kMaxNumber),
                "The so-many-th packet between the two, from 1")
      .required("bit", &FaultParams::bit, maybe(integer<std::uint64_t>(0, kMaxNumber)),
                "Which bit of the packet's payload")
      .when(&FaultParams::kind, FaultParams::Kind::flip_bit)
      .check(check_fault);
  return type;
}

void check_run(const RunSpec& run, const Check& check) {
  if (run.fault && run.fault->kind == FaultParams::Kind::flip_bit && !run.functional)
    check.fail({&run.fault->kind}, "a packet has bits only in functional mode; set {} to true",
               check.path(&run.functional));
}

std::shared_ptr<const Struct<SequencerParams>> sequencer_type() {
  auto type = std::make_shared<Struct<SequencerParams>>("sequencer");
  type->optional("order", &SequencerParams::order,
                 one_of<IssueOrder>({"fifo", "lifo", "priority", "lowest_id"}),
                 "Which of the ready nodes a free resource takes: that which has been ready longest, the "
                 "last one, that with the highest comm_priority, or with the lowest node id")
      .renamed("policy", "order")
      .optional("communications", &SequencerParams::communications,
                auto_or(integer<std::uint64_t>(1, 65'536), std::uint32_t{0}),
                "Collectives, sends, loads and stores of a rank under way at a time, all together (ASTRA-sim "
                "has 1); auto: one of each group and traffic class, one load, one store, all sends")
      .optional("look_ahead", &SequencerParams::look_ahead, integer<std::uint32_t>(1, 100'000'000),
                "Nodes of a rank that are held at a time; the trace is read on as they get done");
  return type;
}

std::shared_ptr<const Struct<RunSpec>> run_type() {
  auto type = std::make_shared<Struct<RunSpec>>("run");
  type->optional(
          "acceleration", &RunSpec::acceleration, one_of<Acceleration>({"exact", "off", "verify", "sampled"}),
          "exact: what repeats is skipped, with the results of a run in which all is simulated; off: all "
          "is simulated; verify: a tenth of what would be skipped is simulated and compared; sampled: of "
          "transfers that are alike some are simulated, and results are ± at 95 % (platform/machine/sampled)")
      .optional("checkers", &RunSpec::checkers, boolean(), "Protocol checkers on every socket")
      .optional("functional", &RunSpec::functional, boolean(), "Real values in the packets")
      .optional("data_type", &RunSpec::data_type,
                choice<DataType>({{to_string(DataType::int32), DataType::int32},
                                  {to_string(DataType::bf16), DataType::bf16}}),
                "What the values of functional mode are")
      .when(&RunSpec::functional, true)
      .optional("fault", &RunSpec::fault, maybe<FaultParams>(fault_type()),
                "A fault put into one packet, to see that it is found")
      .optional("faults", &RunSpec::faults, list_of<RunFaultSpec>(run_fault_type(), 0, 1000),
                "Links and NPUs that fail or get slower while the simulation runs")
      .optional("on_fault", &RunSpec::on_fault, one_of<OnFault>({"wait", "reroute", "stop"}),
                "When a link is down for good or an NPU dies: packets wait for the link; take a detour; or "
                "the run ends")
      .optional("reroute_after", &RunSpec::reroute_after_ps, any_time(),
                "From a link's failure until packets take a detour")
      .when(&RunSpec::on_fault, OnFault::reroute)
      .optional("seed", &RunSpec::seed, integer<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()),
                "Start of every random sequence")
      .optional("watchdog", &RunSpec::watchdog_ps, whole_quantity(time_dimension(), "1 ps", "9000000 s"),
                "Simulated time after which a run is given up")
      .check(check_run);
  return type;
}

/// Written out only if there is one.
class CustomAlgorithms final : public Like<CustomAlgorithmsSpec> {
 public:
  using Like::Like;
  bool has_value(const CustomAlgorithmsSpec& value) const override {
    return !(value.all_reduce + value.all_gather + value.reduce_scatter + value.all_to_all).empty();
  }
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

/// A name of the table of algorithms, or the path of a tuning table.
class AlgorithmOrTable final : public Like<std::string> {
 public:
  AlgorithmOrTable()
      : Like(one_of(algorithm_choices())), path_(file_path("a tuning table (.yaml, from `wafertlm tune`)")) {}
  std::string read(const Reader& in) const override {
    const bool is_table = in.node().kind == Node::Kind::scalar && names_tuning_table(in.node().text);
    return is_table ? path_->read(in) : Like::read(in);
  }
  Node write(const std::string& value) const override {
    return names_tuning_table(value) ? path_->write(value) : Like::write(value);
  }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override {
    return {{"anyOf", {Like::schema(style, defs), {{"type", "string"}, {"pattern", "[.]ya?ml$"}}}}};
  }

 private:
  TypePtr<std::string> path_;
};

TypePtr<std::string> algorithm_of(CollectiveType type) {
  std::vector<std::string> names = algorithms_for(type);
  names.insert(names.begin(), "auto");
  return one_of(names);
}

std::shared_ptr<const Struct<AlgorithmsByTypeSpec>> by_type_type() {
  using S = AlgorithmsByTypeSpec;
  auto type = std::make_shared<Struct<S>>("algorithms_by_type");
  type->optional("all_reduce", &S::all_reduce, algorithm_of(CollectiveType::all_reduce), "Of all-reduces")
      .optional("all_gather", &S::all_gather, algorithm_of(CollectiveType::all_gather), "Of all-gathers")
      .optional("reduce_scatter", &S::reduce_scatter, algorithm_of(CollectiveType::reduce_scatter),
                "Of reduce-scatters")
      .optional("all_to_all", &S::all_to_all, algorithm_of(CollectiveType::all_to_all), "Of all-to-alls");
  return type;
}

std::shared_ptr<const Struct<CollectivesSpec>> collectives_type() {
  auto type = std::make_shared<Struct<CollectivesSpec>>("collectives");
  type->optional("algorithm", &CollectivesSpec::algorithm, std::make_shared<const AlgorithmOrTable>(),
                 "How collectives are done; paper (or auto): chosen from the fabric, large vectors as in the "
                 "FRED paper's baseline; fastest: the shortest of all, by prediction and short simulations; "
                 "FILE.yaml: by a table that `wafertlm tune` wrote")
      .optional("choice", &CollectivesSpec::choice, one_of<CollectivesSpec::Choice>({"planner", "nccl"}),
                "Who chooses where `algorithm` is auto: the planner, or as NCCL's own model does among the "
                "algorithms and protocols of npu.endpoint.library")
      .optional("by_type", &CollectivesSpec::by_type, by_type_type(),
                "Algorithms by the type of the collective; auto: `algorithm`")
      .optional("partial_groups", &CollectivesSpec::partial_groups, by_type_type(),
                "Algorithms of groups of traces that not all ranks are in; auto: those of the others")
      .optional("equal_pieces", &CollectivesSpec::equal_pieces, boolean(),
                "Sizes of traces are cut to what all ranks' blocks and chunks have equally many elements of, "
                "one at least; ASTRA-sim's integer divisions")
      .optional("chunks", &CollectivesSpec::chunks, auto_or(integer<std::uint64_t>(1, 1024)),
                "Pieces of a collective that move through its phases one after the other; auto: the "
                "algorithm's own choice")
      .optional("split_percent", &CollectivesSpec::split_percent, auto_or(integer<std::uint64_t>(0, 100)),
                "hierarchical_2d: how much of the vector is in the part that goes along the rows first; "
                "auto: so much that rows and columns carry the same")
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
      check.fail({npu, &platform.wafer.width, &platform.wafer.height},
                 "there is no NPU {}; the wafer has NPUs 0 to {}", index_of(*npu),
                 platform.wafer.npu_count() - 1);
}

void check_stragglers(const PlatformSpec& platform, const Check& check) {
  const auto& stragglers = platform.npu.compute.stragglers;
  const FabricSpec& fabric = platform.wafer.fabric;
  const std::vector<NpuId> failed = fabric.kind->failed_npus(fabric);
  for (const StragglerSpec& straggler : stragglers) {
    const auto npu = static_cast<std::uint32_t>(index_of(straggler.npu));
    if (npu >= platform.wafer.npu_count())
      check.fail({&straggler.npu, &platform.wafer.width, &platform.wafer.height},
                 "there is no NPU {}; the wafer has NPUs 0 to {}", npu, platform.wafer.npu_count() - 1);
    if (std::find(failed.begin(), failed.end(), straggler.npu) != failed.end())
      check.fail({&straggler.npu}, "the router of NPU {} has failed; it does not compute", npu);
    for (const StragglerSpec* before = stragglers.data(); before != &straggler; ++before)
      if (before->npu == straggler.npu)
        check.fail({&straggler.npu}, "NPU {} is a straggler already; leave one out", npu);
  }
}

void check_custom(const CustomAlgorithmsSpec& custom, const Check& check) {
  for (const std::string* path :
       {&custom.all_reduce, &custom.all_gather, &custom.reduce_scatter, &custom.all_to_all})
    if (!path->empty() && !is_readable_file(*path) && !std::filesystem::is_directory(*path) &&
        !chakra::has_rank_files(*path))
      check.fail({path}, "there is no file {}{}, nor are there traces of that name", quoted(*path),
                 nearest_file(*path));
}

void check_tuning_table(const std::string& algorithm, const Check& check) {
  if (names_tuning_table(algorithm) && !is_readable_file(algorithm))
    check.fail({&algorithm}, "there is no file {}{}", quoted(algorithm), nearest_file(algorithm));
}

void check_platform(const PlatformSpec& platform, const Check& check) {
  check_custom(platform.collectives.custom, check);
  check_tuning_table(platform.collectives.algorithm, check);
  const CollectivesSpec& collectives = platform.collectives;
  if (collectives.choice == CollectivesSpec::Choice::nccl) {
    if (collectives.algorithm != "auto")
      check.fail({&collectives.choice, &collectives.algorithm},
                 "nccl has no effect on algorithm: {}; take algorithm: auto", collectives.algorithm);
    if (!platform.npu.endpoint.library)
      check.fail({&collectives.choice},
                 "nccl needs npu.endpoint.library: npu.endpoint: nccl_hopper, for example");
  }
  const FabricAbilities abilities = abilities_of(platform);
  if (!abilities.endpoint_memory && platform.npu.endpoint.memory == EndpointMemory::hbm)
    check.fail({&platform.npu.endpoint.memory, &platform.wafer.fabric.kind, &platform.wafer.outer},
               "messages do not pass through the memory on a fabric of dimensions, a graph or several "
               "wafers; leave it out");
  if (!abilities.dma_engines && platform.npu.injection.order != InjectionOrder::packet)
    check.fail({&platform.npu.injection.order, &platform.wafer.fabric.kind},
               "has no effect where NPUs have no DMA engines that share a port: on Ethernet, on a fabric of "
               "dimensions and on a graph whose NPUs have a port per link; leave it out");
  if (platform.npu.compute.operands == OperandSource::hbm &&
      platform.npu.compute.tiles.tile_bytes > platform.npu.hbm.capacity_bytes)
    check.fail({&platform.npu.compute.tiles.tile_bytes, &platform.npu.hbm.capacity_bytes,
                &platform.npu.compute.operands},
               "a tile is larger than the memory");
  if (!abilities.packets && platform.run.fault)
    check.fail({&platform.run.fault}, "a fault hits a packet; take wafer.fabric.transport: packets");
  check_fault_npus(platform, check);
  check_stragglers(platform, check);
  check_partial_hbm(platform, check);
  check_run_faults(platform, check);
  if (platform.remote_memory) check_remote_memory(*platform.remote_memory, platform.wafer, check);
}

/// What a spec with a value for each type of collective has for this one; of types without a key the default.
template <class Spec>
const std::string& value_of(const Spec& spec, CollectiveType type) {
  static const Spec defaults;
  return type == CollectiveType::all_reduce       ? spec.all_reduce
         : type == CollectiveType::all_gather     ? spec.all_gather
         : type == CollectiveType::reduce_scatter ? spec.reduce_scatter
         : type == CollectiveType::all_to_all     ? spec.all_to_all
                                                  : defaults.all_reduce;
}

}  // namespace

std::shared_ptr<const Struct<PlatformSpec>> platform_type() {
  static const auto type = [] {
    auto platform = std::make_shared<Struct<PlatformSpec>>("platform");
    platform->presets_in("platforms");
    platform->required("platform", &PlatformSpec::name, text(), "Name of the platform")
        .required("wafer", &PlatformSpec::wafer, wafer_type(), "The wafer and its fabric")
        .optional("npu", &PlatformSpec::npu, std::make_shared<const FileOr<NpuSpec>>(npu_type()),
                  "One NPU, or its file (configs/accelerators/); all are alike")
        .optional(
            "remote_memory", &PlatformSpec::remote_memory, maybe<RemoteMemorySpec>(remote_memory_type()),
            "Memory beyond the NPUs' own, which loads and stores of traces and offloaded parameters use")
        .optional("collectives", &PlatformSpec::collectives, collectives_type(), "How collectives are done")
        .optional("sequencer", &PlatformSpec::sequencer, sequencer_type(), "How a rank walks its trace")
        .optional("run", &PlatformSpec::run, run_type(), "How the simulation runs")
        .optional(
            "leaves_out", &PlatformSpec::leaves_out, list_of<std::string>(text(), 0, 100),
            "What the machine has that the file does not say, a sentence each; `wafertlm check` prints them")
        .check(check_platform);
    return platform;
  }();
  return type;
}

const std::string& CustomAlgorithmsSpec::of(CollectiveType type) const { return value_of(*this, type); }
const std::string& AlgorithmsByTypeSpec::of(CollectiveType type) const { return value_of(*this, type); }

}  // namespace wafertlm::config
