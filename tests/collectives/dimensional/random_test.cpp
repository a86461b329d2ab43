// SPDX-License-Identifier: Apache-2.0
// Random fabrics of dimensions: times against port_model.py, which knows nothing of the programs, and values
// proven at every rank.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/collectives/dimensional/dimensional_case.h"
#include "tests/collectives/dimensional/random.h"

namespace wafertlm {
namespace {

using test::DimensionalCase;
using test::outcome_by_dimension;
using test::Random;

struct Timed {
  DimensionalCase what;
  CollectiveType type{};
  std::uint64_t bytes = 0;
  std::string model;  ///< the same for port_model.py
};

std::vector<std::string> algorithms(const std::string& topology, std::uint64_t size) {
  std::vector<std::string> names = {"ring"};
  if (topology != "fully_connected") names.emplace_back("bidirectional_ring");
  if (topology == "ring") return names;
  names.emplace_back("direct");
  if (topology == "switch" && (size & (size - 1)) == 0) names.emplace_back("halving_doubling");
  return names;
}

/// Equal times of two stages would leave open which comes first, so FIFO goes with other orders than Themis'.
Timed random_case(Random& random) {
  Timed timed;
  std::string model, list;
  std::uint64_t npus = 1;
  const std::uint64_t dimensions = random.from_to(1, 3);
  for (std::uint64_t d = 0; d < dimensions; ++d) {
    const std::string topology = random.of({"ring", "fully_connected", "switch"});
    const std::uint64_t most = npus > 8 ? 3 : 8, size = random.from_to(2, most);
    const std::string algorithm = random.of(algorithms(topology, size));
    const std::uint64_t rate = random.from_to(10, 900) * 1'000'000'000,
                        latency = random.from_to(10, 2000) * 1000;
    npus *= size;
    const char* const comma = d == 0 ? "" : ", ";
    timed.what.dimensions += fmt::format("{}{{topology: {}, size: {}, bandwidth: {} B/s, latency: {} ps}}",
                                         comma, topology, size, rate, latency);
    list += comma + algorithm;
    model += fmt::format(
        R"({}{{"topology": "{}", "size": {}, "bandwidth": {}, "latency_ps": {}, "algorithm": "{}"}})", comma,
        topology, size, rate, latency, algorithm);
  }
  timed.what.chunks = static_cast<std::uint32_t>(random.from_to(1, 12));
  timed.type = std::vector{CollectiveType::all_reduce, CollectiveType::all_reduce, CollectiveType::all_gather,
                           CollectiveType::reduce_scatter}[random.below(4)];
  timed.bytes = 8 * npus * timed.what.chunks * random.from_to(100, 20000);
  std::string order = random.of({"ascending", "local_bandwidth_aware", "themis"});
  std::uint64_t active = 0;
  if (dimensions == 1) {
    order = "local_bandwidth_aware";
    active = random.below(timed.what.chunks + 1);
  }
  const std::string within = order == "themis" ? "smallest_first" : random.of({"fifo", "smallest_first"});
  const std::uint64_t stage = random.below(20) * 1000, receive = random.below(20) * 1000;
  const bool reduces = random.below(2) == 0;
  timed.what.endpoint = fmt::format("stage_cost: {} ps, receive_cost: {} ps{}", stage, receive,
                                    reduces ? ", reduction_bandwidth: 1600 GB/s" : "");
  timed.what.by_dimension = fmt::format(
      "order: {}, within: {}, active_chunks: {}, all_reduce: [{}], all_gather: [{}], reduce_scatter: [{}]",
      order, within, active == 0 ? "auto" : std::to_string(active), list, list, list);
  timed.model = fmt::format(
      R"({{"type": "{}", "bytes": {}, "chunks": {}, "active": {}, "order": "{}", "within": "{}", "stage_ps": {}, )"
      R"("receive_ps": {}, "reduction": {}, "dimensions": [{}]}})",
      to_string(timed.type), timed.bytes, timed.what.chunks, active, order, within, stage, receive,
      reduces ? "1600e9" : "0", model);
  return timed;
}

/// The answers of port_model.py.
std::vector<double> model_times(const std::vector<Timed>& cases) {
  const test::TempFolder folder;
  std::string text;
  for (const Timed& timed : cases) text += timed.model + "\n";
  const std::string answers = folder.path() + "/times";
  const std::string command = "python3 '" WAFERTLM_SOURCE_DIR
                              "/tests/collectives/dimensional/port_model.py' '" +
                              folder.write("cases", text) + "' > '" + answers + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(answers);
  std::vector<double> times(cases.size());
  for (double& time : times) EXPECT_TRUE(in >> time);
  return times;
}

/// Simulates all of them and prints the worst.
void expect_model_times(const std::vector<Timed>& cases) {
  const std::vector<double> expected = model_times(cases);
  double worst = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto time =
        outcome_by_dimension(cases[i].what, cases[i].type, cases[i].bytes)["time"].get<double>();
    EXPECT_NEAR(time, expected[i], 0.005 * expected[i]) << cases[i].model;
    worst = std::max(worst, std::abs(time / expected[i] - 1));
  }
  std::printf("%zu fabrics: at most %.4f %% from the model\n", cases.size(), 100 * worst);
}

std::vector<Timed> random_cases(std::uint64_t seed, int count) {
  Random random(seed);
  std::vector<Timed> cases;
  for (int i = 0; i < count; ++i) cases.push_back(random_case(random));
  return cases;
}

TEST(DimensionalRandom, TimesOfAnIndependentModel) { expect_model_times(random_cases(7, 50)); }

TEST(DimensionalRandom, TheSameWithMessagesInOnePiece) {
  std::vector<Timed> cases = random_cases(8, 50);
  for (Timed& timed : cases) timed.what.fabric = "transport: messages";
  expect_model_times(cases);
}

// Both transports to the picosecond, but for what shares the way into an NPU: that is 9 PB/s for packets.
TEST(DimensionalRandom, MessagesTakeAsLongAsPackets) {
  for (Timed& timed : random_cases(9, 12)) {
    const auto packets = outcome_by_dimension(timed.what, timed.type, timed.bytes)["time"].get<double>();
    timed.what.fabric = "transport: messages";
    const auto messages = outcome_by_dimension(timed.what, timed.type, timed.bytes)["time"].get<double>();
    EXPECT_NEAR(messages, packets, 1e-6 * packets) << timed.model;
  }
}

// Networks that are not in the paper's table: all-reduces of 64 chunks in each of the three ways.
TEST(Themis, TenOtherNetworks) {
  Random random(19);
  std::vector<Timed> cases;
  for (int i = 0; i < 10; ++i) {
    std::string dimensions, model, list;
    std::uint64_t npus = 1;
    for (std::uint64_t d = 0, count = random.from_to(2, 4); d < count; ++d) {
      const std::string topology = random.of({"ring", "fully_connected", "switch"});
      const std::uint64_t size = npus >= 32 ? 2 : std::uint64_t{1} << random.from_to(1, 3);
      const std::string algorithm = topology == "switch"            ? "halving_doubling"
                                    : topology == "fully_connected" ? "direct"
                                                                    : "bidirectional_ring";
      const std::uint64_t rate = random.from_to(10, 200) * 1'000'000'007,
                          latency = random.from_to(20, 1700) * 1000;
      const char* const comma = d == 0 ? "" : ", ";
      npus *= size;
      dimensions += fmt::format("{}{{topology: {}, size: {}, bandwidth: {} B/s, latency: {} ps}}", comma,
                                topology, size, rate, latency);
      model += fmt::format(
          R"({}{{"topology": "{}", "size": {}, "bandwidth": {}, "latency_ps": {}, "algorithm": "{}"}})",
          comma, topology, size, rate, latency, algorithm);
      list += comma + algorithm;
    }
    const std::uint64_t bytes = npus * 64 * 4096 * random.from_to(1, 100);
    for (const auto& [order, within] : {std::pair("ascending", "fifo"), std::pair("themis", "fifo"),
                                        std::pair("themis", "smallest_first")}) {
      Timed timed;
      timed.type = CollectiveType::all_reduce;
      timed.bytes = bytes;
      timed.what.dimensions = dimensions;
      timed.what.fabric = "transport: messages";
      timed.what.chunks = 64;
      timed.what.by_dimension = fmt::format("order: {}, within: {}, all_reduce: [{}]", order, within, list);
      timed.model = fmt::format(
          R"({{"type": "all_reduce", "bytes": {}, "chunks": 64, "active": 0, "order": "{}", "within": "{}", )"
          R"("stage_ps": 0, "receive_ps": 0, "reduction": 0, "dimensions": [{}]}})",
          bytes, order, within, model);
      cases.push_back(timed);
    }
  }
  expect_model_times(cases);
}

// Any number of active chunks, any split, any sides; tiny and uneven pieces; packets of one and of many per
// message.
TEST(DimensionalRandom, ValuesAreProven) {
  Random random(11);
  for (int i = 0; i < 30; ++i) {
    DimensionalCase what;
    std::string list;
    std::uint64_t npus = 1;
    const std::uint64_t dimensions = random.from_to(1, 3);
    for (std::uint64_t d = 0; d < dimensions; ++d) {
      const std::string topology = random.of({"ring", "fully_connected", "switch", "mesh"});
      const std::uint64_t size = random.from_to(2, npus > 6 ? 3 : 8);
      const bool power = (size & (size - 1)) == 0;
      npus *= size;
      what.dimensions +=
          fmt::format("{}{{topology: {}, size: {}, bandwidth: {} GB/s, latency: {} ns}}", d == 0 ? "" : ", ",
                      topology, size, random.from_to(10, 900), random.from_to(1, 900));
      list += (d == 0 ? "" : ", ") +
              random.of({"auto", "ring", "direct", "bidirectional_ring", power ? "halving_doubling" : "auto",
                         power ? "recursive_halving_doubling" : "auto"});
    }
    what.fabric = random.of({"packet_bytes: 64 B", "packet_bytes: 4 KiB", "packet_bytes: 1 GiB",
                             "transport: messages", "transport: messages"});
    what.chunks = static_cast<std::uint32_t>(random.from_to(1, 9));
    const std::string active = random.below(3) == 0 ? "auto" : std::to_string(random.from_to(1, what.chunks));
    what.by_dimension = fmt::format(
        "order: {}, within: {}, active_chunks: {}, all_reduce: [{}], all_gather: [{}], reduce_scatter: [{}], "
        "direct_window: {}",
        random.of({"ascending", "local_bandwidth_aware", "per_dimension", "themis"}),
        random.of({"fifo", "smallest_first"}), active, list, list, list, random.below(3));
    what.run =
        random.of({"functional: true, checkers: true", "functional: true, checkers: true, data_type: bf16"});
    const CollectiveType type =
        std::vector{CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter,
                    CollectiveType::all_to_all}[random.below(4)];
    const std::uint64_t bytes =
        type == CollectiveType::all_to_all ? 4 * npus * random.from_to(1, 60) : 4 * random.from_to(1, 4000);
    SCOPED_TRACE(fmt::format("{} | {} | {} | {} chunks, {} of {} B", what.dimensions, what.fabric,
                             what.by_dimension, what.chunks, to_string(type), bytes));
    EXPECT_NO_THROW(EXPECT_TRUE(outcome_by_dimension(what, type, bytes)["proven"].get<bool>()));
  }
}

TEST(DimensionalRandom, APowerOfTwoIsAskedForWithOnesThatWork) {
  DimensionalCase what;
  what.dimensions = "{topology: switch, size: 6, bandwidth: 1 GB/s, latency: 1 ns}";
  what.by_dimension = "all_reduce: [halving_doubling]";
  try {
    outcome_by_dimension(what, CollectiveType::all_reduce, 4096);
    FAIL() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("take ring or direct"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace wafertlm
