// SPDX-License-Identifier: Apache-2.0
// Bad input: text, the place that the message must name, and words that must be in it.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "platform/spec/load.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/platform/spec/bad_input.h"

namespace wafertlm::config {
namespace {

void expect_platform_errors(const std::vector<Bad>& table) {
  for (const Bad& bad : table) {
    const test::TempFolder folder;
    const std::string file = folder.write("x.yaml", bad.text);
    expect_error(bad, file, [&] { load_platform(file); });
  }
}

TEST(BadYaml, Keys) {
  expect_platform_errors({
      {kGood + "    link_bandwith: 1 GB/s\n",
       ":8:5:",
       {"unknown key 'link_bandwith' in wafer.fabric", "did you mean 'link_bandwidth'?",
        "valid keys: kind, "}},
      {kGood + "    zzz: 1\n", ":8:5:", {"unknown key 'zzz'", "valid keys: kind"}},
      {kGood + "npus: {}\n",
       ":8:1:",
       {"unknown key 'npus' at the top level", "did you mean 'npu'?", "collectives"}},
      {kGood + "npu:\n  hbm: {latency: 1 ns, capacty: 80 GB}\n",
       ":9:24:",
       {"'capacty' in npu.hbm", "'capacity'"}},
      {kGood + "    Link_Latency: 1 ns\n", ":8:5:", {"did you mean 'link_latency'?"}},
      {kGood + "    <<: {link_latency: 1 ns}\n", ":8:5:", {"unknown key '<<'"}},
      {kGood + "    link_bandwidth: 2 GB/s\n", ":8:5:", {"'link_bandwidth' is written twice", ":7:5"}},
      {kGood + "run: {seed: 1, seed: 1}\n", ":8:16:", {"'seed' is written twice"}},
      {kGood + "    ? [a]\n    : 1\n", ":8:7:", {"a key must be a plain word"}},
      {kGood + "    classes:\n    - {name: mp, vc: 0, priority: 1, vsc: 2}\n",
       ":9:38:",
       {"unknown key 'vsc' in wafer.fabric.classes[0]", "did you mean 'vc"}},
      {kGood + "    link_latency: {value: 1 ns, provenence: P}\n",
       ":8:33:",
       {"'provenence'", "'provenance'"}},
      {"platfrom: x\nwafer: {}\n", ":1:1:", {"unknown key 'platfrom'", "did you mean 'platform'?"}},
  });
}

// As an editor of another time saves an é; a whole one is fine.
TEST(BadYaml, OtherEncodings) {
  expect_platform_errors({
      {kGood + "# caf\xe9\n", ":8:6:", {"the byte 0xe9 is not UTF-8; save the text as UTF-8"}},
      {"platform: \xff\n", ":1:11:", {"the byte 0xff is not UTF-8"}},
      {kGood + "# caf\xc3", ":8:6:", {"the byte 0xc3 is not UTF-8"}},
  });
  const test::TempFolder folder;
  const std::string file = folder.write("x.yaml", kGood + "# caf\xc3\xa9\n");
  EXPECT_NO_THROW(load_platform(file));
  expect_error({"", "--set platform: ", {"the byte 0xff is not UTF-8"}}, "",
               [&] { load_platform(file, {"platform=a\xff"}); });
}

// Refused while it is read: aliases of aliases would be ten to the power of ten values.
TEST(BadYaml, TooMuchOfIt) {
  std::string deep, many = "1", doubled = "a0: &a0 [1, 1]\n";
  for (int i = 0; i < 65; ++i) deep += "[";
  for (int i = 0; i < 1'000'000; ++i) many += ",1";
  for (int i = 1; i < 30; ++i) doubled += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  expect_platform_errors({
      {"a: [" + many + "]\n", ":1:", {"more than 1000000 values"}},
      {doubled, ":1:", {"more than 1000000 values"}},
      {"a: " + deep + std::string(65, ']'), ":1:67:", {"nested more than 64 deep"}},
      {"platform: x\nwafer: &w {width: *w}\n", ":2:19:", {"an alias is used inside its own anchor"}},
  });
}

TEST(BadYaml, MissingValues) {
  expect_platform_errors({
      {"platform: x\n", ":1:1:", {"missing required key 'wafer' at the top level"}},
      {"wafer:\n  width: 3\n  height: 2\n  fabric: {link_bandwidth: 1 GB/s}\n",
       ":1:1:",
       {"required key 'platform'"}},
      {"platform: x\nwafer:\n  height: 2\n  fabric: {link_bandwidth: 1 GB/s}\n",
       ":3:3:",
       {"missing required key 'width' in wafer", "NPUs in a row"}},
      {"platform: x\nwafer:\n  width: 2\n  height: 2\n  fabric: {}\n",
       ":5:11:",
       {"'link_bandwidth' in wafer.fabric"}},
      {"platform: x\nwafer:\n", ":2:1:", {"wafer: expected a map", "got nothing"}},
      {kGood + "    link_latency:\n",
       ":8:5:",
       {"wafer.fabric.link_latency", "expected a time", "got nothing"}},
      {kGood + "    link_latency: ~\n", ":8:5:", {"got nothing"}},
      {kGood + "    classes: [{name: mp, vc: 1}]\n", ":8:15:", {"missing required key 'priority'"}},
      {kGood + "    link_latency: {value: , provenance: P}\n", ":8:20:", {"got nothing"}},
      {"platform: ''\nwafer: {width: 1, height: 1, fabric: {link_bandwidth: 1 GB/s}}\n",
       ":1:11:",
       {"platform: is empty"}},
  });
}

TEST(BadYaml, Types) {
  expect_platform_errors({
      {"platform: x\nwafer: 5\n", ":2:8:", {"wafer: expected a map with the keys", "got '5'"}},
      {kGood + "    link_latency: [1 ns]\n", ":8:19:", {"expected a time such as '20 ns', got a list"}},
      {kGood + "    link_latency: {a: 1 ns}\n", ":8:19:", {"expected a time", "got a map"}},
      {kGood + "    virtual_channels: four\n",
       ":8:23:",
       {"expected a whole number from 1 to 16, got 'four'"}},
      {kGood + "    virtual_channels: 2.5\n", ":8:23:", {"expected a whole number", "'2.5'"}},
      {kGood + "    virtual_channels: \"4\"\n", ":8:23:", {"expected a whole number", "the text '4'"}},
      {kGood + "run: {checkers: yes}\n", ":8:17:", {"run.checkers", "expected true or false, got 'yes'"}},
      {kGood + "    failed_routers: 3\n", ":8:21:", {"expected a list", "got '3'"}},
      {kGood + "    failed_links: [[0, 1, 2]]\n", ":8:20:", {"failed_links[0]", "a list of 2 values, got 3"}},
      {kGood + "    failed_links: [0, 1]\n",
       ":8:20:",
       {"failed_links[0]", "expected a list of 2 values, got '0'"}},
      {kGood + "    classes: []\n", ":8:14:", {"a list of 1 to 8 values, got 0"}},
      {kGood + "    classes: [mp]\n", ":8:15:", {"classes[0]", "expected a map with the keys name, vc"}},
      {kGood + "    input_queue: per_ouput\n",
       ":8:18:",
       {"unknown value 'per_ouput'", "did you mean 'per_output'?", "valid values: fifo, per_output"}},
      {kGood + "collectives: {algorithm: rign}\n",
       ":8:26:",
       {"did you mean 'ring'?", "bidirectional_ring, hierarchical_2d"}},
      {"platform: x\nwafer:\n  width: 1\n  height: 1\n  fabric: {kind: mehs, link_bandwidth: 1 GB/s}\n",
       ":5:18:",
       {"did you mean 'mesh'?"}},
      {"platform: x\nwafer:\n  topology: mesh\n  width: 1\n  height: 1\n  fabric: {link_bandwidth: 1 GB/s}\n",
       ":3:3:",
       {"unknown key 'topology' in wafer"}},
      {kGood + "    virtual_channels: !!int 4\n", ":8:23:", {"YAML tags", "remove the tag"}},
      {"platform: [x]\nwafer: {width: 1, height: 1, fabric: {link_bandwidth: 1 GB/s}}\n",
       ":1:11:",
       {"platform: expected a text, got a list"}},
  });
}

TEST(BadYaml, Units) {
  expect_platform_errors({
      {kGood + "    link_latency: 20\n", ":8:19:", {"'20' has no unit", "units: ps, ns, us, ms, s"}},
      {kGood + "    link_latency: 20 GB/s\n",
       ":8:19:",
       {"a unit of bandwidth", "expected a time such as '20 ns'"}},
      {kGood + "    link_latency: 20 nS\n", ":8:19:", {"unknown unit 'nS'", "did you mean 'ns'?"}},
      {kGood + "    link_latency: 0.5 ps\n", ":8:19:", {"not a whole number of ps"}},
      {kGood + "    link_latency: -1 ns\n", ":8:19:", {"is negative"}},
      {kGood + "    link_latency: {value: 20, provenance: P}\n", ":8:27:", {"has no unit"}},
      {kGood + "    injection_bandwidth: 99999999999 PB/s\n", ":8:26:", {"above 2^64-1"}},
      {kGood + "npu: {peak: 1000 TFLOP}\n", ":8:13:", {"did you mean 'TFLOPS'?"}},
      {kGood + "    energy_per_bit: 0.5 pJ\n", ":8:21:", {"did you mean 'pJ/bit'?"}},
      {kGood + "    input_buffer: big\n", ":8:19:", {"expected a size such as '4 KiB'", "or 'auto'"}},
  });
}

TEST(BadYaml, Ranges) {
  expect_platform_errors({
      {kGood + "    virtual_channels: 17\n", ":8:23:", {"'17' is out of range", "from 1 to 16"}},
      {kGood + "    virtual_channels: -1\n", ":8:23:", {"'-1' is out of range", "from 1 to 16"}},
      {kGood + "run: {seed: 18446744073709551616}\n", ":8:13:", {"out of range"}},
      {kGood + "    packet_bytes: 5 GB\n", ":8:19:", {"out of range", "a size from 1 B to 4 GB"}},
      {kGood + "    packet_bytes: 0 B\n", ":8:19:", {"from 1 B to 4 GB"}},
      {kGood + "    switching: wormhole\n", ":8:16:", {"flit_bytes larger than", "header_bytes"}},
      {kGood + "    switching: worm\n", ":8:16:", {"did you mean 'wormhole'?"}},
      {kGood + "    switching: wormhole\n    flit_bytes: 64 B\n    input_buffer: 63 B\n",
       ":10:19:",
       {"does not hold a flit of 64 B"}},
      {kGood + "npu: {hbm: {request_bytes: 65 KiB}}\n", ":8:28:", {"from 1 B to 64 KiB"}},
      {kGood + "collectives: {chunks: 1025}\n", ":8:23:", {"from 1 to 1024"}},
      {"platform: x\nwafer: {width: 257, height: 1, fabric: {link_bandwidth: 1 GB/s}}\n",
       ":2:16:",
       {"from 1 to 256"}},
      {"platform: x\nwafer: {width: 0, height: 1, fabric: {link_bandwidth: 1 GB/s}}\n",
       ":2:16:",
       {"from 1 to 256"}},
      {"platform: x\nwafer: {width: 1, height: 1, fabric: {link_bandwidth: 0 GB/s}}\n",
       ":2:55:",
       {"from 1 B/s"}},
  });
}

TEST(BadYaml, ValuesThatDoNotFitTogether) {
  expect_platform_errors({
      {kGood + "    link_latency: 0 ns\n", ":8:19:", {"link_latency", "router_pipeline", "at least 1 ps"}},
      {kGood + "    input_buffer: 8191 B\n", ":8:19:", {"8191 B", "4 KiB", "at least 8 KiB", "'auto'"}},
      {kGood + "    input_buffer: 8 KiB\n    header_bytes: 6 B\n", ":8:19:", {"at least 8204 B"}},
      {kGood + "    input_buffer: 8 KiB\n    header_bytes: 6 B\n    flit_bytes: 512 B\n",
       ":8:19:",
       {"at least 9 KiB"}},
      {kGood + "    virtual_channels: 3\n",
       ":8:23:",
       {"'input' uses virtual channel 3", "virtual_channels is 3"}},
      {kGood + "    classes: [{name: a, vc: 3, vcs: 2, priority: 0}]\n",
       ":8:29:",
       {"uses virtual channel 4"}},
      {kGood + "    classes:\n    - {name: a, vc: 0, priority: 1}\n    - {name: a, vc: 1, priority: 1}\n",
       ":10:14:",
       {"two classes called 'a'"}},
      {kGood +
           "    classes:\n    - {name: a, vc: 0, vcs: 2, priority: 1}\n    - {name: b, vc: 1, priority: 2}\n",
       ":10:34:",
       {"'b' shares virtual channel 1 with 'a'", "priority 1, not 2"}},
      {kGood + "    classes:\n    - {name: 1a, vc: 0, priority: 1}\n",
       ":9:14:",
       {"expected a name of letters"}},
      {kGood + "    failed_links: [[0, 1], [0, 4]]\n",
       ":8:28:",
       {"[0, 4] is no link", "not neighbours on the 3x2 mesh"}},
      {kGood + "    failed_links: [[2, 3]]\n", ":8:20:", {"[2, 3] is no link"}},
      {kGood + "    failed_links: [[5, 6]]\n", ":8:20:", {"there is no NPU 6", "NPUs 0 to 5"}},
      {kGood + "    failed_links: [[0, 1], [1, 0]]\n", ":8:28:", {"[1, 0] is listed twice"}},
      {kGood + "    failed_routers: [0, 6]\n", ":8:25:", {"there is no NPU 6"}},
      {kGood + "    failed_routers: [4, 4]\n", ":8:25:", {"listed twice"}},
  });
}

TEST(BadYaml, SeveralWafers) {
  const std::string outer = kGood +
                            "  io: {controllers: perimeter, latency: 1 ns}\n"
                            "  outer:\n    wafers: 3\n    bandwidth: 25 GB/s\n    latency: 1 us\n";
  expect_platform_errors({
      {outer + "    topology: mesh\n", ":13:15:", {"wafer.outer.topology", "'mesh'", "ring, switch, direct"}},
      {outer + "    topology: ring\n    ethernet: {mtu: 63 B}\n",
       ":14:21:",
       {"wafer.outer.ethernet.mtu", "from 64 B to 9 KiB"}},
      {outer + "    topology: ring\n    ethernet: {dcqcn: true}\n",
       ":14:16:",
       {"unknown key 'dcqcn' in wafer.outer.ethernet", "valid keys: mtu, vlan, ipv6, switch_latency"}},
      {outer + "    topology: direct\n    ethernet:\n      switch_latency: 300 ns\n",
       ":15:23:",
       {"there are outer switches only with wafer.outer.topology: switch", "leave it out"}},
  });
}

TEST(BadYaml, SyntaxAndFiles) {
  expect_platform_errors({
      {"", ":1:1:", {"the file is empty"}},
      {"# nothing\n", ":1:1:", {"the file is empty"}},
      {kGood + "---\n" + kGood, ":10:1:", {"a second YAML document starts here"}},
      {"- a\n- b\n", ":1:1:", {"expected 'key: value' lines, got a list"}},
      {"just words\n", ":1:1:", {"expected 'key: value' lines, got 'just words'"}},
      {kGood + "run: {seed: 1\n", ":8:", {"YAML syntax: end of map flow not found"}},
      {kGood + "\trun: 1\n", ":8:", {"YAML syntax", "tab"}},
      {kGood + "    link_latency: 1 ns: 2\n", ":8:", {"YAML syntax"}},
      {kGood + "     link_latency: 1 ns\n", ":8:", {"YAML syntax", "indentation"}},
      {kGood + "    link_latency: *nothing\n", ":8:19:", {"anchor is not defined"}},
      {kGood + "    failed_routers: &a [*a]\n", ":8:", {"anchor"}},
      {kGood + "    link_latency: \"1 ns\n", ":", {"YAML syntax"}},
      {std::string("platform\0x", 10), ":1:1:", {"not a text file"}},
      {kGood + "    link_latency: \"a\\nb\"\n", ":8:19:", {"'a\\nb'"}},
      {"extends: nothing.yaml\n", ":1:10:", {"nothing.yaml", "which is no file"}},
      {"extends: ./x.yaml\n", ":1:10:", {"in a circle", "x.yaml -> "}},
      {"extends: [a, b]\n", ":1:10:", {"needs the path of a YAML file, got a list"}},
      {"experiment: e\nplatform: p\n",
       ":1:1:",
       {"has the top-level key 'experiment'", "a file with 'platform'"}},
      {"workload: e\nchakra: p\n", ":1:1:", {"has the top-level key 'workload'"}},
  });
}

TEST(BadYaml, AMissingFileNamesItsNeighbour) {
  const test::TempFolder folder;
  folder.write("wafer_mesh.yaml", kGood);
  const std::string file = folder.path() + "/wafer_mseh.yaml";
  expect_error({"", ": no such file", {"did you mean", "wafer_mesh.yaml"}}, file,
               [&] { load_platform(file); });
  expect_error({"", ": this is a folder", {}}, folder.path(), [&] { load_platform(folder.path()); });
  expect_error({"", ": no such file", {}}, "/no/such/folder/x.yaml",
               [&] { load_platform("/no/such/folder/x.yaml"); });
}

TEST(BadYaml, AnErrorInTheExtendedFileIsPlacedThere) {
  const test::TempFolder folder;
  const std::string base = folder.write("base.yaml", kGood + "    link_latency: 1 km\n");
  const std::string file = folder.write("x.yaml", "extends: base.yaml\nwafer: {width: 4}\n");
  expect_error({"", ":8:19:", {"unknown unit 'km'"}}, base, [&] { load_platform(file); });
}

/// Whatever the text: it is loaded, or it is one line of ConfigError.
TEST(BadYaml, DamagedFilesNeverDoAnythingElse) {
  std::ifstream file(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(text.empty());
  const std::string pieces = "{}[]:,'\"#&*!|>%@`-? \n\t09azGB/s";
  const test::TempFolder folder;
  std::mt19937_64 random(7);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    for (std::size_t edits = 1 + random() % 3; edits > 0 && !damaged.empty(); --edits) {
      const std::size_t at = random() % damaged.size();
      const std::size_t kind = random() % 4;
      if (kind == 0) damaged.erase(at, 1 + random() % 20);
      if (kind == 1) damaged.insert(at, 1, pieces[random() % pieces.size()]);
      if (kind == 2) damaged[at] = pieces[random() % pieces.size()];
      if (kind == 3) damaged.resize(at + 1);
    }
    const std::string path = folder.write("x.yaml", damaged);
    try {
      load_platform(path);
    } catch (const ConfigError& error) {
      ++refused;
      const std::string message = error.what();
      EXPECT_EQ(message.substr(0, path.size() + 1), path + ":") << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace wafertlm::config
