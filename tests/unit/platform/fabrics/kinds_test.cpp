// SPDX-License-Identifier: Apache-2.0
// What the kinds of fabrics say of their wafers, by formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "platform/fabrics/dimensional/dimensional_kind.h"
#include "platform/fabrics/fred/fred_kind.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/traffic/channel_load.h"
#include "platform/spec/traffic/patterns.h"
#include "platform/spec/traffic/traffic_model.h"
#include "tests/collectives/simulated.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

config::PlatformSpec platform_of(const std::string& wafer) {
  const test::TempFolder folder;
  return config::load_platform(folder.write("p.yaml", "platform: p\nwafer: {" + wafer + "}\n"), {});
}

const FabricKind& kind(const config::PlatformSpec& spec) { return fabric_kind(spec.wafer); }

std::string described(const config::PlatformSpec& spec) { return kind(spec).describe(spec.wafer); }

// Both directions of a dead link; the NPU of a dead router, too. Given in either place.
TEST(MeshKind, DrawsWhatIsDead) {
  const config::PlatformSpec spec =
      test::platform({"wafer.defects={npus: [3], routers: [7], links: ['12-13', '5->6']}",
                      "wafer.fabric.failed_links=[[0, 1]]"});
  std::vector<std::string> dead = kind(spec).drawing(spec.wafer).dead;
  std::sort(dead.begin(), dead.end());
  EXPECT_EQ(dead, (std::vector<std::string>{"npu3", "npu7", "router0->router1", "router1->router0",
                                            "router12->router13", "router13->router12", "router5->router6",
                                            "router7"}));
}

// As many links as the port keeps busy, at most the four of the router.
TEST(MeshKind, AnNpusPortFeedsUpToFourLinks) {
  for (const auto& [rate, streams] : {std::pair{"1 GB/s", 1U},
                                      {"750 GB/s", 1U},
                                      {"751 GB/s", 2U},
                                      {"1500 GB/s", 2U},
                                      {"2249 GB/s", 3U},
                                      {"2251 GB/s", 4U},
                                      {"90 TB/s", 4U}}) {
    const std::string given = rate;
    EXPECT_EQ(
        mesh_params(test::platform({"wafer.fabric.injection_bandwidth=" + given}).wafer).injection_streams,
        streams);
    const MeshParams mesh = mesh_params(test::platform({"wafer.fabric.ejection_bandwidth=" + given}).wafer);
    EXPECT_EQ(mesh.ejection_streams, streams);
    EXPECT_EQ(mesh.injection_streams, 4U);
  }
}

// Twice the latency, the credit's way and a packet: 4096 B at 750 GB/s are 5.462 ns, at 3 TB/s 1.366 ns.
TEST(FabricKinds, MostWakeUpsLieWithinARoundTripAndTwoPackets) {
  const config::PlatformSpec mesh =
      test::platform({"wafer.fabric.link_latency=30 ns", "wafer.fabric.router_pipeline=3 ns",
                      "wafer.fabric.credit_delay=7 ns"});
  EXPECT_EQ(kind(mesh).horizon_ps(mesh.wafer), 2U * (30'000 + 3000 + 7000 + 5462));
  const config::PlatformSpec fred =
      test::fred_platform("d", {"wafer.fabric.link_latency=30 ns", "wafer.fabric.credit_delay=7 ns"});
  const FredParams params = fred_params(fred.wafer, true);
  EXPECT_EQ(kind(fred).horizon_ps(fred.wafer), 2 * (30'000 + 7000 + 1366 + params.pipeline_ps(1)));
  // Of a graph the longest link counts: 64 KiB at 10 GB/s, 6.554 us, and 500 ns there and back.
  const config::PlatformSpec wafers = test::preset(
      "wafers_4_mesh_5x4", {"wafer.outer.bandwidth=10 GB/s", "wafer.outer.latency=500 ns",
                            "wafer.fabric.packet_bytes=1 MiB", "wafer.fabric.credit_delay=7 ns"});
  EXPECT_EQ(kind(wafers).horizon_ps(wafers.wafer), 2U * (500'000 + 6'553'600 + 500'000));
  // Of dimensions the longest, too: 2000 B at 50 GB/s are 40 ns.
  const auto ring = [](const std::string& packet) {
    const config::PlatformSpec spec = platform_of(
        "fabric: {kind: dimensional, dimensions: [{topology: ring, size: 3, bandwidth: 50 GB/s, latency: 20 "
        "ns}, "
        "{topology: ring, size: 3, bandwidth: 100 GB/s, latency: 30 ns}], credit_delay: 7 ns, header_bytes: "
        "0 B, "
        "packet_bytes: " +
        packet + "}");
    return kind(spec).horizon_ps(spec.wafer);
  };
  EXPECT_EQ(ring("2000 B"), 2U * (20'000 + 40'000 + 7000));
  EXPECT_EQ(ring("1 MiB"), 2U * (20'000 + 1'310'720 + 7000)) << "64 KiB at most";
}

TEST(MeshKind, PerimeterControllersHangAtEveryFreeSide) {
  const config::PlatformSpec spec = test::platform();
  const std::vector<IoPort> ports = io_ports(spec.wafer);
  EXPECT_EQ(ports.size(), 2U * (5 + 4));
  const MeshParams mesh = mesh_params_with_io(spec.wafer);
  EXPECT_EQ(mesh.io.size(), ports.size());
  EXPECT_EQ(mesh.io_bytes_per_s, 128'000'000'000U);
  EXPECT_EQ(mesh.io_latency_ps, spec.wafer.io.latency_ps);
  EXPECT_TRUE(mesh_params(spec.wafer).io.empty());
  EXPECT_EQ(kind(spec).fastest_link(spec.wafer).bytes_per_s, 750'000'000'000U);
  const config::PlatformSpec slow = test::platform({"wafer.fabric.router_pipeline=3 ns"});
  EXPECT_EQ(kind(slow).fastest_link(slow.wafer).pipeline_ps, 3000U);
}

// Against walking from each NPU up to the switch that both are below, and down.
TEST(FredKind, ChannelLoadsAreTheWalkOverAllPairs) {
  for (const std::uint32_t l2 : {1U, 2U, 3U})
    for (const char* const name : {"uniform", "neighbor", "tornado", "hotspot"}) {
      const config::PlatformSpec spec = test::fred_platform(
          "b",
          {"wafer.fabric.l1_switches=6", "wafer.fabric.npus_per_l1=3",
           "wafer.fabric.l2_switches=" + std::to_string(l2), "wafer.fabric.npu_bandwidth=3TB/s",
           "wafer.fabric.l1_uplink=9TB/s", "wafer.fabric.in_network=false"},
          l2 == 1 ? std::vector<std::string>{} : std::vector<std::string>{"wafer.fabric.l2_uplink=12TB/s"});
      traffic::PatternOptions options;
      options.name = name;
      if (options.name == "hotspot") {
        options.hotspot_node = 7;
        options.hotspot_fraction = 0.3;
      }
      const traffic::TrafficModel model = kind(spec).traffic(spec.wafer);
      EXPECT_EQ(model.cycle_bytes_per_s, 3'000'000'000'000U);
      const auto pattern = traffic::make_pattern(options, model.grid);
      std::map<std::string, std::uint64_t> walked;
      const auto place = [](const char* what, std::uint32_t n) { return what + std::to_string(n); };
      for (std::uint32_t from = 0; from < 18; ++from)
        for (const auto& choice : pattern->choices(static_cast<NpuId>(from))) {
          std::vector<std::string> up = {place("npu", from)},
                                   down = {place("npu", static_cast<std::uint32_t>(choice.destination))};
          std::uint32_t a = from / 3, b = static_cast<std::uint32_t>(choice.destination) / 3;
          up.push_back(place("l1_", a)), down.push_back(place("l1_", b));
          if (a != b) {
            a /= 6 / l2, b /= 6 / l2;
            up.push_back(place("l2_", a)), down.push_back(place("l2_", b));
          }
          if (up.back() != down.back()) up.push_back("l3_0"), down.push_back("l3_0");
          for (std::size_t i = 1; i < up.size(); ++i) {
            walked[up[i - 1] + "->" + up[i]] += choice.weight;
            walked[down[i] + "->" + down[i - 1]] += choice.weight;
          }
        }
      std::size_t busy = 0;
      for (const traffic::ChannelLoad& link : model.loads(*pattern).links) {
        EXPECT_EQ(link.weight, walked[link.link]) << name << ' ' << link.link;
        busy += link.weight != 0 ? 1 : 0;
        const bool npu = link.link.find("npu") != std::string::npos,
                   top = link.link.find("l3") != std::string::npos;
        EXPECT_EQ(link.bytes_per_s, (npu ? 3U : top ? 12U : 9U) * 1'000'000'000'000U) << link.link;
      }
      EXPECT_EQ(busy, static_cast<std::size_t>(std::count_if(
                          walked.begin(), walked.end(), [](const auto& each) { return each.second != 0; })));
    }
}

TEST(FredKind, TheFastestLinkHasTheSwitchBehindIt) {
  const auto link = [](std::vector<std::string> overrides) {
    const config::PlatformSpec spec = test::fred_platform("b", std::move(overrides));
    return std::pair(kind(spec).fastest_link(spec.wafer), fred_params(spec.wafer, true));
  };
  const auto [npu, at] = link({"wafer.fabric.l1_uplink=1TB/s"});
  EXPECT_EQ(npu.bytes_per_s, at.npu_bytes_per_s);
  EXPECT_EQ(npu.pipeline_ps, at.pipeline_ps(1));
  const auto [up, of] = link({"wafer.fabric.l1_uplink=24TB/s"});
  EXPECT_EQ(up.bytes_per_s, 24'000'000'000'000U);
  EXPECT_EQ(up.pipeline_ps, of.pipeline_ps(2));
}

const std::string kDimensions =
    "fabric: {kind: dimensional, dimensions: [{topology: ring, size: 3, bandwidth: 50 GB/s, latency: 20 ns}, "
    "{topology: switch, size: 5, bandwidth: 200 GB/s, latency: 30 ns}, {topology: fully_connected, size: 2, "
    "bandwidth: 100 GB/s, latency: 40 ns}]";

TEST(DimensionalKind, DescribesEachDimension) {
  EXPECT_EQ(described(platform_of(kDimensions + "}")),
            "fabric    30 NPUs in 3 dimensions\n"
            "dim 0     ring of 3: 2 links of 50.00 GB/s, latency 20.00 ns\n"
            "dim 1     switch of 5: 1 link of 200.0 GB/s, latency 30.00 ns\n"
            "dim 2     fully_connected of 2: 1 link of 100.0 GB/s, latency 40.00 ns\n"
            "buffers   auto per input and virtual channel\n");
  EXPECT_EQ(described(platform_of(
                "fabric: {kind: dimensional, dimensions: [{topology: ring, size: 3, bandwidth: 50 "
                "GB/s, latency: 20 ns}], input_buffer: 64 KiB, other_links: [{npu: 1, dimension: "
                "0, bandwidth: 1 GB/s, latency: 1 ns}]}")),
            "fabric    3 NPUs in 1 dimension\n"
            "dim 0     ring of 3: 2 links of 50.00 GB/s, latency 20.00 ns\n"
            "links     1 differ\nbuffers   64 KiB per input and virtual channel\n");
}

TEST(DimensionalKind, PlacesWorkersInRowsOfTheFirstDimension) {
  const config::PlatformSpec spec = platform_of(kDimensions + "}");
  EXPECT_EQ(kind(spec).grid(spec.wafer).width, 3U);
  EXPECT_EQ(kind(spec).grid(spec.wafer).height, 10U);
  EXPECT_EQ(kind(spec).fastest_link(spec.wafer).bytes_per_s, 200'000'000'000U);
  EXPECT_EQ(kind(spec).npus(spec.wafer), 30U);
  // Of several wafers the rows stand one wafer below the other.
  const config::PlatformSpec wafers = test::preset("wafers_4_mesh_5x4", {});
  EXPECT_EQ(kind(wafers).grid(wafers.wafer).width, 5U);
  EXPECT_EQ(kind(wafers).grid(wafers.wafer).height, 16U);
}

TEST(FredKind, DescribesThreeLevels) {
  const std::string text = described(test::fred_platform(
      "b", {"wafer.fabric.l1_switches=6", "wafer.fabric.npus_per_l1=3", "wafer.fabric.l2_switches=2",
            "wafer.fabric.l2_uplink=12TB/s", "wafer.fabric.in_network=false", "wafer.fabric.l1_uplink=9TB/s",
            "wafer.fabric.npu_bandwidth=3TB/s", "wafer.fabric.link_latency=30ns",
            "wafer.fabric.credit_delay=7ns", "wafer.fabric.input_buffer=128KiB"}));
  EXPECT_EQ(
      text.substr(0, text.find("switch L1")),
      "wafer     6 L1 switches with 3 NPUs, 2 L2, one L3\nlinks     NPU 3.000 TB/s, L1 to L2 9.000 TB/s, L2 "
      "to L3 12.00 TB/s, latency 30.00 ns, credit 7.000 ns\n");
  for (const char* const part : {"\nswitch L1 ", "\nswitch L2 ", "\nswitch L3 ",
                                 "\nbuffers   128 KiB per input and virtual channel\n"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace
}  // namespace wafertlm
