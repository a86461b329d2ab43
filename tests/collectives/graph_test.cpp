// SPDX-License-Identifier: Apache-2.0
// Fabrics from a list of links: the same times as the built-in fabrics, what is refused, and several wafers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "platform/fabrics/graph/graph_kind.h"
#include "platform/spec/fabric_kinds.h"
#include "tests/collectives/simulated.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

/// A graph file, link by link.
class GraphText {
 public:
  explicit GraphText(int npus) : head_("graph: t\nnpus: " + std::to_string(npus) + "\n") {}
  void add_switch(const std::string& name) { switches_ += "  - {name: " + name + "}\n"; }
  void link(const std::string& from, const std::string& to, const std::string& rate,
            const std::string& latency, const std::string& more = "") {
    links_ += "  - {from: " + from + ", to: " + to + ", bandwidth: " + rate + ", latency: " + latency + more +
              "}\n";
  }
  void line(const std::string& text) { rest_ += text + "\n"; }
  std::string text() const {
    return head_ + (switches_.empty() ? "" : "switches:\n" + switches_) + "links:\n" + links_ + rest_;
  }

 private:
  std::string head_, switches_, links_, rest_;
};

std::string npu(int n) { return "npu" + std::to_string(n); }

class Graph : public testing::Test {
 protected:
  std::string platform_file(const std::string& graph) {
    folder_.write("graph.yaml", graph);
    return folder_.write("platform.yaml",
                         "platform: t\nwafer:\n  fabric:\n    kind: graph\n    file: graph.yaml\n"
                         "run: {functional: true, checkers: true}\n");
  }
  config::PlatformSpec platform_of(const std::string& graph) {
    return config::load_platform(platform_file(graph), {});
  }
  /// The time with proven values, ps. `bytes` per rank.
  static TimePs time_of(const config::PlatformSpec& spec, CollectiveType type, const std::string& algorithm,
                        std::uint64_t bytes, bool reverse = false) {
    CollectiveRequest request;
    request.type = type;
    request.algorithm = algorithm;
    request.chunks = 1;
    request.bytes = bytes;
    for (std::uint32_t n = 0; n < spec.wafer.npu_count(); ++n) request.group.push_back(static_cast<NpuId>(n));
    const auto result = test::outcome(spec, request, reverse);
    EXPECT_TRUE(result["proven"].get<bool>());
    EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
    return result["time"].get<TimePs>();
  }
  void expect_equal_times(const config::PlatformSpec& graph, const config::PlatformSpec& built_in,
                          std::uint64_t bytes) {
    for (const auto& [type, algorithm] :
         {std::pair(CollectiveType::all_reduce, "ring"), std::pair(CollectiveType::all_to_all, "direct"),
          std::pair(CollectiveType::all_reduce, "halving_doubling")})
      EXPECT_EQ(time_of(graph, type, algorithm, bytes), time_of(built_in, type, algorithm, bytes))
          << to_string(type) << " " << algorithm;
  }
  void refused(const std::string& graph, const std::string& why) {
    try {
      platform_of(graph);
      FAIL() << "expected: " << why;
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }
  test::TempFolder folder_;
};

/// Even links first: from even places the middle is reached upwards, from odd ones downwards.
GraphText ring_graph(int size) {
  GraphText graph(size);
  for (const int parity : {0, 1})
    for (int n = parity; n < size; n += 2) graph.link(npu(n), npu((n + 1) % size), "50 GB/s", "500 ns");
  std::string names;
  for (int n = 0; n < size; ++n) names += (n ? ", " : "") + npu(n);
  graph.line("rings: [[" + names + "]]");
  return graph;
}

TEST_F(Graph, RingTakesAsLongAsTheDimension) {
  const config::PlatformSpec built_in = config::load_platform(
      folder_.write("ring.yaml",
                    "platform: t\nwafer: {fabric: {kind: dimensional, dimensions: [{topology: ring, size: 6, "
                    "bandwidth: 50 GB/s, latency: 500 ns}]}}\nrun: {functional: true, checkers: true}\n"),
      {});
  const config::PlatformSpec graph = platform_of(ring_graph(6).text());
  expect_equal_times(graph, built_in, 96'000);
  EXPECT_EQ(time_of(graph, CollectiveType::all_to_all, "direct", 96'000, true),
            time_of(graph, CollectiveType::all_to_all, "direct", 96'000));
}

TEST_F(Graph, MeshTakesAsLongAsTheMesh) {
  config::PlatformSpec mesh = test::platform({"wafer.width=3", "wafer.height=2", "wafer.io.controllers=none",
                                              "wafer.io.bandwidth=128GB/s", "run.functional=true"});
  GraphText graph(6);
  for (int n = 0; n < 6; ++n) graph.add_switch("r" + std::to_string(n));
  const auto link = [&](int a, int b) {
    graph.link("r" + std::to_string(a), "r" + std::to_string(b), "750 GB/s", "20 ns");
  };
  // Along rows first: X-Y routes.
  for (const int row : {0, 3}) {
    link(row, row + 1);
    link(row + 1, row + 2);
  }
  for (int n = 0; n < 3; ++n) link(n, n + 3);
  for (int n = 0; n < 6; ++n) graph.link(npu(n), "r" + std::to_string(n), "3 TB/s", "0 ns");
  expect_equal_times(platform_of(graph.text()), mesh, 96'000);
}

TEST_F(Graph, FatTreeTakesAsLongAsTheSwitches) {
  const config::PlatformSpec fred = config::load_platform(
      std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/fred_a.yaml",
      {"wafer.fabric.l1_switches=3", "wafer.fabric.npus_per_l1=2", "wafer.io.controllers=none",
       "wafer.io.bandwidth=128GB/s", "run.functional=true"});
  GraphText graph(6);
  graph.add_switch("top");
  for (int s = 0; s < 3; ++s) {
    const std::string name = "leaf" + std::to_string(s);
    graph.add_switch(name);
    graph.link(name, "top", "1.5 TB/s", "20 ns");
    for (int n = 2 * s; n < 2 * s + 2; ++n) graph.link(npu(n), name, "3 TB/s", "20 ns");
  }
  const config::PlatformSpec tree = platform_of(graph.text());
  for (const char* algorithm : {"ring", "halving_doubling"})
    EXPECT_EQ(time_of(tree, CollectiveType::all_reduce, algorithm, 96'000),
              time_of(fred, CollectiveType::all_reduce, algorithm, 96'000))
        << algorithm;
}

TEST_F(Graph, WrongGraphsAreRefusedByFileAndLine) {
  GraphText good(3);
  good.add_switch("s");
  for (int n = 0; n < 3; ++n) good.link(npu(n), "s", "1 GB/s", "1 ns");
  platform_of(good.text());
  const auto with = [&](const std::string& more) { return good.text() + more; };
  const auto changed = [&](const std::string& what, const std::string& by) {
    std::string text = good.text();
    return text.replace(text.find(what), what.size(), by);
  };
  refused(changed("from: npu1", "from: nqu1"), "graph.yaml:7:12: wafer.fabric.file.links[1].from");
  refused(changed("from: npu1", "from: nqu1"), "did you mean 'npu1'");
  refused(changed("npus: 3", "npus: 4"), "there is no way from npu0 to npu3");
  refused(changed("1 GB/s", "0 GB/s"), "graph.yaml:6");
  refused(changed("npus: 3", "npus: 0"), "expected a whole number from 1 to 4096");
  refused(changed("npus: 3", "npus: 4097"), "expected a whole number from 1 to 4096");
  refused(changed("from: npu1", "from: npu0"), "there is a link between npu0 and s already");
  refused(changed("to: s", "to: npu0"), "a link from npu0 to itself");
  refused(with("routes: [[npu0, npu1]]\n"), "there is no link from npu0 to npu1");
  refused(with("rings: [[npu0, npu1, npu2]]\n"), "the ring from npu0 on has 3 places");
  refused(with("sortest: hops\n"), "did you mean 'shortest'");
}

// Without datelines the links of a ring wait for each other.
TEST_F(Graph, RoutesThatCanDeadlockAreRefused) {
  std::string text = ring_graph(5).text();
  text.erase(text.find("rings:"));
  const test::ToolResult result =
      test::run_tool("collective " + platform_file(text) + " --type all_reduce --size 1KiB");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("the routes can deadlock"), std::string::npos) << result.error;
}

TEST_F(Graph, GivenRoutesAreTaken) {
  GraphText graph(2);
  for (const char* name : {"near", "far"}) {
    graph.add_switch(name);
    const std::string latency = name == std::string("near") ? "10 ns" : "30 ns";
    graph.link("npu0", name, "1 GB/s", latency);
    graph.link(name, "npu1", "1 GB/s", latency);
  }
  const config::PlatformSpec near = platform_of(graph.text());
  graph.line("routes: [[npu0, far, npu1]]");
  const config::PlatformSpec far = platform_of(graph.text());
  const auto time = [&](const config::PlatformSpec& spec) {
    return time_of(spec, CollectiveType::broadcast, "direct", 1000);
  };
  EXPECT_EQ(time(near), 20'000 + 1'000'000);
  EXPECT_EQ(time(far), 60'000 + 1'000'000);
}

// A link of 500 ns between two switches, or two of 100 ns over a third one.
TEST_F(Graph, ShortestIsOfHopsOrOfLatency) {
  const auto hops = [&](const std::string& shortest) {
    GraphText graph(2);
    for (const char* name : {"s", "t", "u"}) graph.add_switch(name);
    graph.link(npu(0), "s", "100 GB/s", "10 ns");
    graph.link(npu(1), "t", "100 GB/s", "10 ns");
    graph.link("s", "t", "100 GB/s", "500 ns");
    graph.link("s", "u", "100 GB/s", "100 ns");
    graph.link("u", "t", "100 GB/s", "100 ns");
    if (!shortest.empty()) graph.line("shortest: " + shortest);
    const config::PlatformSpec spec = platform_of(graph.text());
    return spec.wafer.fabric.as<config::GraphSpec>().built()->hops(NpuId{0}, NpuId{1});
  };
  EXPECT_EQ(hops(""), hops("hops"));
  EXPECT_EQ(hops("latency"), hops("hops") + 1);
}

/// Two switches with two NPUs each, and a link between them.
GraphText two_switches(const std::string& latency = "300 ns") {
  GraphText graph(4);
  for (const char* name : {"s", "t"}) graph.add_switch(name);
  for (int n = 0; n < 4; ++n) graph.link(npu(n), n < 2 ? "s" : "t", "100 GB/s", "10 ns");
  graph.link("s", "t", "50 GB/s", latency);
  return graph;
}

// Credits over the link between them take its latency then, so packets of 4 KiB in a buffer of two wait.
TEST_F(Graph, WafersOfAGraph) {
  GraphText graph = two_switches();
  graph.line("wafers: [[npu0, s, npu1], [t, npu2, npu3]]");
  const config::PlatformSpec spec = platform_of(graph.text());
  const Wafers wafers = fabric_kind(spec.wafer).wafers(spec.wafer);
  EXPECT_EQ(wafers.count, 2U);
  EXPECT_EQ(wafers.of_npu, (std::vector<std::uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(wafers.lookahead_ps, 300'000U);
  const config::PlatformSpec plain = platform_of(two_switches().text());
  EXPECT_EQ(fabric_kind(plain.wafer).wafers(plain.wafer).count, 1U);
  const auto late = [&](config::PlatformSpec of) {
    of.wafer.fabric.buffer_bytes = 2 * of.wafer.fabric.format.full_wire_bytes();
    return time_of(of, CollectiveType::all_to_all, "direct", 65'536);
  };
  EXPECT_EQ(time_of(spec, CollectiveType::all_reduce, "ring", 64),
            time_of(plain, CollectiveType::all_reduce, "ring", 64));
  EXPECT_GT(late(spec), late(plain) + 300'000);
}

TEST_F(Graph, RefusesWafersThatAreNone) {
  const auto refused_with = [&](const std::string& wafers, const std::string& why) {
    GraphText graph = two_switches();
    graph.line("wafers: " + wafers);
    refused(graph.text(), why);
  };
  refused_with("[[npu0, s, npu1], [t, npu2]]", "wafers do not say which one has npu3");
  refused_with("[[npu0, s, npu1, t], [t, npu2, npu3]]", "wafers list 7 names of 6 NPUs and switches");
  refused_with("[[npu0, s], [t, npu1, npu2, npu3]]", "npu1 and s are on two wafers");
  refused_with("[[npu0, s, npu1], [u, npu2, npu3]]", "there is no 'u'");
}

/// Wafers of 2 x 1 with a controller on each router.
std::vector<std::string> wafers(int count, const std::string& topology) {
  return {"wafer.width=2",
          "wafer.height=1",
          "wafer.fabric.packet_bytes=64KiB",
          "wafer.io.controllers=[{npu: 0, side: north}, {npu: 1, side: north}]",
          "wafer.io.latency=5ns",
          "wafer.outer={wafers: " + std::to_string(count) + ", topology: " + topology +
              ", bandwidth: 100 GB/s, latency: 1 us}",
          "run.functional=true",
          "run.checkers=true"};
}

// Reduce-scatter of halves over the mesh link, all-reduce of a half between wafers, all-gather over the mesh
// link: 750 GB/s and 20 ns inside; outside 5 + 1000 + 5 ns and 100 GB/s.
TEST_F(Graph, WafersInsideOutsideInside) {
  const config::PlatformSpec spec = test::platform(wafers(2, "ring"));
  const std::uint64_t bytes = 60'000;
  const TimePs inside = 20'000 + bytes / 2 * 1'000'000 / 750'000, outside = 1'010'000 + bytes / 4 * 10;
  EXPECT_EQ(time_of(spec, CollectiveType::all_reduce, "dimensional", bytes), 2 * inside + 2 * outside);
}

TEST_F(Graph, WafersOfEveryNumberAndWiring) {
  for (const int count : {2, 3, 4, 5})
    for (const char* topology : {"ring", "switch"}) {
      const config::PlatformSpec spec = test::platform(wafers(count, topology));
      const auto bytes = static_cast<std::uint64_t>(8 * 3 * count);
      time_of(spec, CollectiveType::all_reduce, "", 4 * bytes);
      time_of(spec, CollectiveType::all_to_all, "direct", bytes);
      time_of(spec, CollectiveType::all_gather, "dimensional", bytes);
    }
}

}  // namespace
}  // namespace wafertlm
