// SPDX-License-Identifier: Apache-2.0
// Rules between keys, of presets with changes: what is refused, with key and words, and what is just allowed.
#include <gtest/gtest.h>

#include "platform/text/config_error.h"
#include "tests/collectives/simulated.h"

namespace wafertlm {
namespace {

using Keys = std::vector<std::string>;

/// What is said of the keys; empty: they are taken.
std::string refused(const std::string& preset, const Keys& keys) {
  try {
    test::preset(preset, keys);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "";
}

void expect_refused(const std::string& preset, const Keys& keys, const std::string& key,
                    const std::string& words) {
  const std::string text = refused(preset, keys);
  EXPECT_NE(text.find(key + ": "), std::string::npos) << key << " is not in: " << text;
  EXPECT_NE(text.find(words), std::string::npos) << words << " is not in: " << text;
}

constexpr const char *kMeshWafer = "wafer_mesh_5x4", *kFredWafer = "fred_d",
                     *kFourWafers = "wafers_4_mesh_5x4", *kFourFreds = "wafers_4_fred_a";

TEST(Rules, OfSeveralWafers) {
  const std::string outer = "wafer.outer.wafers";
  expect_refused(kMeshWafer,
                 {"wafer.outer={wafers: 2, topology: ring, bandwidth: 1 GB/s, latency: 1 us}",
                  "wafer.io={controllers: none}"},
                 outer, "wafers are connected through I/O controllers; add wafer.io.controllers: perimeter");
  expect_refused(kFourWafers, {"wafer.io.latency=0 ps"}, "wafer.io.latency", "it takes 1 ps or more");
  EXPECT_EQ(refused(kFourWafers, {"wafer.io.latency=1 ps"}), "");
  EXPECT_EQ(refused(kFourWafers, {"wafer.outer.wafers=4", "wafer.width=32", "wafer.height=32"}), "");
  expect_refused(kFourWafers, {"wafer.outer.wafers=5", "wafer.width=32", "wafer.height=32"},
                 "wafer.outer.wafers", "more than 4096 NPUs in all");
  EXPECT_EQ(refused(kFourWafers, {"wafer.fabric.virtual_channels=8"}), "");
  expect_refused(kFourWafers, {"wafer.fabric.virtual_channels=9"}, "wafer.fabric.virtual_channels",
                 "several wafers need two channels for each, so at most 8 are possible");
  // A frame of 4178 B before a pause of 84 B goes out, one behind it; 1 us and the response of 453 · 64 B.
  const std::string ethernet = "wafer.outer.ethernet={}", rate = "wafer.outer.bandwidth=25 GB/s",
                    latency = "wafer.outer.latency=500 ns";
  const std::uint64_t headroom = 2 * 4178 + 84 + 25'000 + 453 * 64;
  EXPECT_EQ(refused(kFourWafers, {rate, latency, ethernet,
                                  "wafer.fabric.input_buffer=" + std::to_string(headroom) + " B"}),
            "");
  expect_refused(
      kFourWafers,
      {rate, latency, ethernet, "wafer.fabric.input_buffer=" + std::to_string(headroom - 1) + " B"},
      "wafer.fabric.input_buffer",
      "Ethernet between wafers would lose frames, for a pause takes effect " + std::to_string(headroom) +
          " B later; take auto, or that much");
  expect_refused(kFourWafers, {"wafer.outer.topology=ring", "wafer.outer.ethernet={switch_latency: 1 ns}"},
                 "wafer.outer.ethernet.switch_latency",
                 "there are outer switches only with wafer.outer.topology: switch; leave it out");
  for (const Keys& keys :
       {Keys{"wafer.fabric.failed_links=[[0, 1]]"}, Keys{"wafer.fabric.failed_routers=[3]"},
        Keys{"wafer.fabric.bit_error_rate=1e-9"}, Keys{"wafer.fabric.input_queue=fifo"},
        Keys{"wafer.fabric.input_start_interval=1 ns"},
        Keys{"wafer.fabric.switching=wormhole", "wafer.fabric.flit_bytes=64 B"}})
    expect_refused(kFourWafers, keys, outer,
                   "with several wafers there are no failures, bit errors, wormhole");
}

TEST(Rules, OfSeveralFredWafers) {
  const std::string fabric = "wafer.fabric.", outer = "wafer.outer.wafers";
  const std::string two = "wafer.outer={wafers: 2, topology: ring, bandwidth: 1 GB/s, latency: 1 us}";
  EXPECT_EQ(refused(kFourFreds, {}), "");
  EXPECT_EQ(refused("fred_c", {two, "wafer.io.latency=1 ps"}), "");
  expect_refused("fred_b", {two, "wafer.io.latency=1 ns"}, fabric + "in_network",
                 "several FRED wafers reduce at the NPUs: set wafer.fabric.in_network: false");
  expect_refused("fred_c_physical", {two, "wafer.io.latency=1 ns"}, fabric + "view",
                 "several FRED wafers have whole switches and no chips: set wafer.fabric.view: logical");
  expect_refused(
      "fred_a", {two, "wafer.io={controllers: none}"}, outer,
      "wafers are connected through I/O controllers; add wafer.io.controllers: a number, such as 18");
  expect_refused("fred_a", {two}, "wafer.io.latency", "it takes 1 ps or more; set wafer.io.latency");
  EXPECT_EQ(refused(kFourFreds, {fabric + "l1_switches=64", fabric + "npus_per_l1=16"}), "");
  expect_refused(kFourFreds, {fabric + "l1_switches=64", fabric + "npus_per_l1=17"}, outer,
                 "more than 4096 NPUs in all; take smaller or fewer wafers");
  expect_refused(kFourFreds, {fabric + "virtual_channels=9"}, fabric + "virtual_channels", "at most 8");
  expect_refused(kFourFreds,
                 {"wafer.outer.ethernet={}", "wafer.outer.bandwidth=25 GB/s", fabric + "input_buffer=8 KiB"},
                 fabric + "input_buffer", "Ethernet between wafers would lose frames");
  expect_refused(kFourFreds, {"wafer.defects={chips: {l2: [0]}}"}, "wafer.defects.chips.l2",
                 "the logical view has whole switches and no chips");
  expect_refused(kFourFreds, {"wafer.defects={switches: [l1_0]}"}, "wafer.defects.switches",
                 "switches that do not work are not known of several wafers of kind fred");
  for (const Keys& keys :
       {Keys{"wafer.defects={io: [3]}"}, Keys{"wafer.defects={links: [l1_0->l2_0]}"},
        Keys{fabric + "bit_error_rate=1e-9"}, Keys{fabric + "reliability.protocol=go_back_n"},
        Keys{fabric + "input_queue=fifo"}, Keys{fabric + "input_start_interval=1 ns"}})
    expect_refused(kFourFreds, keys, outer,
                   "with several wafers there are no failures, bit errors, wormhole");
  expect_refused("dimensional_64", {two}, outer, "only meshes and FRED wafers are connected to others");
}

TEST(Rules, OfAMesh) {
  const std::string fabric = "wafer.fabric.";
  expect_refused(kMeshWafer, {fabric + "link_latency=0 ps"}, fabric + "link_latency",
                 "must add up to at least 1 ps");
  EXPECT_EQ(refused(kMeshWafer, {fabric + "link_latency=0 ps", fabric + "router_pipeline=1 ps"}), "");
  const std::string wormhole = fabric + "switching=wormhole",
                    flits = fabric + "flit_bytes=", header = fabric + "header_bytes=";
  expect_refused(kMeshWafer, {wormhole, flits + "16 B", header + "16 B"}, fabric + "switching",
                 "wormhole switching needs wafer.fabric.flit_bytes larger than wafer.fabric.header_bytes");
  EXPECT_EQ(refused(kMeshWafer, {wormhole, flits + "17 B", header + "16 B"}), "");
  expect_refused(kMeshWafer, {fabric + "internal_speedup=2"}, fabric + "internal_speedup",
                 "a switch of cut_through has no speedup");
  EXPECT_EQ(refused(kMeshWafer, {fabric + "internal_speedup=1"}), "");
  EXPECT_EQ(refused(kMeshWafer, {wormhole, flits + "64 B", fabric + "internal_speedup=2"}), "");
  expect_refused(kMeshWafer, {fabric + "head_pipeline=0 ps"}, fabric + "head_pipeline",
                 "with cut_through there are no flits behind a head");
  const std::string pipeline = fabric + "router_pipeline=3 ns";
  EXPECT_EQ(refused(kMeshWafer, {wormhole, flits + "64 B", pipeline, fabric + "head_pipeline=3 ns"}), "");
  expect_refused(kMeshWafer, {wormhole, flits + "64 B", pipeline, fabric + "head_pipeline=3001 ps"},
                 fabric + "head_pipeline", "is part of wafer.fabric.router_pipeline and must not be longer");
  const std::string starts = fabric + "input_start_interval";
  EXPECT_EQ(refused(kMeshWafer, {starts + "=1 ns"}), "");
  expect_refused(kMeshWafer, {starts + "=1 ns", wormhole, flits + "64 B"}, starts,
                 "is of mesh and FRED fabrics that switch packets by cut_through");
  expect_refused(kMeshWafer, {starts + "=1 ns", fabric + "input_queue=fifo"}, starts,
                 "has no effect with wafer.fabric.input_queue: fifo");
}

TEST(Rules, OfATreeOfSwitches) {
  const std::string fabric = "wafer.fabric.";
  expect_refused("fred_b", {fabric + "l1_switches=257", fabric + "npus_per_l1=256"}, fabric + "npus_per_l1",
                 "257 x 256 are more than 65536 NPUs");
  expect_refused("fred_b", {fabric + "l1_switches=6", fabric + "l2_switches=2"}, fabric + "l2_switches",
                 "2 L2 switches need an uplink: give 'wafer.fabric.l2_uplink'");
  const std::string uplink = fabric + "l2_uplink=12 TB/s";
  expect_refused("fred_b", {uplink}, fabric + "l2_uplink", "a single L2 switch has no uplink; leave it out");
  expect_refused("fred_b", {fabric + "l1_switches=5", fabric + "l2_switches=2", uplink},
                 fabric + "l2_switches", "5 L1 switches cannot be shared evenly by 2 L2 switches");
  EXPECT_EQ(refused("fred_b", {fabric + "l1_switches=6", fabric + "l2_switches=2", uplink}), "");
}

TEST(Rules, OfRtl) {
  const auto rtl = [](const std::string& entry) {
    return "wafer.fabric.rtl=[{switch: l1_0, " + entry + "}]";
  };
  const std::string view = "wafer.fabric.rtl[0].view", good = "view: tlm, flit_bytes: 8 B, record: r";
  EXPECT_EQ(refused(kFredWafer, {rtl(good)}), "");
  expect_refused(kMeshWafer, {rtl(good), "wafer.fabric.switching=wormhole", "wafer.fabric.flit_bytes=64 B"},
                 "wafer.fabric.rtl[0].switch", "wormhole switches have no RTL view: switching: cut_through");
  expect_refused(kFredWafer, {rtl(good), "wafer.fabric.bit_error_rate=1e-9"}, "wafer.fabric.rtl[0].switch",
                 "RTL switches know no Go-Back-N");
  expect_refused(kFredWafer, {rtl("view: rtl")}, view, "which RTL: give 'design'");
  expect_refused(kFredWafer, {rtl("view: rtl, design: d, tolerance: 3")}, view,
                 "a tolerance is of a comparison");
  expect_refused(kFredWafer, {rtl(good + ", tolerance: 3")}, view, "a tolerance is of a comparison");
  EXPECT_EQ(refused(kFredWafer, {rtl("view: both, design: d, tolerance: 3, record: r")}), "");
  expect_refused(kFredWafer, {rtl("view: tlm, flit_bytes: 8 B")}, view, "give 'record', or remove it");
  expect_refused(kFredWafer, {rtl("view: rtl, design: d, record: r")}, view, "the RTL in place has no model");
  EXPECT_EQ(refused(kFredWafer, {rtl("view: rtl, design: d")}), "");
  expect_refused(kFredWafer, {rtl("view: tlm, record: r")}, view,
                 "a recording counts flits: give 'design' or 'flit_bytes'");
  EXPECT_EQ(refused(kFredWafer, {rtl("view: tlm, design: d, record: r")}), "");
  expect_refused(kFredWafer, {rtl("view: tlm, design: d, flit_bytes: 8 B, record: r")},
                 "wafer.fabric.rtl[0].flit_bytes", "the design says it: remove 'flit_bytes'");
  const auto two = [&](const std::string& name) {
    return "wafer.fabric.rtl=[{switch: l1_0, " + good +
           "}, {switch: l1_1, view: tlm, flit_bytes: 8 B, record: " + name + "}]";
  };
  EXPECT_EQ(refused(kFredWafer, {two("s")}), "");
  expect_refused(kFredWafer, {two("r")}, "wafer.fabric.rtl[1].record",
                 "wafer.fabric.rtl[0].record writes this file, too");
}

TEST(Rules, OfGoBackN) {
  const std::string of = "wafer.fabric.reliability";
  const auto window = [&](int packets, int every) {
    return refused(kMeshWafer, {of + "={protocol: go_back_n, window: " + std::to_string(packets) +
                                ", ack_every: " + std::to_string(every) + "}"});
  };
  EXPECT_EQ(window(10, 5), "");
  EXPECT_NE(window(9, 5).find("a window of 9 packets holds less than two groups of 5"), std::string::npos);
  for (const std::string key :
       {"ack_every: 3", "window: 77", "timeout: 9 us", "control_packet_bytes: 99 B", "channel: class"})
    expect_refused(
        kMeshWafer, {of + "={" + key + "}"}, of + "." + key.substr(0, key.find(':')),
        "has no effect while wafer.fabric.bit_error_rate is 0 and wafer.fabric.reliability.protocol is "
        "not go_back_n; remove it");
  const std::string on = "wafer.fabric.bit_error_rate=1e-9";
  expect_refused(
      kMeshWafer,
      {on,
       "wafer.fabric.classes=[{name: dp, vc: 0, vcs: 2, priority: 1}, {name: control, vc: 2, priority: 1}]"},
      "wafer.fabric.classes[0].vcs", "those of class 'dp' may overtake each other on 2 channels");
  expect_refused(kMeshWafer, {on, "wafer.fabric.classes=[{name: dp, vc: 0, priority: 1}]"},
                 "wafer.fabric.bit_error_rate", "acknowledgements need a class called 'control'");
  expect_refused(kMeshWafer, {on, "wafer.fabric.virtual_channels=16"}, "wafer.fabric.virtual_channels",
                 "16 channels; with one for acknowledgements at most 15");
  EXPECT_EQ(refused(kMeshWafer, {on, "wafer.fabric.virtual_channels=15"}), "");
  EXPECT_EQ(refused(kMeshWafer, {on, "wafer.fabric.virtual_channels=16", of + ".channel=class"}), "");
  expect_refused(kFredWafer, {on, "wafer.fabric.virtual_channels=8"}, "wafer.fabric.virtual_channels",
                 "8 channels; with one for acknowledgements at most 7");
  EXPECT_EQ(refused(kFredWafer, {on, "wafer.fabric.virtual_channels=7"}), "");
  expect_refused(kMeshWafer, {on, "wafer.fabric.switching=wormhole", "wafer.fabric.flit_bytes=64 B"},
                 "wafer.fabric.bit_error_rate",
                 "Go-Back-N repeats packets, which wormhole switching does not have");
}

TEST(Rules, OfComputation) {
  const std::string compute = "npu.compute";
  expect_refused(kMeshWafer, {compute + "={model: systolic}"}, compute + ".model",
                 "needs the array: give 'npu.compute.systolic: {rows: 128, columns: 128, clock: 1 GHz}'");
  const std::string array = "model: systolic, systolic: {rows: 8, columns: 8, clock: 1 GHz}";
  EXPECT_EQ(refused(kMeshWafer, {compute + "={" + array + "}"}), "");
  for (const std::string durations : {"roofline", "replay"})
    expect_refused(kMeshWafer, {compute + "={" + array + ", durations: " + durations + "}"},
                   compute + ".durations",
                   "contradicts 'npu.compute.model: systolic'; use 'model' in its place");
  expect_refused(kMeshWafer, {compute + "={jitter: normal}"}, compute + ".jitter",
                 "needs a spread: give 'npu.compute.jitter_percent'");
}

TEST(Rules, OfInjection) {
  const std::string order = "npu.injection.order";
  for (const char* const wafer : {kMeshWafer, kFredWafer, kFourWafers, "graph_fat_tree_16"})
    EXPECT_EQ(refused(wafer, {order + "=message"}), "") << wafer;
  for (const char* const wafer : {"dimensional_64", "ethernet_leaf_spine_32"}) {
    expect_refused(wafer, {order + "=message"}, order,
                   "has no effect where NPUs have no DMA engines that share a port");
    EXPECT_EQ(refused(wafer, {order + "=packet"}), "") << wafer;
  }
}

TEST(Rules, OfMemoryEngines) {
  const std::string engine = "remote_memory.engine";
  const auto with = [&](const std::string& keys) {
    return Keys{"remote_memory={kind: shared, capacity: 1 GiB, bandwidth: 100 GB/s, engine: {" + keys + "}}"};
  };
  EXPECT_EQ(refused(kMeshWafer, with("outstanding: 9, hiding: remap_on_evict, spare_pages: 9")), "");
  expect_refused(kMeshWafer, with("outstanding: 9, hiding: remap_on_evict, spare_pages: 8"),
                 engine + ".spare_pages", "remap_on_evict needs a spare page for each outstanding one (9)");
  expect_refused(kMeshWafer, with("cipher: none, integrity: mac"), engine + ".cipher",
                 "a MAC or a tree needs encrypted pages");
  expect_refused(kMeshWafer, with("cipher: none, integrity: none, hiding: dummy"), engine + ".cipher",
                 "where a page is cannot be hidden while it can be read");
  EXPECT_EQ(refused(kMeshWafer, with("cipher: none, integrity: none")), "");
  expect_refused(kMeshWafer, with("stripe_pages: 2"), engine + ".stripe_pages",
                 "stripes are of pages that several providers have interleaved");
  EXPECT_EQ(refused(kMeshWafer, with("stripe_pages: 2, providers: 2, placement: interleaved")), "");
}

}  // namespace
}  // namespace wafertlm
