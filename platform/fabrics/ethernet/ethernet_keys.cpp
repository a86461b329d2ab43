// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/ethernet/engine/ethernet_engine.h"
#include "models/nic/congestion/presets.h"
#include "models/nic/congestion/tuning.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/fabrics/ethernet/ethernet_kind.h"

namespace wafertlm {
namespace config {
namespace {

using ethernet::EcnParams;
using ethernet::EcnPoint;
using ethernet::EthernetParams;
using ethernet::EthernetSwitchParams;
using ethernet::LoadBalance;
using ethernet::Loss;
using ethernet::NicParams;
using ethernet::Threshold;
using ethernet::WindowLimit;

/// What says how many NPUs, switches and cables there are.
std::vector<const void*> sizes_of(const EthernetShape& of) {
  return {&of.npus,   &of.leaves,          &of.servers,     &of.switch_ports,  &of.groups,
          &of.row,    &of.rails,           &of.routers,     &of.global_cables, &of.oversubscription,
          &of.spines, &of.npus_per_switch, &of.server_npus, &of.ranks};
}

std::vector<const void*> and_then(std::vector<const void*> first, const std::vector<const void*>& others) {
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

std::shared_ptr<const Struct<EthernetShape>> network_type() {
  using S = EthernetShape;
  using T = S::Topology;
  // Where a key is not of the topology, its value is 0.
  const auto count = [](std::uint64_t least) {
    return or_none<std::uint32_t>(integer<std::uint32_t>(least, 65'536), 0);
  };
  auto type = std::make_shared<Struct<S>>("ethernet_network");
  type->required(
          "topology", &S::topology,
          one_of<T>({"star", "leaf_spine", "fat_tree", "rails", "dragonfly", "bigraph", "ns3"}),
          "star: one switch; leaf_spine: two tiers, a cable from every leaf to every spine; fat_tree: "
          "three tiers; rails: NIC r of each server on leaf r, NPU n · rails + r is NIC r of server n; "
          "dragonfly: groups of routers, a cable between any two groups; bigraph: two rows of switches "
          "with NPUs, a cable from each upper one to each lower one (EFLOPS); ns3: as a file says")
      .required("npus", &S::npus, count(2), "On the switch")
      .when(&S::topology, T::star)
      .required("leaves", &S::leaves, count(1), "Switches with NPUs")
      .when(&S::topology, T::leaf_spine)
      .required("servers", &S::servers, count(1), "Of as many NPUs as there are rails")
      .when(&S::topology, T::rails)
      .required("rails", &S::rails, count(1), "Leaves, and NPUs of a server")
      .when(&S::topology, T::rails)
      .optional("spines", &S::spines, count(0), "Switches that join the leaves; 0: the rails are apart")
      .when(&S::topology, T::leaf_spine, T::rails)
      .required("switch_ports", &S::switch_ports, count(2), "Of a switch without oversubscription; even")
      .when(&S::topology, T::fat_tree)
      .optional("oversubscription", &S::oversubscription, integer<std::uint32_t>(1, 64),
                "NPUs of an edge switch for each cable up")
      .when(&S::topology, T::fat_tree)
      .required("groups", &S::groups, count(1), "Of routers")
      .when(&S::topology, T::dragonfly)
      .required("routers", &S::routers, count(1), "Of a group, each joined to all others")
      .when(&S::topology, T::dragonfly)
      .required("global_cables", &S::global_cables, count(1), "Of a router, to other groups")
      .when(&S::topology, T::dragonfly)
      .required("row", &S::row, count(1), "Switches in each of the two rows")
      .when(&S::topology, T::bigraph)
      .required("npus_per_switch", &S::npus_per_switch, count(1), "On each leaf, router, or switch of a row")
      .when(&S::topology, T::leaf_spine, T::dragonfly, T::bigraph)
      .optional("ranks", &S::ranks, one_of<S::Ranks>({"blocked", "hdrm"}),
                "blocked: NPUs in the order of the switches; hdrm: EFLOPS' mapping, by which messages of "
                "halving and doubling have every cable to themselves")
      .when(&S::topology, T::bigraph)
      .required("file", &S::file, or_none<std::string>(file_path("a topology of ns-3"), ""),
                "As the ns-3 models of HPCC's authors and of ASTRA-sim have it; NPUs are its hosts in their "
                "order")
      .when(&S::topology, T::ns3)
      .optional("dimensions", &S::dimensions,
                or_none<std::vector<std::uint32_t>>(
                    list_of<std::uint32_t>(integer<std::uint32_t>(1, 65'536), 1, 16), {}),
                "Sizes of logical dimensions of the NPUs' numbers, the first fastest, by which collectives "
                "may go (collectives.dimensions)")
      .optional(
          "server_npus", &S::server_npus, count(1),
          "NPUs of a server, n · server_npus and those behind, are also joined by a switch of their own "
          "(NVLink), which their messages take")
      .optional("server_bandwidth", &S::server_bytes_per_s, any_bandwidth(),
                "Of an NPU's cable to that switch, each direction")
      .when_given(&S::server_npus)
      .optional("server_latency", &S::server_latency_ps, any_time("1 ps"), "Of that cable")
      .when_given(&S::server_npus)
      .optional("server_header", &S::server_header_bytes, held_as<std::uint32_t>(any_size("1 B", "1 MB")),
                "Headers of a packet there, whose payload is packet_bytes: NVLink has a flit for every 16")
      .when_given(&S::server_npus)
      .optional("nic_bandwidth", &S::bytes_per_s, any_bandwidth(), "Of an NPU's cable, each direction")
      .when(&S::topology, T::star, T::leaf_spine, T::fat_tree, T::rails, T::dragonfly, T::bigraph)
      .optional("switch_bandwidth", &S::switch_bytes_per_s, or_none<std::uint64_t>(any_bandwidth(), 0),
                "Of a cable between switches, each direction; without it that of a NIC")
      .when(&S::topology, T::star, T::leaf_spine, T::fat_tree, T::rails, T::dragonfly, T::bigraph)
      .check([](const S& shape, const Check& check) {
        const auto fail = [&](const char* what) { check.fail(sizes_of(shape), what); };
        const bool has_file = shape.topology == T::ns3;
        const auto build = [&] {
          try {
            ethernet_places(shape, 1);
          } catch (const std::invalid_argument& error) {
            if (has_file) check.fail({&shape.file}, "{}", error.what());
            fail(error.what());
          }
        };
        if (has_file) build();
        if (ethernet_hosts(shape) < 2) fail("an Ethernet needs two NPUs or more");
        if (ethernet_hosts(shape) > 65'536) fail("more than 65536 NPUs");
        if (!has_file) build();
        std::uint64_t product = 1;
        for (const std::uint32_t size : shape.dimensions)
          product = std::min<std::uint64_t>(product * size, 1U << 20);
        if (!shape.dimensions.empty() && product != ethernet_hosts(shape))
          check.fail(and_then({&shape.dimensions}, sizes_of(shape)), "multiply to {}, but there are {} NPUs",
                     product, ethernet_hosts(shape));
      });
  return type;
}

TypePtr<int> alpha_type() {
  return choice<int>({{"1/128", -7},
                      {"1/64", -6},
                      {"1/32", -5},
                      {"1/16", -4},
                      {"1/8", -3},
                      {"1/4", -2},
                      {"1/2", -1},
                      {"1", 0},
                      {"2", 1},
                      {"4", 2},
                      {"8", 3}});
}

std::shared_ptr<const Struct<EthernetSwitchKeys>> switch_type() {
  using S = EthernetSwitchKeys;
  const auto of = [](auto member) { return at(&S::params, member); };
  const auto threshold = [](auto member) {
    return at(at(&S::params, &EthernetSwitchParams::threshold), member);
  };
  const auto ecn = [](auto member) { return at(at(&S::params, &EthernetSwitchParams::ecn), member); };
  constexpr std::uint64_t kNever64 = ~std::uint64_t{0};
  const auto loss = of(&EthernetSwitchParams::loss);
  const auto size = [](const char* least) { return any_size(least, "1 TB"); };
  auto type = std::make_shared<Struct<S>>("ethernet_switches");
  type->optional("loss", loss, one_of<Loss>({"pfc", "drop", "trim"}),
                 "What happens to a packet without room: pfc: pauses, so that there always is room; drop: it "
                 "is lost; trim: its headers go on")
      .optional("buffer", of(&EthernetSwitchParams::buffer_bytes), size("1 kB"),
                "Of a switch, all ports together")
      .optional("reserved", of(&EthernetSwitchParams::reserved_bytes), size("0 B"), "Of it, for each port")
      .optional("threshold", threshold(&Threshold::dynamic),
                choice<bool>({{"dynamic", true}, {"fixed", false}}),
                "When a port has too much: a share alpha of what is free, or xoff")
      .optional("alpha", &S::alpha_log2, alpha_type(), "Of what is free in the shared buffer")
      .when(threshold(&Threshold::dynamic), true)
      .required("xoff", threshold(&Threshold::xoff_bytes), or_none<std::uint64_t>(size("1 B"), 0),
                "Of a port")
      .when(threshold(&Threshold::dynamic), false)
      .optional("xon", threshold(&Threshold::xon_bytes), size("0 B"),
                "A paused port may go on: so much below its threshold if that is dynamic, else at so much")
      .when(loss, Loss::pause)
      .optional("headroom", of(&EthernetSwitchParams::headroom_bytes), auto_or<std::uint64_t>(size("1 B"), 0),
                "Of each port, for what comes until a pause has its effect; auto: what the formula says; "
                "less is refused")
      .when(loss, Loss::pause)
      .optional("response_time", of(&EthernetSwitchParams::response_ps), auto_or(any_time()),
                "Until who is paused stops; auto: what the standard allows at its speed")
      .when(loss, Loss::pause)
      .optional("pause_quanta", of(&EthernetSwitchParams::pause_quanta), integer<std::uint32_t>(2, 65'535),
                "Of a pause frame, 512 bits each")
      .when(loss, Loss::pause)
      .optional("queue_limit", of(&EthernetSwitchParams::queue_limit_bytes),
                or_none<std::uint64_t>(size("1 B"), 0), "Of an output; without it only the buffer limits")
      .when(loss, Loss::drop, Loss::trim)
      .optional("ecn_kmin", ecn(&EcnParams::kmin_bytes), or_none<std::uint64_t>(size("0 B"), kNever64),
                "An output's queue from which on packets are marked, by chance; without it none is")
      .optional("ecn_kmax", ecn(&EcnParams::kmax_bytes), or_none<std::uint64_t>(size("0 B"), kNever64),
                "… and from which on all are")
      .when_given(ecn(&EcnParams::kmin_bytes))
      .optional("ecn_pmax", ecn(&EcnParams::pmax), fraction(1),
                "Part of packets that is marked just below ecn_kmax")
      .when_given(ecn(&EcnParams::kmin_bytes))
      .optional(
          "ecn_at", of(&EthernetSwitchParams::ecn_point), one_of<EcnPoint>({"joining", "leaving"}),
          "When a packet is marked: joining: by the queue with it, as DCQCN's paper has it; leaving: by "
          "what it leaves behind, as ns-3 and htsim have it")
      .when_given(ecn(&EcnParams::kmin_bytes))
      .optional("pipeline", of(&EthernetSwitchParams::pipeline_ps), any_time(),
                "From input to output, without waiting")
      .optional("forwarding", of(&EthernetSwitchParams::cut_through),
                choice<bool>({{"store_and_forward", false}, {"cut_through", true}}),
                "cut_through: a head goes on before its tail is there, where the output is no faster")
      .optional(
          "load_balancing", of(&EthernetSwitchParams::balance),
          one_of<LoadBalance>({"ecmp", "flowlet", "spray", "in_turn", "adaptive"}),
          "Among equal ways: ecmp: a queue pair keeps one; flowlet: until it pauses; spray: a packet takes "
          "any; in_turn: a queue pair's packets take all in turn; adaptive: the shortest queue")
      .optional("flowlet_gap", of(&EthernetSwitchParams::flowlet_gap_ps), any_time("1 ns"),
                "Pause after which a queue pair may take another way")
      .when(of(&EthernetSwitchParams::balance), LoadBalance::flowlet)
      .check([](const S& keys, const Check& check) {
        const EcnParams& marks = keys.params.ecn;
        if (marks.kmin_bytes == kNever64) return;
        if (marks.kmax_bytes == kNever64) check.fail({&marks.kmin_bytes}, "ecn_kmin needs ecn_kmax");
        if (marks.kmax_bytes < marks.kmin_bytes)
          check.fail({&marks.kmax_bytes, &marks.kmin_bytes}, "ecn_kmax lies below ecn_kmin");
      });
  return type;
}

TypePtr<double> or_presets(double most) { return or_none(number(0, most), nic::Tuning::kPresets); }

/// Without a value the preset's holds.
std::shared_ptr<const Struct<nic::Tuning>> tuning_type() {
  using T = nic::Tuning;
  const auto time = [] { return auto_or(any_time()); };
  const auto timer = [] { return auto_or(any_time("1 ns")); };
  const auto rate = [] { return auto_or(any_bandwidth()); };
  auto type = std::make_shared<Struct<T>>("congestion_control_parameters");
  type->optional(
          "cnp_interval", &T::cnp_interval_ps, time(),
          "DCQCN: the receiver sends a CNP per queue pair and interval at most; 0: with every marked ACK")
      .optional("alpha_timer", &T::alpha_timer_ps, timer(), "DCQCN: alpha decays after so long without a CNP")
      .optional("decrease_interval", &T::decrease_interval_ps, time(),
                "DCQCN: the rate falls once per interval; 0: with each CNP")
      .optional("increase_timer", &T::increase_timer_ps, timer(), "DCQCN: T, of a stage of increase")
      .optional("byte_counter", &T::byte_counter, auto_or(any_size("0 B", "1 TB")),
                "DCQCN: B, of a stage of increase; 0: none")
      .optional("fast_recovery", &T::fast_recovery, auto_or(integer<std::uint64_t>(0, 1000)),
                "DCQCN: F, stages that go half way back to the target")
      .optional("additive_increase", &T::additive_bytes_per_s, rate(),
                "DCQCN: R_AI; TIMELY: delta, with each completion")
      .optional("hyper_increase", &T::hyper_bytes_per_s, rate(), "DCQCN: R_HAI")
      .optional("least_rate", &T::least_bytes_per_s, rate(), "DCQCN, TIMELY: no rate is less")
      .optional("low_rtt", &T::low_ps, timer(), "TIMELY: below it the rate grows")
      .optional("high_rtt", &T::high_ps, timer(), "TIMELY: above it the rate falls")
      .optional("target", &T::target_ps, timer(), "Swift: base of the round trip aimed at")
      .optional("g", &T::g, or_presets(1), "DCQCN, DCTCP: weight of a new observation in alpha")
      .optional("beta", &T::beta, or_presets(1), "TIMELY, Swift, NSCC: of the multiplicative decrease")
      .optional("eta", &T::eta, or_presets(1), "HPCC: utilisation aimed at")
      .optional("gamma", &T::gamma, or_presets(1), "PowerTCP: weight of a new window");
  return type;
}

std::shared_ptr<const Struct<EthernetNicKeys>> nic_type() {
  using S = EthernetNicKeys;
  const auto nics = [](auto member) { return at(&S::params, member); };
  const auto transport = [&](auto member) { return at(nics(&NicParams::transport), member); };
  std::vector<std::string> names;
  std::string meanings;
  for (const nic::SchemePreset& each : nic::scheme_presets()) {
    names.push_back(each.name);
    meanings += fmt::format("{}{}: {}", meanings.empty() ? "" : "; ", each.name, each.source);
  }
  const auto repair = transport(&nic::TransportParams::repair);
  auto type = std::make_shared<Struct<S>>("ethernet_nics");
  type->optional("congestion_control", &S::congestion_control, one_of(names), meanings)
      .optional("parameters", &S::tuning, tuning_type(), "What is not as that preset has it")
      .optional(
          "rates_are_for", &S::rates_for_bytes_per_s, or_none<std::uint64_t>(any_bandwidth(), 0),
          "Line for which additive_increase, hyper_increase and least_rate are meant: they grow with the "
          "NIC's; without it they are as written")
      .optional("repair", repair, one_of<nic::Repair>({"go_back_n", "selective_repeat"}),
                "go_back_n: packets are taken in order; selective_repeat: in any")
      .optional("ack_every", transport(&nic::TransportParams::ack_every), integer<std::uint32_t>(1, 65'536),
                "Packets that an ACK covers; the last of a message always has one")
      .optional("reordering", transport(&nic::TransportParams::reordering), integer<std::uint32_t>(0, 65'536),
                "A packet is taken as lost when one so many behind it has come; 0: only time-outs and "
                "trimming tell")
      .when(repair, nic::Repair::selective_repeat)
      .optional("timeout", nics(&NicParams::timeout_ps), or_none<TimePs>(any_time("1 ns"), 0),
                "Without an answer for so long a sender starts again; required where packets can be lost")
      .optional(
          "window", nics(&NicParams::window), one_of<WindowLimit>({"none", "bdp", "bdp_of_rate"}),
          "Under way over a queue pair at most, beside what congestion control allows: bdp: the "
          "bandwidth-delay product of its way; bdp_of_rate: that of its rate (HAS_WIN and VAR_WIN of ns-3)")
      .optional(
          "connections", nics(&NicParams::connects_per_message),
          choice<bool>({{"lasting", false}, {"per_message", true}}),
          "lasting: two NPUs keep their queue pairs; per_message: each message has its own, with another "
          "hash and a congestion control that has seen nothing, as in ns-3")
      .optional(
          "completion", nics(&NicParams::completes_with_ack),
          choice<bool>({{"delivery", false}, {"last_ack", true}}),
          "A message is there when its last byte is (delivery), or when its sender has the last ACK, as "
          "in ns-3")
      .optional("queue_pairs", &S::queue_pairs, integer<std::uint32_t>(1, 64),
                "Between two NPUs, over which a message is divided; each takes its own way by ECMP");
  return type;
}

/// What all fabrics have and this one has no use for.
void check_common(const FabricSpec& fabric, const Check& check) {
  const auto unused = [&](const auto& of, auto member, const char* why) {
    check.require_default(of, {&fabric.kind},
                          fmt::format("has no effect on an Ethernet, {}; leave it out", why), member);
  };
  const FabricParams& of_all_kinds = fabric;
  unused(of_all_kinds, &FabricParams::credit_delay_ps, "which pauses or drops instead of giving credits");
  unused(of_all_kinds, &FabricParams::buffer_bytes, "whose buffers are those of switches.buffer");
  unused(of_all_kinds, &FabricParams::input_queue, "which has a queue per output");
  unused(fabric.format, &WireFormat::header_bytes, "whose headers follow from the standards");
  unused(fabric.format, &WireFormat::flit_bytes, "which has no flits");
  unused(fabric, &FabricSpec::virtual_channels, "which has one priority for data");
  const std::vector<TrafficClassSpec> rows = default_traffic_classes();
  const bool same =
      std::equal(rows.begin(), rows.end(), fabric.classes.begin(), fabric.classes.end(),
                 [](const TrafficClassSpec& a, const TrafficClassSpec& b) {
                   return a.name == b.name && a.vc == b.vc && a.priority == b.priority && a.vcs == b.vcs;
                 });
  if (!same)
    check.fail({&fabric.classes},
               "has no effect on an Ethernet, which has one priority for data; leave it out");
  if (fabric.is_reliable())
    check.fail({&fabric.bit_error_rate, &fabric.reliability.protocol},
               "bit errors are not modelled on an Ethernet; leave them out");
}

void check_control(const FabricSpec& fabric, const EthernetFabricParams& params, const Check& check) {
  const auto& keys = fabric.as<EthernetFabricParams>();
  const EthernetSwitchParams& switches = keys.switches.params;
  const nic::SchemeNeeds needs = nic::needs_of(params.engine.nics.scheme);
  std::vector<const void*> unused;
  nic::SchemeParams scheme = nic::tuned(params.engine.nics.scheme, keys.nics.tuning, unused);
  if (!unused.empty())
    check.fail({unused.front(), &keys.nics.congestion_control},
               "has no effect with congestion_control: {}, which has no such parameter; leave it out",
               keys.nics.congestion_control);
  if (keys.nics.rates_for_bytes_per_s != 0 && !nic::scale_rates_from(scheme, 1))
    check.fail({&keys.nics.rates_for_bytes_per_s, &keys.nics.congestion_control},
               "has no effect with congestion_control: {}, none of whose parameters is a rate; leave it out",
               keys.nics.congestion_control);
  const auto* const timely = std::get_if<nic::TimelyParams>(&scheme);
  if (timely != nullptr && timely->low_ps > timely->high_ps)
    check.fail({&keys.nics.tuning.low_ps, &keys.nics.tuning.high_ps}, "low_rtt is longer than high_rtt");
  const bool marks = switches.ecn.kmin_bytes != EcnParams().kmin_bytes;
  if ((needs.marks || needs.cnps) && !marks)
    check.fail({&keys.nics.congestion_control, &switches.ecn.kmin_bytes},
               "'{}' follows marks, and no switch gives any: add switches.ecn_kmin and ecn_kmax",
               keys.nics.congestion_control);
  if (!needs.marks && !needs.cnps && marks)
    check.fail({&switches.ecn.kmin_bytes, &keys.nics.congestion_control},
               "has no effect with congestion_control: {}, which does not look at marks; leave it out",
               keys.nics.congestion_control);
  if (switches.loss != Loss::pause && keys.nics.params.timeout_ps == 0)
    check.fail({&switches.loss, &keys.nics.params.timeout_ps},
               "packets can be lost, so senders need nics.timeout");
  if (switches.loss == Loss::pause && keys.nics.params.timeout_ps != 0)
    check.fail({&keys.nics.params.timeout_ps, &switches.loss},
               "has no effect with loss: pfc, where nothing is lost; leave it out");
  if (needs.windows && keys.nics.params.transport.ack_every != 1)
    check.fail(
        {&keys.nics.params.transport.ack_every, &keys.nics.congestion_control},
        "'{}' waits for ACKs when its window is full, which can be less than {} packets: leave it out, "
        "so that each packet is acknowledged",
        keys.nics.congestion_control, keys.nics.params.transport.ack_every);
  const bool reorders = switches.balance != LoadBalance::ecmp && switches.balance != LoadBalance::flowlet;
  if (reorders && needs.telemetry)
    check.fail(
        {&switches.balance, &keys.nics.congestion_control},
        "'{}' compares the counters of one way, and packets of a queue pair take several; take ecmp, or "
        "a congestion control without telemetry",
        keys.nics.congestion_control);
  if (reorders && keys.nics.params.transport.repair == nic::Repair::go_back_n)
    check.fail({&switches.balance, &keys.nics.params.transport.repair},
               "packets of a queue pair overtake each other, which go_back_n takes for losses: nics.repair: "
               "selective_repeat with reordering: 0");
}

}  // namespace
}  // namespace config

void EthernetKind::add_keys(config::Struct<config::FabricSpec>& fabric) const {
  using namespace config;
  using P = EthernetFabricParams;
  const auto format = [](auto member) {
    return at(at(parameter(&P::engine), &ethernet::EthernetParams::format), member);
  };
  const auto by_keys = [](const FabricSpec& of) { return of.as<P>().ns3_config.empty(); };
  const char* const no_file = "keys of one's own: 'ns3_config' says it";
  fabric.required("network", parameter(&P::shape), network_type(), "Switches, NPUs and cables")
      .optional("ns3_config", parameter(&P::ns3_config),
                or_none<std::string>(file_path("a configuration of ns-3"), ""),
                "A file that says what switches and NICs have, in place of keys: payload, marks, congestion "
                "control, as the ns-3 models of HPCC's authors and of ASTRA-sim have it")
      .optional("switches", parameter(&P::switches), switch_type(), "What all switches have")
      .when_true(parameter(&P::ns3_config), by_keys, no_file)
      .optional("nics", parameter(&P::nics), nic_type(), "What all NICs have")
      .when_true(parameter(&P::ns3_config), by_keys, no_file)
      .optional("vlan", format(&ethernet::FrameFormat::vlan), boolean(), "Frames have a VLAN tag")
      .when_true(parameter(&P::ns3_config), by_keys, no_file)
      .optional("ipv6", format(&ethernet::FrameFormat::ipv6), boolean(), "IPv6 in place of IPv4")
      .when_true(parameter(&P::ns3_config), by_keys, no_file)
      .optional("seed", at(parameter(&P::engine), &ethernet::EthernetParams::seed),
                integer<std::uint64_t>(0, 1'000'000'000), "Of hashes and of marks");
}

void EthernetKind::check(const config::FabricSpec& fabric, const config::Check& check) const {
  config::check_common(fabric, check);
  if (!fabric.as<EthernetFabricParams>().shape.is_regular() &&
      fabric.link_latency_ps != FabricParams().link_latency_ps)
    check.fail({&fabric.link_latency_ps, &fabric.as<EthernetFabricParams>().shape.topology},
               "has no effect: the file of ns-3 says it; leave it out");
  if (fabric.link_latency_ps == 0) check.fail({&fabric.link_latency_ps}, "a cable takes 1 ps or more");
  if (fabric.format.packet_bytes < 64 || fabric.format.packet_bytes > 9216)
    check.fail({&fabric.format.packet_bytes}, "an Ethernet carries 64 B to 9 KiB in a packet");
  const auto& written = fabric.as<EthernetFabricParams>();
  EthernetFabricParams params;
  try {
    params = ethernet_params(fabric);
  } catch (const std::invalid_argument& error) {
    check.fail({&written.ns3_config}, "{}", error.what());
  }
  if (written.ns3_config.empty())
    config::check_control(fabric, params, check);
  else if (fabric.format.packet_bytes != FabricParams().format.packet_bytes)
    check.fail({&fabric.format.packet_bytes, &written.ns3_config},
               "has no effect: the file at ns3_config says it; leave it out");
  struct Nobody final : ethernet::MessageListener {
    void on_delivered(std::uint64_t, TimePs) override {}
  } nobody;
  const auto& keys = fabric.as<EthernetFabricParams>().switches.params;
  try {
    ethernet::EthernetEngine(ethernet_places(params.shape, params.link_latency_ps).network, params.engine,
                             nobody);
  } catch (const std::invalid_argument& error) {
    check.fail(config::and_then({&keys.headroom_bytes, &keys.pause_quanta, &keys.reserved_bytes,
                                 &keys.buffer_bytes, &keys.response_ps, &keys.pipeline_ps,
                                 &fabric.link_latency_ps, &fabric.format.packet_bytes,
                                 &written.shape.bytes_per_s, &written.shape.switch_bytes_per_s},
                                config::sizes_of(written.shape)),
               error.what());
  }
}

}  // namespace wafertlm
