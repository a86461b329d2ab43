// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "platform/config/dimensional_type.h"
#include "platform/config/fred_chips_type.h"
#include "platform/config/graph_type.h"
#include "platform/config/platform_type.h"
#include "platform/config/rtl_type.h"
#include "platform/config/value_types.h"
#include "tlm/link/class_table.h"

namespace wafertlm::config {

namespace {

constexpr const char* kMesh = "mesh";
constexpr const char* kFred = "fred";
constexpr const char* kDimensional = "dimensional";
constexpr const char* kGraph = "graph";

std::uint32_t first_vc(const TrafficClassSpec& row) { return static_cast<std::uint32_t>(row.vc); }
std::uint32_t end_vc(const TrafficClassSpec& row) { return first_vc(row) + row.vcs; }

std::shared_ptr<const Struct<TrafficClassSpec>> traffic_class_type() {
  auto type = std::make_shared<Struct<TrafficClassSpec>>("traffic_class");
  type->required("name", &TrafficClassSpec::name, word(), "Name of the traffic class")
      .required("vc", &TrafficClassSpec::vc, integer<VcId>(0, 15), "First virtual channel of the class")
      .required("priority", &TrafficClassSpec::priority, integer<std::uint32_t>(0, 255),
                "The larger goes first")
      .optional("vcs", &TrafficClassSpec::vcs, integer<std::uint32_t>(1, 16),
                "Number of consecutive virtual channels the class may use");
  return type;
}

void check_class_pair(const TrafficClassSpec& a, const TrafficClassSpec& b, const Check& check) {
  if (a.name == b.name)
    check.fail({&b.name}, fmt::format("there are two classes called '{}'; rename one", b.name));
  const bool share = first_vc(a) < end_vc(b) && first_vc(b) < end_vc(a);
  if (share && a.priority != b.priority)
    check.fail({&b.priority},
               fmt::format("the class '{}' shares virtual channel {} with '{}' and must have its "
                           "priority {}, not {}; or give it a channel of its own",
                           b.name, std::max(first_vc(a), first_vc(b)), a.name, a.priority, b.priority));
}

void check_classes(const FabricSpec& fabric, const Check& check) {
  for (const TrafficClassSpec& row : fabric.classes) {
    if (end_vc(row) > fabric.virtual_channels)
      check.fail({&row.vc, &fabric.virtual_channels},
                 fmt::format("the class '{}' uses virtual channel {}, but {} is {}, so the last one is {}",
                             row.name, end_vc(row) - 1, check.path(&fabric.virtual_channels),
                             fabric.virtual_channels, fabric.virtual_channels - 1));
    for (const TrafficClassSpec* before = fabric.classes.data(); before != &row; ++before)
      check_class_pair(*before, row, check);
  }
}

/// Two modules that answer each other within no time would make the result depend on who is evaluated first.
void check_hop_time(const FabricSpec& fabric, const Check& check) {
  if (fabric.wiring == Wiring::dimensional || fabric.wiring == Wiring::graph) return;  // each has its own
  if (fabric.wiring == Wiring::fred) {
    if (fabric.link_latency_ps == 0)
      check.fail({&fabric.link_latency_ps}, "a hop takes no time; expected at least 1 ps");
    return;
  }
  if (fabric.link_latency_ps + fabric.router_pipeline_ps == 0)
    check.fail({&fabric.link_latency_ps, &fabric.router_pipeline_ps},
               fmt::format("a hop takes no time; {} and {} must add up to at least 1 ps",
                           check.path(&fabric.link_latency_ps), check.path(&fabric.router_pipeline_ps)));
}

void check_fred(const FabricSpec& fabric, const Check& check) {
  if (fabric.wiring != Wiring::fred) return;
  const FredSpec& fred = fabric.fred;
  constexpr std::uint32_t kMostNpus = 65'536;
  if (std::uint64_t{fred.l1_switches} * fred.npus_per_l1 > kMostNpus)
    check.fail({&fred.npus_per_l1},
               fmt::format("{} x {} are more than {} NPUs", fred.l1_switches, fred.npus_per_l1, kMostNpus));
  if (fred.l1_switches % fred.l2_switches != 0)
    check.fail({&fred.l2_switches, &fred.l1_switches},
               fmt::format("{} L1 switches cannot be shared evenly by {} L2 switches", fred.l1_switches,
                           fred.l2_switches));
  if (fred.l2_switches > 1 && !fred.l2_uplink_bytes_per_s)
    check.fail({&fred.l2_switches}, fmt::format("{} L2 switches need an uplink: give '{}'", fred.l2_switches,
                                                check.path(&fred.l2_uplink_bytes_per_s)));
  if (fred.l2_switches == 1 && fred.l2_uplink_bytes_per_s)
    check.fail({&fred.l2_uplink_bytes_per_s}, "a single L2 switch has no uplink; leave it out");
  if (!fred.in_network) {  // the resolved file has the defaults
    const FredSpec usual;
    const auto unused = [&](auto member) {
      if (fred.*member != usual.*member)
        check.fail({&(fred.*member)},
                   fmt::format("is of in-network flows and has no effect without '{}: true'; remove it",
                               check.path(&fred.in_network)));
    };
    unused(&FredSpec::flows_per_buffer);
    unused(&FredSpec::flow_packets);
    unused(&FredSpec::flow_conflict);
    unused(&FredSpec::flow_reservation);
    unused(&FredSpec::phase_rule);
    unused(&FredSpec::phase_change_ps);
    unused(&FredSpec::middle_switches);
    unused(&FredSpec::route_search);
    return;
  }
  constexpr std::uint32_t kMostChannels = kMaxVcs / 2;
  if (fabric.virtual_channels > kMostChannels)
    check.fail({&fabric.virtual_channels},
               fmt::format("{} channels; with in-network flows, which have as many of their own, at most {}",
                           fabric.virtual_channels, kMostChannels));
}

/// Go-Back-N: what a packet's answers need.
void check_reliability(const FabricSpec& fabric, const Check& check) {
  const ReliabilitySpec& reliability = fabric.reliability;
  if (!fabric.is_reliable()) {
    const ReliabilitySpec usual;
    const auto unused = [&](auto member) {
      if (reliability.*member != usual.*member)
        check.fail({&(reliability.*member)},
                   fmt::format("has no effect while {} is 0 and {} is not go_back_n; remove it",
                               check.path(&fabric.bit_error_rate), check.path(&reliability.protocol)));
    };
    unused(&ReliabilitySpec::ack_every);
    unused(&ReliabilitySpec::window);
    unused(&ReliabilitySpec::timeout_ps);
    unused(&ReliabilitySpec::control_packet_bytes);
    unused(&ReliabilitySpec::channel);
    return;
  }
  const void* const cause = fabric.bit_error_rate > 0 ? static_cast<const void*>(&fabric.bit_error_rate)
                                                      : static_cast<const void*>(&reliability.protocol);
  if (fabric.switching == Switching::wormhole)
    check.fail({cause}, "Go-Back-N repeats packets, which wormhole switching does not have in one piece");
  if (reliability.window < 2 * reliability.ack_every)
    check.fail(
        {&reliability.window, &reliability.ack_every, cause},
        fmt::format("a window of {} packets holds less than two groups of {} that are acknowledged together",
                    reliability.window, reliability.ack_every));
  bool has_control = false;
  for (const TrafficClassSpec& row : fabric.classes) {
    has_control = has_control || row.name == kControlClass;
    if (row.vcs > 1)
      check.fail(
          {&row.vcs, cause},
          fmt::format("Go-Back-N needs packets in order, and those of class '{}' may overtake each other "
                      "on {} channels",
                      row.name, row.vcs));
  }
  if (!has_control)
    check.fail({cause}, fmt::format("acknowledgements need a class called '{}'", kControlClass));
  const std::uint32_t channels =
      fabric.virtual_channels + (reliability.channel == AnswerChannel::own ? 1 : 0);
  const std::uint32_t most = fabric.fred.in_network ? kMaxVcs / 2 : kMaxVcs;
  if (channels > most)
    check.fail({&fabric.virtual_channels, cause},
               fmt::format("{} channels; with one for acknowledgements at most {}", fabric.virtual_channels,
                           most - 1));
}

void check_switching(const FabricSpec& fabric, const Check& check) {
  if (fabric.switching != Switching::wormhole) return;
  if (fabric.flit_bytes <= fabric.header_bytes)
    check.fail({&fabric.switching, &fabric.flit_bytes},
               fmt::format("wormhole switching needs {} larger than {}, which the first flit holds",
                           check.path(&fabric.flit_bytes), check.path(&fabric.header_bytes)));
}

void check_buffer(const FabricSpec& fabric, const Check& check) {
  if (!fabric.input_buffer_bytes) return;
  const auto size = [](std::uint64_t bytes) { return format_whole(size_dimension(), bytes); };
  if (fabric.switching == Switching::wormhole) {
    if (*fabric.input_buffer_bytes < fabric.flit_bytes)
      check.fail({&fabric.input_buffer_bytes},
                 fmt::format("{} does not hold a flit of {}", size(*fabric.input_buffer_bytes),
                             size(fabric.flit_bytes)));
    return;
  }
  if (2 * fabric.wire_packet_bytes() <= *fabric.input_buffer_bytes) return;
  check.fail({&fabric.input_buffer_bytes},
             fmt::format("{} holds less than two packets of {} on the wire; expected at least {}, or 'auto'",
                         size(*fabric.input_buffer_bytes), size(fabric.wire_packet_bytes()),
                         size(2 * fabric.wire_packet_bytes())));
}

void check_npu(const WaferSpec& wafer, const NpuId& npu, const std::vector<const void*>& culprits,
               const Check& check) {
  if (index_of(npu) >= wafer.npu_count())
    check.fail(culprits, fmt::format("there is no NPU {}; the {}x{} wafer has NPUs 0 to {}", index_of(npu),
                                     wafer.width, wafer.height, wafer.npu_count() - 1));
}

}  // namespace

std::vector<TrafficClassSpec> default_traffic_classes() {
  return {{"mp", VcId{0}, 3, 1},     {"ep", VcId{0}, 3, 1},     {"pp", VcId{1}, 2, 1},
          {"dp", VcId{2}, 1, 1},     {"input", VcId{3}, 0, 1},  {"weights", VcId{3}, 0, 1},
          {"memory", VcId{3}, 0, 1}, {"control", VcId{3}, 0, 1}};
}

std::uint64_t FabricSpec::wire_packet_bytes() const {
  const std::uint64_t bytes = packet_bytes + header_bytes;
  return flit_bytes == 0 ? bytes : (bytes + flit_bytes - 1) / flit_bytes * flit_bytes;
}

bool WaferSpec::are_neighbours(NpuId a, NpuId b) const {
  const auto distance = [](std::size_t p, std::size_t q) { return p > q ? p - q : q - p; };
  return distance(index_of(a) % width, index_of(b) % width) +
             distance(index_of(a) / width, index_of(b) / width) ==
         1;
}

namespace {

std::shared_ptr<const Struct<ReliabilitySpec>> reliability_type() {
  auto type = std::make_shared<Struct<ReliabilitySpec>>("reliability");
  const auto count = integer<std::uint32_t>(1, 1'000'000);
  type->optional("protocol", &ReliabilitySpec::protocol,
                 choice<ReliabilityProtocol>({{"auto", ReliabilityProtocol::automatic},
                                              {"go_back_n", ReliabilityProtocol::go_back_n}}),
                 "auto: Go-Back-N if there are bit errors, else nothing is acknowledged")
      .optional("ack_every", &ReliabilitySpec::ack_every, count,
                "Data packets of a message that one acknowledgement covers; its last packet has one, too")
      .optional("window", &ReliabilitySpec::window, count,
                "Packets of a message that may be on their way without an acknowledgement")
      .optional("timeout", &ReliabilitySpec::timeout_ps, whole_quantity(time_dimension(), "1 ns", "1 s"),
                "A sender that hears nothing for so long goes back; doubled each time in a row")
      .optional("control_packet_bytes", &ReliabilitySpec::control_packet_bytes,
                whole_quantity(size_dimension(), "1 B", "64 KiB"), "An ACK or NACK on the wire")
      .optional("channel", &ReliabilitySpec::channel,
                choice<AnswerChannel>({{"own", AnswerChannel::own}, {"class", AnswerChannel::of_class}}),
                "Of the class control: own: a virtual channel more, above all others; class: what the class "
                "table says");
  return type;
}

}  // namespace

std::shared_ptr<const Struct<FabricSpec>> fabric_type() {
  const auto bandwidth = whole_quantity(bandwidth_dimension(), "1 B/s", "9 PB/s");
  const auto latency = whole_quantity(time_dimension(), "0 ps", "1 s");
  const auto npu = integer<NpuId>(0, 65'535);
  auto type = std::make_shared<Struct<FabricSpec>>("fabric");
  const auto count = integer<std::uint32_t>(1, 65'536);
  const auto fred = [](auto member) {
    return [member](auto& spec) -> auto& { return spec.fred.*member; };
  };
  type->optional(
          "kind", &FabricSpec::wiring,
          choice<Wiring>({{kMesh, Wiring::mesh},
                          {kFred, Wiring::fred},
                          {kDimensional, Wiring::dimensional},
                          {kGraph, Wiring::graph}}),
          "mesh: a grid of routers; fred: a tree of FRED switches; dimensional: rings, switches and others, "
          "one in each dimension; graph: a list of links")
      .optional("link_latency", &FabricSpec::link_latency_ps, latency, "Time on the wire of one hop")
      .optional("credit_delay", &FabricSpec::credit_delay_ps, latency,
                "Until the sender knows that room in the buffer is free again")
      .optional("packet_bytes", &FabricSpec::packet_bytes, whole_quantity(size_dimension(), "1 B", "4 GB"),
                "Payload of a full packet")
      .optional("header_bytes", &FabricSpec::header_bytes, whole_quantity(size_dimension(), "0 B", "64 KiB"),
                "Added to every packet on the wire")
      .optional("flit_bytes", &FabricSpec::flit_bytes, whole_quantity(size_dimension(), "0 B", "64 KiB"),
                "Packets are rounded up to whole flits on the wire; 0 B: they are not")
      .optional("virtual_channels", &FabricSpec::virtual_channels, integer<std::uint32_t>(1, 16),
                "Virtual channels of every port")
      .optional("input_queue", &FabricSpec::input_queue,
                choice<InputQueue>({{"fifo", InputQueue::fifo}, {"per_output", InputQueue::per_output}}),
                "One queue per virtual channel, or one for each output so that packets do not wait for "
                "others' outputs")
      .optional("input_buffer", &FabricSpec::input_buffer_bytes,
                auto_or(whole_quantity(size_dimension(), "1 B", "1 TB")),
                "Room per virtual channel at every input; auto: the round trip and two packets")
      .optional("energy_per_bit", &FabricSpec::energy_per_bit_j,
                real_quantity(energy_per_bit_dimension(), "0 J/bit", "1 uJ/bit"),
                "For every link that a bit crosses")
      .optional("classes", &FabricSpec::classes, list_of<TrafficClassSpec>(traffic_class_type(), 1, 8),
                "Traffic classes; those that share a virtual channel have one priority")
      .optional("bit_error_rate", &FabricSpec::bit_error_rate, fraction(1e-5),
                "Probability that a bit is wrong after a link; wrong packets are repeated")
      .optional("reliability", &FabricSpec::reliability, reliability_type(), "How bit errors are repaired")
      .optional("rtl", &FabricSpec::rtl, list_of<RtlSpec>(rtl_type(), 0, 64),
                "Switches whose RTL runs beside them, or in their place; the first entry that names a switch "
                "holds");
  type->alternative(&FabricSpec::wiring, Wiring::mesh, "kind", kMesh)
      .required("link_bandwidth", &FabricSpec::link_bandwidth_bytes_per_s, bandwidth,
                "Bandwidth of a link between two routers, per direction")
      .optional("router_pipeline", &FabricSpec::router_pipeline_ps, latency,
                "Time from the input of a router to its output, without waiting")
      .optional("injection_bandwidth", &FabricSpec::injection_bandwidth_bytes_per_s, bandwidth,
                "From an NPU to its router")
      .optional("injection_latency", &FabricSpec::injection_latency_ps, latency, "From an NPU to its router")
      .optional("ejection_bandwidth", &FabricSpec::ejection_bandwidth_bytes_per_s, bandwidth,
                "From a router to its NPU")
      .optional("ejection_latency", &FabricSpec::ejection_latency_ps, latency, "From a router to its NPU")
      .optional(
          "switching", &FabricSpec::switching,
          choice<Switching>({{"cut_through", Switching::cut_through}, {"wormhole", Switching::wormhole}}),
          "Packets in one piece, or flit by flit with a channel per packet and hop as in a "
          "network-on-chip router (needs flit_bytes)")
      .optional("failed_links", &FabricSpec::failed_links, list_of(pair_of(npu), 0, 131'072),
                "Links that do not work in either direction, as pairs of neighbouring NPUs")
      .optional("failed_routers", &FabricSpec::failed_routers, list_of(npu, 0, 65'536),
                "NPUs whose router does not work");
  type->alternative(&FabricSpec::wiring, Wiring::fred, "kind", kFred)
      .required("l1_switches", fred(&FredSpec::l1_switches), count, "Switches that NPUs hang on")
      .required("npus_per_l1", fred(&FredSpec::npus_per_l1), count, "NPUs on each L1 switch")
      .required("l1_uplink", fred(&FredSpec::l1_uplink_bytes_per_s), bandwidth,
                "From an L1 switch to its L2 switch, per direction")
      .optional("npu_bandwidth", fred(&FredSpec::npu_bandwidth_bytes_per_s), bandwidth,
                "Between an NPU and its L1 switch, per direction")
      .optional("l2_switches", fred(&FredSpec::l2_switches), count,
                "Switches above the L1 switches; more than one have an L3 switch above them")
      .optional("l2_uplink", fred(&FredSpec::l2_uplink_bytes_per_s), maybe<std::uint64_t>(bandwidth),
                "From an L2 switch to the L3 switch, per direction; with more than one L2 switch")
      .optional("stage_latency", fred(&FredSpec::stage_latency_ps), latency,
                "Of one µswitch; a packet passes one per stage of the switch")
      .optional("in_network", fred(&FredSpec::in_network), boolean(),
                "The switches reduce and distribute: collectives can be in-network flows")
      .optional("flows_per_buffer", fred(&FredSpec::flows_per_buffer), integer<std::uint32_t>(1, 4096),
                "In-network flows that have room at the same time in an input buffer, per virtual channel")
      .optional(
          "flow_packets", fred(&FredSpec::flow_packets), auto_or(integer<std::uint64_t>(2, 65'536)),
          "Packets for which an in-network flow reserves room in every buffer of its path; auto: enough "
          "for line rate")
      .optional(
          "flow_conflict", fred(&FredSpec::flow_conflict),
          choice<FlowConflictPolicy>({{"block", FlowConflictPolicy::block},
                                      {"decompose", FlowConflictPolicy::decompose},
                                      {"refuse", FlowConflictPolicy::refuse}}),
          "What becomes of an in-network flow that the switches cannot carry beside the active ones: it "
          "waits at its sources, its collective is done in steps of its endpoints, or the run ends with "
          "an error")
      .optional("flow_reservation", fred(&FredSpec::flow_reservation), boolean(),
                "false, for tests only: in-network flows share the buffers and may block each other for ever")
      .optional("phase_rule", fred(&FredSpec::phase_rule), boolean(),
                "A switch changes to flows of a higher priority only when all of their ports have a packet")
      .optional("phase_change", fred(&FredSpec::phase_change_ps), latency,
                "Time that a switch takes to change between flows of different priority")
      .optional("middle_switches", fred(&FredSpec::middle_switches), integer<std::uint32_t>(1, 31),
                "m of the interconnect FRED_m(P) in a switch")
      .optional("route_search", fred(&FredSpec::route_search),
                choice<RouteSearch>({{"first_colouring", RouteSearch::first_colouring},
                                     {"backtracking", RouteSearch::backtracking}}),
                "How a switch searches the middle switches of its flows: the first colouring of their "
                "conflicts at each level, or all of them")
      .optional("view", fred(&FredSpec::view),
                choice<FredView>({{"logical", FredView::logical}, {"physical", FredView::physical}}),
                "logical: each switch is one; physical: the chips it is made of")
      .optional("port_bandwidth", fred(&FredSpec::port_bandwidth_bytes_per_s), bandwidth,
                "Of a port of a chip, per direction; with the physical view")
      .optional("l2_chip_links", fred(&FredSpec::l2_chip_links), count,
                "Links between an L1 chip and each L2 chip above it; with the physical view")
      .optional("dead", fred(&FredSpec::dead), dead_chips_type(),
                "Chips that do not work; with the physical view");
  type->alternative(&FabricSpec::wiring, Wiring::dimensional, "kind", kDimensional);
  add_dimensional_keys(*type);
  type->alternative(&FabricSpec::wiring, Wiring::graph, "kind", kGraph)
      .required("file", &FabricSpec::graph, std::make_shared<const FileOr<GraphSpec>>(graph_type()),
                "The graph: the name of a file, or its keys");
  type->check(check_hop_time)
      .check(check_dimensional)
      .check(check_graph_fabric)
      .check(check_fred)
      .check(check_fred_chips)
      .check(check_classes)
      .check(check_switching)
      .check(check_reliability)
      .check(check_rtl)
      .check(check_buffer);
  return type;
}

void check_wafer(const WaferSpec& wafer, const Check& check) {
  if (wafer.fabric.wiring != Wiring::mesh) {
    for (const void* key : {static_cast<const void*>(&wafer.topology), static_cast<const void*>(&wafer.width),
                            static_cast<const void*>(&wafer.height)})
      if (check.is_written(key))
        check.fail({key}, fmt::format("goes with '{}: mesh' and has no effect beside '{}'; remove it",
                                      check.path(&wafer.fabric.wiring),
                                      wafer.fabric.wiring == Wiring::fred          ? kFred
                                      : wafer.fabric.wiring == Wiring::dimensional ? kDimensional
                                                                                   : kGraph));
    return;
  }
  if (wafer.width == 0) check.fail({&wafer.width}, "missing required key 'width' in wafer: NPUs in a row");
  if (wafer.height == 0)
    check.fail({&wafer.height}, "missing required key 'height' in wafer: NPUs in a column");
  const FabricSpec& fabric = wafer.fabric;
  std::set<std::pair<NpuId, NpuId>> links;
  for (const auto& link : fabric.failed_links) {
    check_npu(wafer, link.first, {&link}, check);
    check_npu(wafer, link.second, {&link}, check);
    const auto [a, b] = std::minmax(link.first, link.second);
    const std::string name = fmt::format("[{}, {}]", index_of(link.first), index_of(link.second));
    if (!wafer.are_neighbours(a, b))
      check.fail({&link}, fmt::format("{} is no link: these NPUs are not neighbours on the {}x{} mesh", name,
                                      wafer.width, wafer.height));
    if (!links.insert({a, b}).second) check.fail({&link}, fmt::format("the link {} is listed twice", name));
  }
  std::set<NpuId> routers;
  for (const NpuId& router : fabric.failed_routers) {
    check_npu(wafer, router, {&router}, check);
    if (!routers.insert(router).second)
      check.fail({&router}, fmt::format("the router {} is listed twice", index_of(router)));
  }
}

}  // namespace wafertlm::config
