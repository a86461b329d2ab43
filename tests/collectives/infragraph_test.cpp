// SPDX-License-Identifier: Apache-2.0
// An InfraGraph as a platform: the same as the graph that is written by hand, and errors with their places.
#include <gtest/gtest.h>

#include <string>

#include "platform/text/config_error.h"
#include "tests/collectives/simulated.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

/// Two servers of two NPUs with a NIC each and a switch inside, on a switch of four ports.
constexpr const char* kInfraGraph = R"(name: two servers
devices:
- name: server
  components:
  - {name: xpu, count: 2, choice: xpu}
  - {name: nic, count: 2, choice: nic}
  - {name: inside, count: 1, choice: switch}
  links:
  - {name: pcie, physical: {bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 64}, latency: {choice: ns, ns: 100}}}
  - {name: fast, physical: {bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 150}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: "nic[0:2]"}, scheme: one2one, link: pcie}
  - {ep1: {component: xpu}, ep2: {component: "inside[0]"}, scheme: many2many, link: fast}
  - {ep1: {component: xpu}, ep2: {component: "inside[0]"}, scheme: many2many, link: fast}
- name: port
  components: [{name: plug, count: 1, choice: port}]
- name: leaf
  components:
  - {name: asic, count: 1, choice: {CHOICE}}
  - {name: port, count: 8, choice: device}
  links:
  - {name: ic, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 800}}}
  edges:
  - {ep1: {component: asic}, ep2: {device: "port[0:4]", component: plug}, scheme: many2many, link: ic}
instances:
- {name: host, device: server, count: 2}
- {name: sw, device: leaf, count: 1}
links:
- {name: eth, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 400}, latency: {choice: us, us: 0.5}}}
edges:
- {ep1: {instance: host, component: nic}, ep2: {instance: "sw[0]", component: "port[{SLICE}].plug[0]"}, scheme: one2one, link: eth}
)";

constexpr const char* kByHand = R"(graph: by hand
npus: 4
switches: [{name: n0}, {name: n1}, {name: n2}, {name: n3}, {name: i0}, {name: i1}, {name: asic}, {name: p0}, {name: p1}, {name: p2}, {name: p3}]
links:
)";

std::string infragraph(const std::string& slice, const std::string& choice = "custom") {
  std::string text = kInfraGraph;
  text.replace(text.find("{SLICE}"), 7, slice);
  return text.replace(text.find("{CHOICE}"), 8, choice);
}

config::PlatformSpec platform_of(const test::TempFolder& folder, const std::string& graph) {
  folder.write("graph.yaml", graph);
  return config::load_platform(folder.write("platform.yaml",
                                            "platform: p\nwafer: {fabric: {kind: graph, file: graph.yaml, "
                                            "packet_bytes: 4 KiB}}\n"),
                               {});
}

TEST(InfraGraph, IsTheGraphThatItDescribes) {
  std::string by_hand = kByHand;
  const auto link = [&](const std::string& from, const std::string& to, const std::string& rest) {
    by_hand += "- {from: " + from + ", to: " + to + ", bandwidth: " + rest + "}\n";
  };
  for (int npu = 0; npu < 4; ++npu) {
    const std::string n = std::to_string(npu);
    link("npu" + n, "n" + n, "64 GB/s, latency: 100 ns");
    link("npu" + n, "i" + std::to_string(npu / 2), "300 GB/s, latency: 1 ps");  // two edges
    link("asic", "p" + n, "100 GB/s, latency: 1 ps");
    link("n" + n, "p" + n, "50 GB/s, latency: 500 ns");
  }
  const test::TempFolder folder;
  const config::PlatformSpec theirs = platform_of(folder, infragraph("0:4")),
                             ours = platform_of(folder, by_hand);
  EXPECT_EQ(theirs.wafer.npu_count(), 4U);
  for (const std::string algorithm : {"ring", "direct"}) {
    const CollectiveRequest request{CollectiveType::all_reduce, test::first_npus(4), 1 << 20, algorithm, 1};
    EXPECT_EQ(test::outcome(theirs, request)["time"], test::outcome(ours, request)["time"]) << algorithm;
  }
}

TEST(InfraGraph, ErrorsNameThePlace) {
  const test::TempFolder folder;
  const auto message = [&](std::string text, const std::string& from = "", const std::string& to = "") {
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    try {
      platform_of(folder, text);
    } catch (const config::ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
  };
  const std::string good = infragraph("0:4");
  EXPECT_EQ(message(good), "");
  expect(message(infragraph("0:3")), "graph.yaml:31:3: one2one between 4 and 3 ends");
  expect(message(infragraph("0:9")), "'port[0:9]' in 'port': there are 8");
  expect(message(infragraph("x")), "an index is a whole number from 0 on");
  expect(message(good, "link: eth", "link: ethernet"), "there is no 'ethernet'");
  expect(message(good, "component: nic}", "component: nics}"), "there is no 'nics'; did you mean 'nic'");
  expect(message(good, "device: leaf", "device: lead"), "graph.yaml:27:22: there is no 'lead'");
  expect(message(good, "scheme: one2one, link: pcie", "scheme: ring, link: pcie"),
         "the scheme 'ring' is not read");
  expect(message(good, "choice: gigabits_per_second, gigabits_per_second: 400",
                 "choice: gigatransfers_per_second, gigatransfers_per_second: 8"),
         "says nothing of lanes");
  expect(message(good, "gigabits_per_second: 400", "gigabits_per_second: nan"), "expected a number");
  expect(message(infragraph("0:4", "device")), "there is no 'asic'");
  expect(message(good, "components: [{name: plug, count: 1, choice: port}]",
                 "components: [{name: port, count: 1, choice: device}]"),
         "a device that holds itself");
  std::string many = good;
  many.replace(many.find("count: 8"), 8, "count: 65536");
  expect(message(many, "components: [{name: plug, count: 1, choice: port}]", "components: []"),
         "more than 65536 devices");
}

}  // namespace
}  // namespace wafertlm
