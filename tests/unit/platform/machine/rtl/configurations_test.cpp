// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/configurations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "models/fred/rtl/flow_entry.h"
#include "models/rtl/recording.h"
#include "platform/machine/rtl/rtl_waves.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

RtlDesign design(std::uint32_t ports, const std::string& configuration = "fred") {
  RtlDesign made;
  made.name = "test";
  made.ports = ports;
  made.configuration = configuration;
  return made;
}

using Way = std::vector<std::uint32_t>;
struct There {
  FredFlow flow;
  Way way;
};

/// All ways through `levels` levels of `middles` middle switches, the first level's changing first.
std::vector<Way> ways(std::uint32_t middles, std::size_t levels) {
  std::vector<Way> all = {{}};
  for (std::size_t level = 0; level < levels; ++level) {
    std::vector<Way> longer;
    for (std::uint32_t middle = 0; middle < middles; ++middle)
      for (Way way : all) {
        way.push_back(middle);
        longer.push_back(way);
      }
    all = longer;
  }
  return all;
}

bool any_pair(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b, std::size_t shift) {
  return std::any_of(a.begin(), a.end(), [&](std::uint32_t x) {
    return std::any_of(b.begin(), b.end(), [&](std::uint32_t y) { return x >> shift == y >> shift; });
  });
}

/// Behind k levels of the same middle switches, ports of 2^k neighbours share a wire.
bool meet(const FredFlow& flow, const Way& way, const There& other) {
  if (any_pair(flow.inputs, other.flow.inputs, 0) || any_pair(flow.outputs, other.flow.outputs, 0))
    return false;
  std::size_t together = 0;
  while (together < way.size() && way[together] == other.way[together]) ++together;
  for (std::size_t level = 1; level <= together; ++level)
    if (any_pair(flow.inputs, other.flow.inputs, level) || any_pair(flow.outputs, other.flow.outputs, level))
      return true;
  return false;
}

TEST(FredConfiguration, ValuesThatTheAddersDoNotKnowAreRefused) {
  RtlDesign of = design(4);
  of.parameters = {"DATA_TYPE=1"};
  RtlEntry entry;
  entry.number = 7;
  entry.inputs = {0, 1};
  entry.outputs = {2};
  entry.data_type = DataType::bf16;
  EXPECT_FALSE(rtl_configuration(of)(entry).empty());
  entry.data_type = DataType::int32;
  try {
    rtl_configuration(of)(entry);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(
        error.what(),
        "the RTL design 'test' adds bf16 only (parameter DATA_TYPE), and the values of flow 7 are int32: "
        "set run.functional and run.data_type, or take a design with DATA_TYPE=2");
  }
}

// The first of all ways on which it meets fewest of those that are there.
TEST(FredConfiguration, ABranchTakesTheWayOnWhichItMeetsFewest) {
  std::mt19937_64 random(4);
  std::size_t others = 0;
  for (const auto& [ports, levels] : {std::pair{3U, 0U}, {4U, 1U}, {6U, 1U}, {7U, 2U}, {12U, 2U}, {13U, 3U}})
    for (const std::uint32_t middles : {2U, 3U}) {
      RtlDesign of = design(ports);
      of.parameters = {"M=" + std::to_string(middles), "PRIORITIES=3"};
      const RtlConfiguration configuration = rtl_configuration(of);
      std::map<std::uint32_t, There> there;
      for (int k = 0; k < 60; ++k) {
        RtlEntry entry;
        entry.number = static_cast<std::uint32_t>(random() % 8);
        for (std::uint32_t port = 0; port < ports; ++port) {
          if (random() % 3 == 0) entry.inputs.push_back(port);
          if (random() % 3 == 0) entry.outputs.push_back(port);
        }
        entry.priority = static_cast<std::uint32_t>(random() % 5);
        entry.packets = random() % 1000;
        entry.from_above = static_cast<std::uint32_t>(random() % 3);
        entry.data_type = random() % 2 == 0 ? DataType::bf16 : DataType::int32;
        FredFlowEntry expected;
        expected.flow = {entry.inputs, entry.outputs};
        expected.priority = std::min(entry.priority, 2U);
        expected.packets = entry.packets;
        expected.data_type = entry.data_type;
        if (entry.from_above != 0) expected.from_above = entry.from_above - 1;
        there.erase(entry.number);
        std::size_t fewest = ~std::size_t{0};
        for (const Way& way : ways(middles, levels)) {
          std::size_t met = 0;
          for (const auto& [number, other] : there) met += meet(expected.flow, way, other) ? 1 : 0;
          if (met >= fewest) continue;
          fewest = met;
          expected.way = way;
        }
        others +=
            std::count(expected.way.begin(), expected.way.end(), 0U) != static_cast<std::ptrdiff_t>(levels);
        there[entry.number] = {expected.flow, expected.way};
        std::vector<std::pair<std::uint32_t, std::uint32_t>> words;
        for (const FredFlowEntry::Word& word : expected.words()) words.emplace_back(word.number, word.value);
        EXPECT_EQ(configuration(entry), words) << ports << " ports, entry " << k;
      }
    }
  EXPECT_GT(others, 100U) << "not all go the first way";
}

TEST(FredConfiguration, ThreeMiddlesAndFourPrioritiesAreUsual) {
  RtlEntry entry;
  entry.inputs = {0};
  entry.outputs = {0};
  entry.priority = 9;
  RtlDesign spelled = design(12);
  spelled.parameters = {"M=3", "PRIORITIES=4"};
  const RtlConfiguration usual = rtl_configuration(design(12)), same = rtl_configuration(spelled);
  for (std::uint32_t k = 0; k < 4; ++k) {
    entry.number = k;
    entry.inputs = entry.outputs = {2 * k / 3 + k};
    EXPECT_EQ(usual(entry), same(entry));
  }
}

TEST(RtlConfigurations, AreNoneOrFred) {
  EXPECT_FALSE(rtl_configuration(design(4, "")));
  try {
    rtl_configuration(design(4, "mesh"));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "the RTL design 'test' asks for the configuration 'mesh'; known: fred");
  }
}

// A design may have more ports and channels than the switch; those have no limit.
TEST(BenchParams, PutTheRoomsOfTheRecordingAtThePortsOfTheDesign) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/r.rec";
  RtlRecordingHead head;
  head.switch_name = "l1_0";
  head.ports = 3;
  head.channels = 2;
  head.flit_bytes = 64;
  head.clock_hz = 1'500'000'000;
  head.rooms = {1, 2, 3, 4, 5, 6};
  RtlRecorder recorder(path);
  recorder.begin(head);
  recorder.close();
  RtlDesign of = design(4);
  of.channels = 3;
  of.flit_bits = 512;
  const RtlRecordingReader recording(path);
  const RtlBenchParams params = bench_params(recording, of, {});
  EXPECT_EQ(params.clock.hz, 1'500'000'000U);
  EXPECT_EQ(params.rooms, (std::vector<std::uint32_t>{1, 2, 0, 3, 4, 0, 5, 6, 0, 0, 0, 0}));
  const auto refused = [&](const RtlDesign& other) {
    try {
      bench_params(recording, other, {});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  RtlDesign bad = of;
  bad.flit_bits = 256;
  EXPECT_EQ(refused(bad), "the recording of l1_0 has 64 bytes in a flit, the design 'test' 32");
  bad = of;
  bad.ports = 2;
  EXPECT_EQ(refused(bad), "the recording of l1_0 has 3 ports, the design 'test' 2");
  bad.ports = 3;
  EXPECT_EQ(refused(bad), "");
  bad.channels = 1;
  bad.protocol = RtlProtocol::axi4_stream;
  EXPECT_EQ(bench_params(recording, bad, {}).rooms, (std::vector<std::uint32_t>{1, 3, 5}))
      << "a stream has one";
  bad.protocol = RtlProtocol::credit_stream;
  EXPECT_EQ(refused(bad), "the recording of l1_0 has 2 channels, the design 'test' 1");
}

}  // namespace
}  // namespace wafertlm
