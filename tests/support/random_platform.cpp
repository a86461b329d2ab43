// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

namespace wafertlm::test {
namespace {

using Random = std::mt19937_64;

/// Whole, fractional and odd numbers of picoseconds per packet.
std::string bandwidth(Random& random) {
  static const char* const kRates[] = {"100 GB/s", "128 GB/s", "333 GB/s", "750 GB/s", "1 TB/s", "1.7 TB/s"};
  return pick_of(random, kRates);
}
std::string latency(Random& random) {
  static const char* const kTimes[] = {"1 ps", "777 ps", "5 ns", "20 ns", "20 ns", "50 ns", "123457 ps"};
  return pick_of(random, kTimes);
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

/// What all fabrics have: wire format, channels, buffers.
std::string common_keys(Random& random, RandomPlatform& platform) {
  static constexpr std::uint32_t kPackets[] = {1000, 2048, 4096, 4096, 16384};
  platform.packet_bytes = pick_of(random, kPackets);
  const std::uint64_t header = one_in(random, 3) ? between(random, 1, 64) : 0;
  std::string keys = fmt::format("    packet_bytes: {} B\n    header_bytes: {} B\n    credit_delay: {}\n",
                                 platform.packet_bytes, header, latency(random));
  if (one_in(random, 5)) keys += "    flit_bytes: 512 B\n";
  if (one_in(random, 2))  // room for few packets, so that credits are what limits
    keys += fmt::format("    input_buffer: {} B\n",
                        between(random, 2, 12) * ((platform.packet_bytes + header + 511) / 512 * 512));
  // One channel for all, some together, or several for a class; priorities equal or not.
  const std::uint64_t sharing = between(random, 0, 2), priorities = between(random, 0, 1);
  keys += "    virtual_channels: 5\n    classes:\n";
  static const char* const kNames[] = {"mp", "dp", "pp", "ep", "input", "weights", "memory", "control"};
  for (std::uint64_t k = 0; k < std::size(kNames); ++k) {
    const std::uint64_t vc = sharing == 0 ? 0 : sharing == 1 ? k % 4 : k < 2 ? 2 * k : 4;
    keys += fmt::format("      - {{name: {}, vc: {}, vcs: {}, priority: {}}}\n", kNames[k], vc,
                        sharing == 2 && k < 2 ? 2 : 1, priorities * (4 - vc));
  }
  return keys;
}

std::string io_keys(Random& random, const char* controllers) {
  return fmt::format("  io: {{controllers: {}, bandwidth: {}, latency: {}}}\n", controllers,
                     bandwidth(random), latency(random));
}

std::string mesh(Random& random, RandomPlatform& platform, std::uint64_t wafers) {
  const std::uint64_t width = between(random, 2, wafers > 1 ? 3 : 5),
                      height = between(random, 1, wafers > 1 ? 2 : 4);
  platform.npus = static_cast<std::uint32_t>(width * height * wafers);
  std::string text = fmt::format(
      "wafer:\n  width: {}\n  height: {}\n  fabric:\n    link_bandwidth: {}\n    link_latency: {}\n"
      "    router_pipeline: {}\n    injection_bandwidth: {}\n    ejection_bandwidth: {}\n",
      width, height, bandwidth(random), latency(random), one_in(random, 2) ? "0 ns" : "7 ns",
      bandwidth(random), bandwidth(random));
  platform.has_dma_engines = true;
  text += common_keys(random, platform);
  if (one_in(random, 12) && wafers == 1) text += "    input_queue: fifo\n";
  platform.has_io = wafers > 1 || one_in(random, 3);
  if (platform.has_io) text += io_keys(random, "perimeter");
  if (wafers > 1) {
    static const char* const kTopologies[] = {"ring", "switch", "direct"};
    // Pauses need room behind the links.
    const bool is_ethernet = one_in(random, 2) && text.find("input_buffer") == std::string::npos;
    text += fmt::format("  outer: {{wafers: {}, topology: {}, bandwidth: {}, latency: {}{}}}\n", wafers,
                        pick_of(random, kTopologies), bandwidth(random), latency(random),
                        is_ethernet ? ", ethernet: {mtu: 1024 B}" : "");
  }
  return text;
}
std::string one_wafer(Random& random, RandomPlatform& platform, const std::string&) {
  return mesh(random, platform, 1);
}
std::string several_wafers(Random& random, RandomPlatform& platform, const std::string&) {
  std::string text = mesh(random, platform, between(random, 2, 3));
  platform.has_io = false;  // its controllers lead to the other wafers
  return text;
}

/// A to D: with uplinks of less and of full bandwidth, without and with sums in the switches.
std::string fred(Random& random, RandomPlatform& platform, const std::string&) {
  const std::uint64_t switches = between(random, 2, 5), npus = between(random, 1, 4);
  platform.npus = static_cast<std::uint32_t>(switches * npus);
  const bool in_network = !one_in(random, 3);
  std::string text = fmt::format(
      "wafer:\n  fabric:\n    kind: fred\n    l1_switches: {}\n    npus_per_l1: {}\n    l2_switches: 1\n"
      "    npu_bandwidth: {}\n    l1_uplink: {}\n    link_latency: {}\n    stage_latency: {}\n"
      "    in_network: {}\n",
      switches, npus, bandwidth(random), bandwidth(random), latency(random),
      one_in(random, 2) ? "0 ns" : "3 ns", in_network);
  platform.has_dma_engines = true;
  text += common_keys(random, platform);
  if (in_network && one_in(random, 2)) text += fmt::format("    flow_packets: {}\n", between(random, 2, 8));
  platform.has_io = one_in(random, 3);
  if (platform.has_io) text += io_keys(random, "3");
  return text;
}

std::string dimensions(Random& random, RandomPlatform& platform) {
  static const char* const kTopologies[] = {"ring", "switch", "fully_connected", "mesh"};
  platform.npus = 1;
  std::string text;
  for (std::uint64_t d = 0, count = between(random, 1, 2); d < count; ++d) {
    const std::uint64_t size = between(random, 2, count == 1 ? 10 : 4);
    platform.npus *= static_cast<std::uint32_t>(size);
    text += fmt::format("{}{{topology: {}, size: {}, bandwidth: {}, latency: {}}}", d == 0 ? "" : ", ",
                        pick_of(random, kTopologies), size, bandwidth(random), latency(random));
  }
  return "wafer:\n  fabric:\n    kind: dimensional\n    dimensions: [" + text + "]\n";
}
std::string dimensional(Random& random, RandomPlatform& platform, const std::string&) {
  const std::string text = dimensions(random, platform);
  return text + common_keys(random, platform);
}
std::string dimensional_messages(Random& random, RandomPlatform& platform, const std::string&) {
  platform.packet_bytes = 4096;
  return dimensions(random, platform) + "    transport: messages\n";
}

/// A random tree of switches, or leaves of which each has a link to every spine.
std::string graph(Random& random, RandomPlatform& platform, const std::string& folder) {
  platform.npus = static_cast<std::uint32_t>(between(random, 3, 14));
  const std::uint64_t spines = one_in(random, 2) ? 0 : between(random, 1, 3), leaves = between(random, 1, 4);
  std::string text = fmt::format("graph: random\nnpus: {}\nswitches:\n", platform.npus), links;
  const auto add_switch = [&](char kind, std::uint64_t number) {
    text +=
        fmt::format("  - {{name: {}{}, pipeline: {}}}\n", kind, number, one_in(random, 2) ? "0 ns" : "20 ns");
  };
  const auto link = [&](const std::string& from, char to, std::uint64_t number) {
    links += fmt::format("  - {{from: {}, to: {}{}, bandwidth: {}, latency: {}}}\n", from, to, number,
                         bandwidth(random), latency(random));
  };
  for (std::uint64_t n = 0; n < platform.npus; ++n) link(fmt::format("npu{}", n), 'l', random() % leaves);
  for (std::uint64_t l = 0; l < leaves; ++l) {
    add_switch('l', l);
    if (spines == 0 && l > 0) link(fmt::format("l{}", l), 'l', random() % l);
    for (std::uint64_t s = 0; s < spines; ++s) link(fmt::format("l{}", l), 's', s);
  }
  for (std::uint64_t s = 0; s < spines; ++s) add_switch('s', s);
  write(folder + "/graph.yaml", text + "links:\n" + links);
  return "wafer:\n  fabric:\n    kind: graph\n    file: graph.yaml\n" + common_keys(random, platform);
}

std::string npu_keys(Random& random, const RandomPlatform& platform) {
  std::string text = "npu:\n";
  if (platform.has_dma_engines && platform.npus % 2 == 0) text += "  injection: {order: message}\n";
  text += "  endpoint: {";
  const char* separator = "";
  for (const char* cost : {"launch_cost", "step_cost", "receive_cost"})
    if (one_in(random, 4)) {
      text += fmt::format("{}{}: {} ps", separator, cost, between(random, 1, 300'000));
      separator = ", ";
    }
  text += "}\n  compute:\n    time_step: 1 ps\n";
  if (one_in(random, 5))
    text += fmt::format("    jitter: {}\n    jitter_percent: {}\n", one_in(random, 2) ? "uniform" : "normal",
                        between(random, 1, 60));
  if (one_in(random, 4))
    text += fmt::format("    stragglers: [{{npu: {}, slowdown_percent: {}}}]\n", random() % platform.npus,
                        between(random, 101, 700));
  return text;
}

std::string remote_keys(Random& random) {
  return fmt::format(
      "remote_memory: {{kind: {}, capacity: 1 TB, bandwidth: {}, latency: {}, request_bytes: {} B}}\n",
      one_in(random, 2) ? "shared" : "per_npu", bandwidth(random), latency(random),
      one_in(random, 2) ? 4096 : 50'000);
}

/// A star, leaves and spines, or servers on them; with switches that pause seldom or often.
std::string ethernet(Random& random, RandomPlatform& platform, const std::string&) {
  const std::uint64_t leaves = between(random, 1, 4), of_leaf = 2 * between(random, 1, 3);
  platform.npus = static_cast<std::uint32_t>(leaves * of_leaf);
  platform.packet_bytes = pick_of(random, std::array<std::uint32_t, 3>{1000, 4096, 9000});
  const std::string network =
      leaves == 1 ? fmt::format("topology: star, npus: {}", of_leaf)
                  : fmt::format("topology: leaf_spine, leaves: {}, npus_per_switch: {}, spines: {}", leaves,
                                of_leaf, between(random, 1, 3));
  static const char* const kBalances[] = {"ecmp", "ecmp", "adaptive", "flowlet", "spray"};
  const std::string balance = pick_of(random, kBalances);
  const bool reorders = balance == "adaptive" || balance == "spray";
  static const char* const kControls[] = {"none", "none", "none", "dcqcn", "receiver_driven", "dctcp"};
  const std::string control = pick_of(random, kControls);
  const bool marks = control == "dcqcn" || control == "dctcp";
  return fmt::format(
      "wafer:\n  fabric:\n    kind: ethernet\n    packet_bytes: {} B\n    link_latency: {}\n"
      "    network: {{{}, nic_bandwidth: {}{}}}\n"
      "    switches: {{buffer: {}, load_balancing: {}, forwarding: {}{}}}\n"
      "    nics: {{congestion_control: {}, queue_pairs: {}, ack_every: {}{}}}\n",
      platform.packet_bytes, latency(random), network, one_in(random, 2) ? "50 GB/s" : "12.5 GB/s",
      one_in(random, 3) ? ", server_npus: 2, server_bandwidth: 450 GB/s, server_latency: 250 ns" : "",
      one_in(random, 2) ? "64 MB" : "2 MB", balance, one_in(random, 2) ? "cut_through" : "store_and_forward",
      marks ? ", ecn_kmin: 100 kB, ecn_kmax: 400 kB, ecn_pmax: 0.2" : "", control, between(random, 1, 3),
      control == "dctcp" || one_in(random, 2) ? 1 : 8,
      reorders ? ", repair: selective_repeat, reordering: 0" : "");
}

RandomPlatform write_random(const std::string& folder, Random& random,
                            std::string (*fabric)(Random&, RandomPlatform&, const std::string&)) {
  RandomPlatform platform;
  std::string text = "platform: random\n" + fabric(random, platform, folder);
  text += npu_keys(random, platform);
  platform.has_remote = one_in(random, 4);
  if (platform.has_remote) text += remote_keys(random);
  if (one_in(random, 3)) text += fmt::format("collectives: {{chunks: {}}}\n", between(random, 1, 6));
  static const char* const kOrders[] = {"fifo", "lifo", "priority", "lowest_id"};
  text += fmt::format("sequencer: {{order: {}}}\nrun: {{checkers: false}}\n", pick_of(random, kOrders));
  platform.path = folder + "/platform.yaml";
  write(platform.path, text);
  return platform;
}

}  // namespace

RandomPlatform write_random_platform(const std::string& folder, Random& random) {
  constexpr std::string (*kFabrics[])(Random&, RandomPlatform&, const std::string&) = {
      one_wafer, one_wafer, fred, fred, dimensional, graph, several_wafers};
  const auto fabric = pick_of(random, kFabrics);
  return write_random(folder, random, fabric);
}

RandomPlatform write_random_message_platform(const std::string& folder, Random& random) {
  const auto fabric = one_in(random, 3) ? dimensional_messages : ethernet;
  return write_random(folder, random, fabric);
}

}  // namespace wafertlm::test
