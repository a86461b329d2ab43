// SPDX-License-Identifier: Apache-2.0
#include "platform/config/platform_type.h"

#include <filesystem>

#include "platform/config/compute_type.h"
#include "platform/config/config_error.h"
#include "platform/config/dimensional_type.h"
#include "platform/config/document.h"
#include "platform/config/hbm_type.h"
#include "platform/config/remote_memory_type.h"
#include "platform/config/value_types.h"
#include "platform/config/yaml_file.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/collectives/algorithm.h"

namespace wafertlm::config {

namespace {

void check_outer(const WaferSpec& wafer, const Check& check) {
  if (!wafer.outer) return;
  const FabricSpec& fabric = wafer.fabric;
  if (fabric.wiring != Wiring::mesh) check.fail({&wafer.outer}, "only meshes are connected to other wafers");
  if (!wafer.io.controllers.any())
    check.fail({&wafer.outer}, "wafers are connected through I/O controllers; add " +
                                   check.path(&wafer.io.controllers) + ": perimeter, or a list");
  if (wafer.io.latency_ps == 0)
    check.fail(
        {&wafer.io.latency_ps, &wafer.outer},
        "between a router and an I/O controller that leads to other wafers it takes 1 ps or more; set " +
            check.path(&wafer.io.latency_ps));
  if (wafer.npu_count() > 4096)
    check.fail({&wafer.outer->wafers}, "more than 4096 NPUs in all; take smaller or fewer wafers");
  if (!fabric.failed_links.empty() || !fabric.failed_routers.empty() || fabric.is_reliable() ||
      fabric.switching == Switching::wormhole || fabric.input_queue == InputQueue::fifo)
    check.fail(
        {&wafer.outer},
        "with several wafers there are no failures, bit errors, wormhole switching or input_queue: fifo; "
        "leave them out");
  if (2 * fabric.virtual_channels > 16)
    check.fail({&fabric.virtual_channels},
               "several wafers need two channels for each, so at most 8 are possible");
}

std::shared_ptr<const Struct<OuterSpec>> outer_type() {
  auto type = std::make_shared<Struct<OuterSpec>>("outer");
  type->required("wafers", &OuterSpec::wafers, integer<std::uint32_t>(2, 64), "How many there are, all alike")
      .required(
          "topology", &OuterSpec::topology,
          choice<OuterTopology>({{"ring", OuterTopology::ring}, {"switch", OuterTopology::switched}}),
          "ring: controller k of a wafer and of the next one have a link; switch: the controllers k of all "
          "have a link to a switch of their own")
      .required("bandwidth", &OuterSpec::bandwidth_bytes_per_s,
                whole_quantity(bandwidth_dimension(), "1 B/s", "9 PB/s"), "Of such a link, per direction")
      .required("latency", &OuterSpec::latency_ps, whole_quantity(time_dimension(), "1 ps", "1 s"),
                "Of such a link");
  return type;
}

std::shared_ptr<const Struct<WaferSpec>> wafer_type() {
  auto type = std::make_shared<Struct<WaferSpec>>("wafer");
  type->optional("topology", &WaferSpec::topology,
                 or_none(choice<Topology>({{"mesh", Topology::mesh}}), Topology::not_given),
                 "How the routers are wired")
      .optional("width", &WaferSpec::width, or_none(integer<std::uint32_t>(1, 256), 0U),
                "NPUs in a row; of a mesh, which needs it")
      .optional("height", &WaferSpec::height, or_none(integer<std::uint32_t>(1, 256), 0U),
                "NPUs in a column; of a mesh, which needs it")
      .required("fabric", &WaferSpec::fabric, fabric_type(), "Links and routers")
      .optional("io", &WaferSpec::io, io_type(),
                "I/O controllers on the edge of the wafer, or on L1 switches")
      .optional("outer", &WaferSpec::outer, maybe<OuterSpec>(outer_type()),
                "More wafers like this one, connected through their I/O controllers")
      .check(check_wafer)
      .check(check_io)
      .check(check_outer);
  return type;
}

std::shared_ptr<const Struct<EndpointSpec>> endpoint_type() {
  const auto cost = whole_quantity(time_dimension(), "0 ps", "1 s");
  auto type = std::make_shared<Struct<EndpointSpec>>("endpoint");
  type->optional("step_cost", &EndpointSpec::step_cost_ps, cost,
                 "Launch and DMA set-up before each message that is sent")
      .optional("receive_cost", &EndpointSpec::receive_cost_ps, cost,
                "From the end of each message that is received until its step is done")
      .optional("memory", &EndpointSpec::memory,
                choice<EndpointMemory>({{"free", EndpointMemory::free}, {"hbm", EndpointMemory::hbm}}),
                "hbm: what is sent is read from the HBM, what is received is written to it; free: neither")
      .optional("stage_cost", &EndpointSpec::stage_cost_ps, cost,
                "Before the first message of each stage of a collective that goes by dimensions")
      .optional(
          "reduction_bandwidth", &EndpointSpec::reduction_bytes_per_s,
          maybe<std::uint64_t>(whole_quantity(bandwidth_dimension(), "1 B/s", "9 PB/s")),
          "A reduction reads twice and writes once at this rate, when its message has arrived; left out: it "
          "takes no time");
  return type;
}

std::shared_ptr<const Struct<NpuSpec>> npu_type() {
  auto type = std::make_shared<Struct<NpuSpec>>("npu");
  type->optional("peak", &NpuSpec::peak_operations_per_s,
                 real_quantity(compute_rate_dimension(), "1 FLOPS", "1000000 EFLOPS"),
                 "Peak compute rate of one NPU")
      .optional("compute", &NpuSpec::compute, compute_type(), "How long an NPU computes")
      .optional("hbm", &NpuSpec::hbm, hbm_type(), "Memory of one NPU")
      .optional("endpoint", &NpuSpec::endpoint, endpoint_type(), "Sends, receives and runs collectives");
  return type;
}

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
  const auto path =
      or_none<std::string>(file_path("an MSCCL program (.xml), or PREFIX of PREFIX.<rank>.et"), "");
  auto type = std::make_shared<Struct<CustomAlgorithmsSpec>>("custom_algorithms");
  type->optional("all_reduce", &CustomAlgorithmsSpec::all_reduce, path,
                 "MSCCL program (.xml), or PREFIX or folder of Chakra traces, that does all-reduces")
      .optional("all_gather", &CustomAlgorithmsSpec::all_gather, path, "The same of all-gathers")
      .optional("reduce_scatter", &CustomAlgorithmsSpec::reduce_scatter, path, "The same of reduce-scatters")
      .optional("all_to_all", &CustomAlgorithmsSpec::all_to_all, path, "The same of all-to-alls");
  return type;
}

std::shared_ptr<const Struct<CollectivesSpec>> collectives_type() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const std::string& name : algorithm_choices()) names.emplace_back(name, name);
  auto type = std::make_shared<Struct<CollectivesSpec>>("collectives");
  type->optional(
          "algorithm", &CollectivesSpec::algorithm, choice(std::move(names)),
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

void check_fault(const FaultSpec& fault, const Check& check) {
  if (fault.to == fault.from)
    check.fail({&fault.to}, "a packet does not go from an NPU to itself; expected another NPU");
  if (fault.kind == FaultKind::flip_bit && !fault.bit)
    check.fail({&fault.kind}, "flip_bit needs the number of the bit to flip: add 'bit'");
  if (fault.kind == FaultKind::drop_packet && fault.bit)
    check.fail({&fault.bit}, "a packet that is dropped has no bit to flip; leave 'bit' out");
}

std::shared_ptr<const Struct<FaultSpec>> fault_type() {
  const auto npu = integer<NpuId>(0, 65'535);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  auto type = std::make_shared<Struct<FaultSpec>>("fault");
  type->required(
          "kind", &FaultSpec::kind,
          choice<FaultKind>({{"flip_bit", FaultKind::flip_bit}, {"drop_packet", FaultKind::drop_packet}}),
          "What happens to the packet where it leaves its NPU")
      .required("from", &FaultSpec::from, npu, "NPU that sends the packet")
      .optional("to", &FaultSpec::to, maybe(npu),
                "NPU that the packet goes to; left out: a packet that goes into an in-network flow")
      .optional("packet", &FaultSpec::packet, integer<std::uint64_t>(1, kMost),
                "The so-many-th packet between the two, from 1")
      .optional("bit", &FaultSpec::bit, maybe(integer<std::uint64_t>(0, kMost)),
                "flip_bit: which bit of the packet's payload")
      .check(check_fault);
  return type;
}

void check_run(const RunSpec& run, const Check& check) {
  if (run.data_type != DataType::int32 && !run.functional)
    check.fail({&run.data_type},
               "there are values only in functional mode; set " + check.path(&run.functional) + " to true");
  if (run.fault && run.fault->kind == FaultKind::flip_bit && !run.functional)
    check.fail({&run.fault->kind},
               "a packet has bits only in functional mode; set " + check.path(&run.functional) + " to true");
}

std::shared_ptr<const Struct<SequencerSpec>> sequencer_type() {
  auto type = std::make_shared<Struct<SequencerSpec>>("sequencer");
  type->optional("policy", &SequencerSpec::policy,
                 choice<IssuePolicy>({{"fifo", IssuePolicy::fifo},
                                      {"lifo", IssuePolicy::lifo},
                                      {"priority", IssuePolicy::priority}}),
                 "Which of the ready nodes a free resource takes; priority: the highest comm_priority")
      .optional("look_ahead", &SequencerSpec::look_ahead, integer<std::uint32_t>(1, 100'000'000),
                "Nodes of a rank that are held at a time; the trace is read on as they get done");
  return type;
}

std::shared_ptr<const Struct<RunSpec>> run_type() {
  auto type = std::make_shared<Struct<RunSpec>>("run");
  type->optional("checkers", &RunSpec::checkers, boolean(), "Protocol checkers on every socket")
      .optional("functional", &RunSpec::functional, boolean(), "Real values in the packets")
      .optional("data_type", &RunSpec::data_type,
                choice<DataType>({{to_string(DataType::int32), DataType::int32},
                                  {to_string(DataType::bf16), DataType::bf16}}),
                "What the values of functional mode are")
      .optional("fault", &RunSpec::fault, maybe<FaultSpec>(fault_type()),
                "A fault put into one packet, to see that it is found")
      .optional("seed", &RunSpec::seed, integer<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()),
                "Start of every random sequence")
      .optional("watchdog", &RunSpec::watchdog_ps, whole_quantity(time_dimension(), "1 ps", "9000000 s"),
                "Simulated time after which a run is given up")
      .check(check_run);
  return type;
}

void check_fault_npus(const PlatformSpec& platform, const Check& check) {
  if (!platform.run.fault) return;
  const FaultSpec& fault = *platform.run.fault;
  if (!fault.to && !(platform.wafer.fabric.wiring == Wiring::fred && platform.wafer.fabric.fred.in_network))
    check.fail({&platform.run.fault},
               "there are no in-network flows here: add 'to', the NPU that it goes to");
  for (const NpuId* npu : {&fault.from, fault.to ? &*fault.to : &fault.from})
    if (index_of(*npu) >= platform.wafer.npu_count())
      check.fail({npu}, "there is no NPU " + std::to_string(index_of(*npu)) + "; the wafer has NPUs 0 to " +
                            std::to_string(platform.wafer.npu_count() - 1));
}

void check_stragglers(const PlatformSpec& platform, const Check& check) {
  const auto& stragglers = platform.npu.compute.stragglers;
  const auto& failed = platform.wafer.fabric.failed_routers;
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
  const Wiring wiring = platform.wafer.fabric.wiring;
  if ((wiring == Wiring::dimensional || wiring == Wiring::graph || platform.wafer.outer) &&
      platform.npu.endpoint.memory == EndpointMemory::hbm)
    check.fail({&platform.npu.endpoint.memory},
               "messages do not pass through the memory on a fabric of dimensions, a graph or several "
               "wafers; leave it out");
  if (platform.npu.compute.operands == OperandSource::hbm &&
      platform.npu.compute.tile_bytes > platform.npu.hbm.capacity_bytes)
    check.fail({&platform.npu.compute.tile_bytes}, "a tile is larger than the memory");
  if (platform.wafer.fabric.wiring == Wiring::dimensional &&
      platform.wafer.fabric.dimensional.transport == Transport::messages && platform.run.fault)
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
