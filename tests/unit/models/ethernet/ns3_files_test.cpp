// SPDX-License-Identifier: Apache-2.0
// Files of ASTRA-sim's ns-3 as they are (../shared/inputs/ns3), and what is wrong with others.
#include "models/ethernet/ns3/ns3_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/unit/models/ethernet/engine_run.h"

namespace wafertlm::ethernet {
namespace {

#ifndef WAFERTLM_SOURCE_DIR
#define WAFERTLM_SOURCE_DIR "."
#endif
const std::string kNs3Folder = WAFERTLM_SOURCE_DIR "/../shared/inputs/ns3/";

std::string message_of(const std::string& topology) {
  std::istringstream in(topology);
  try {
    read_ns3_topology(in, "t.txt");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Ns3Files, ReadsTheSamples) {
  std::ifstream large(kNs3Folder + "128_nodes_16_switch_topology.txt");
  if (!large) GTEST_SKIP() << "no " << kNs3Folder;
  const Network clos = read_ns3_topology(large, "128").network;
  EXPECT_EQ(clos.hosts(), 128U);
  EXPECT_EQ(clos.switches(), 16U);
  EXPECT_EQ(clos.ports().size(), 2U * 192);
  EXPECT_EQ(clos.ports()[0].bytes_per_s, 200 * kGigabit);
  EXPECT_EQ(clos.ports()[0].latency_ps, 5 * kMicrosecond);
  EXPECT_EQ(clos.distance(0, 15), 2U);
  EXPECT_EQ(clos.distance(0, 16), 4U);
  EXPECT_EQ(clos.ports()[clos.ports_of(clos.switch_of(0)).back()].latency_ps, 12'500'000U);
  EXPECT_EQ(clos.next_ports(clos.switch_of(0), 127).size(), 8U);
  std::ifstream small(kNs3Folder + "8_nodes_1_switch_topology.txt");
  EXPECT_EQ(read_ns3_topology(small, "8").network.hosts(), 8U);
  std::ifstream ring(kNs3Folder + "8nodes_ring_topology.txt");
  const Ns3Topology without_switches = read_ns3_topology(ring, "ring");
  EXPECT_EQ(without_switches.hosts_with_several_links, 8U);
  EXPECT_EQ(without_switches.network.distance(0, 1), 3U);  // its own switch, that of the other
  EXPECT_EQ(without_switches.network.distance(0, 4), 6U);
  EXPECT_EQ(without_switches.network.ports()[0].bytes_per_s, 50 * kGigabit);  // two links of 25 Gb/s
}

TEST(Ns3Files, ReadsTheConfiguration) {
  std::ifstream in(kNs3Folder + "config.txt");
  if (!in) GTEST_SKIP() << "no " << kNs3Folder;
  const Ns3Config config = read_ns3_config(in, "config.txt");
  EXPECT_EQ(config.params.format.full_wire_bytes(), 1038U);
  EXPECT_STREQ(nic::needs_of(config.params.nics.scheme).name, "none");
  EXPECT_EQ(config.params.switches.ecn_of_speed.at(200 * kGigabit).kmax_bytes, 2'400'000U);
  EXPECT_EQ(config.params.switches.ecn_of_speed.at(400 * kGigabit).kmin_bytes, 800'000U);
  EXPECT_EQ(config.params.switches.ecn_of_speed.size(), 6U);
  EXPECT_EQ(config.params.nics.transport.ack_every, 1U);
  EXPECT_EQ(config.topology_file, "../../scratch/topology/8_nodes_1_switch_topology.txt");
  std::ifstream documented(kNs3Folder + "config_doc.txt");
  const Ns3Config other = read_ns3_config(documented, "config_doc.txt");
  EXPECT_STREQ(nic::needs_of(other.params.nics.scheme).name, "hpcc");
  EXPECT_EQ(other.params.format.full_wire_bytes(), 1080U);
  EXPECT_EQ(std::get<nic::HpccParams>(other.params.nics.scheme).max_stage, 0U);
}

TEST(Ns3Files, EachKeyCounts) {
  std::istringstream in(
      "CC_MODE 1\nALPHA_RESUME_INTERVAL 2\nRATE_DECREASE_INTERVAL 5\nCLAMP_TARGET_RATE 1\nRP_TIMER "
      "300\nEWMA_GAIN 0.5\n"
      "FAST_RECOVERY_TIMES 3\nRATE_AI 20Mb/s\nRATE_HAI 200Mb/s\nMIN_RATE 1Gb/s\nL2_ACK_INTERVAL "
      "4\nBUFFER_SIZE 16\n"
      "USE_DYNAMIC_PFC_THRESHOLD 0\nPACKET_PAYLOAD_SIZE 4000 {bytes}\n");
  const Ns3Config config = read_ns3_config(in, "c");
  const auto& dcqcn = std::get<nic::DcqcnParams>(config.params.nics.scheme);
  EXPECT_EQ(dcqcn.alpha_timer_ps, 2 * kMicrosecond);
  EXPECT_EQ(dcqcn.decrease_interval_ps, 5 * kMicrosecond);
  EXPECT_TRUE(dcqcn.clamps_target);
  EXPECT_EQ(dcqcn.increase_timer_ps, 300 * kMicrosecond);
  EXPECT_EQ(dcqcn.g, .5);
  EXPECT_EQ(dcqcn.fast_recovery, 3U);
  EXPECT_EQ(dcqcn.additive_bytes_per_s, 2.5e6);
  EXPECT_EQ(dcqcn.hyper_bytes_per_s, 25e6);
  EXPECT_EQ(dcqcn.least_bytes_per_s, 125e6);
  EXPECT_EQ(dcqcn.cnp_interval_ps, 0U);
  EXPECT_EQ(config.params.nics.transport.ack_every, 4U);
  EXPECT_EQ(config.params.switches.buffer_bytes, 16U << 20);
  EXPECT_FALSE(config.params.switches.threshold.dynamic);
  EXPECT_EQ(config.params.format.mtu_bytes, 4000U);
}

TEST(Ns3Files, NameThePlaceOfAnError) {
  EXPECT_EQ(message_of("3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"), "");
  EXPECT_EQ(message_of("3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Furlongs 1us 0\n"),
            "t.txt:4: '100Furlongs' has an unknown unit; there are Gbps, Mbps, Gb/s, Mb/s");
  EXPECT_EQ(message_of("3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0.01\n"),
            "t.txt:4: links with errors are not modelled; expected 0");
  EXPECT_EQ(message_of("3 1 3\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"),
            "t.txt:4: expected 3 links, there are 2");
  EXPECT_EQ(message_of("3 1 2\n2\n0 2 100Gbps 1us 0\n1 7 100Gbps 1us 0\n"),
            "t.txt:4: a link needs two different nodes of the network");
  EXPECT_NE(message_of("3 1 1\n2\n0 2 100Gbps 1us 0\n").find("t.txt:1: host1 has 0 cables"),
            std::string::npos);
  EXPECT_NE(message_of("").find("empty"), std::string::npos);
  const auto config = [](const char* text) {
    std::istringstream in(text);
    try {
      read_ns3_config(in, "c");
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(config("CC_MODE 3\nCC_MOED 3\n"), "c:2: unknown key 'CC_MOED'");
  EXPECT_NE(config("CC_MODE 10\n").find("c:1: CC_MODE 10 is not modelled"), std::string::npos);
  EXPECT_NE(config("CC_MODE 3\nLINK_DOWN 0 1 2\n").find("c:2:"), std::string::npos);
  EXPECT_NE(config("CC_MODE 3\nKMIN_MAP 2 1000 1\n").find("pairs"), std::string::npos);
  EXPECT_NE(config("PACKET_PAYLOAD_SIZE 1000\n").find("CC_MODE"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm::ethernet
