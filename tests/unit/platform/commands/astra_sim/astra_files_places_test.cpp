// SPDX-License-Identifier: Apache-2.0
// Errors in ASTRA-sim's files name the place in the user's file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "platform/spec/load.h"
#include "tests/unit/platform/commands/astra_sim/astra_files_fixture.h"

namespace wafertlm::astra_sim {
namespace {

/// One change of files that are right, and what is said: the place of the value in the user's file.
struct Wrong {
  const char *file, *what, *by;  ///< in which of the files the one takes the place of the other
  const char *place, *said;
};
constexpr const char* kNetworkLines =
    "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50, 25 ]\nlatency: [ 500, 600 ]\n";
constexpr const char* kSystemLines = R"({
  "scheduling-policy": "LIFO", "endpoint-delay": 10,
  "active-chunks-per-dimension": 1,
	"preferred-dataset-splits": 4,
  "all-reduce-implementation": ["ring", "direct"],
  "all-gather-implementation-custom": "/dev/null",
  "collective-optimization": "localBWAware", "intra-dimension-scheduling": "FIFO",
  "inter-dimension-scheduling": "themis",
  "roofline-enabled": 1, "peak-perf": 900, "local-mem-bw": 1600, "replay-only": 0
})";
constexpr const char* kMemoryLines = R"({
  "memory-type": "PER_NODE_MEMORY_EXPANSION",
  "remote-mem-latency": 1, "remote-mem-bw": 2,
  "num-nodes": 4, "num-npus-per-node": 2
})";

constexpr Wrong kWrong[] = {
    {"network.yml", "Switch", "Swich", "1:19", "'topology' has an unknown name; did you mean 'Switch'?"},
    {"network.yml", "Switch", "7", "1:19", "'topology' must be a list of names"},
    {"network.yml", "[ Ring, Switch ]", "{a: 1}", "1:11", "'topology' must be a list of names"},
    {"network.yml", "[ Ring, Switch ]", "[]", "1:11", "'topology' needs a value for each dimension"},
    {"network.yml", "[ 4, 2 ]", "[ 4 ]", "2:13", "needs a value for each dimension; topology has 2, this 1"},
    {"network.yml", "[ 4, 2 ]", "[ 4, 2.5 ]", "2:18", "'npus_count' must be whole numbers, got '2.5'"},
    {"network.yml", "[ 4, 2 ]", "[ 4, two ]", "2:18", "must be a number from 1 to 65536, got 'two'"},
    {"network.yml", "[ 4, 2 ]", "[ 0, 2 ]", "2:15", "must be a number from 1 to 65536, got '0'"},
    {"network.yml", "[ 4, 2 ]", "[ 60000, 2 ]", "2:22", "multiplies to more than 65536 NPUs, got '2'"},
    {"network.yml", "[ 50, 25 ]", "[ 50, 0 ]", "3:18", "'bandwidth' must be a number from 1e-09 to 8e+06"},
    {"network.yml", "[ 50, 25 ]", "[ 50, 25, 5 ]", "3:12", "needs a value for each dimension"},
    {"network.yml", "[ 500, 600 ]", "[ 500, -1 ]", "4:17", "'latency' must be a number from 0 to 1e+09"},
    {"network.yml", "[ 500, 600 ]", "[ 500 ]", "4:10", "needs a value for each dimension"},
    {"network.yml", "latency", "latencies", "4:1", "unknown key 'latencies'; did you mean 'latency'?"},
    {"network.yml", "latency: [ 500, 600 ]\n", "", "1:1", "'latency' is missing"},
    {"network.yml", "latency", "topology", "4:1", "the key 'topology' is written twice"},
    {"network.yml", "[ 500, 600 ]", "[ 500, 600", "4:1", "YAML syntax"},
    {"system.json", "LIFO", "LILO", "2:24", "must be one of LIFO, FIFO, EXPLICIT, got the text 'LILO'"},
    {"system.json", "\"LIFO\"", "[1]", "2:24", "must be one of LIFO, FIFO, EXPLICIT, got a list"},
    {"system.json", "10", "-10", "2:50", "'endpoint-delay' must be a number from 0 to 1e+09, got '-10'"},
    {"system.json", "dimension\": 1", "dimension\": 0", "3:34", "must be a number from 1 to 65536"},
    {"system.json", "splits\": 4", "splits\": 1.5", "4:30", "must be a whole number, got '1.5'"},
    {"system.json", "splits\": 4", "splits\": 2000", "4:30", "must be a number from 1 to 1024"},
    {"system.json", "splits\": 4", "split\": 4", "4:2", "unknown key 'preferred-dataset-split'"},
    {"system.json", "\"direct\"", "\"dirct\"", "5:41", "has an unknown algorithm; did you mean 'direct'?"},
    {"system.json", "\"direct\"", "\"oneRing\"", "5:41", "stands behind an algorithm of one dimension"},
    {"system.json", ", \"direct\"]", "]", "5:32", "needs an algorithm for each of the 2 dimensions"},
    {"system.json", "\"/dev/null\"", "\"/no/prog.xml\"", "6:39", "there is no file '/no/prog.xml'"},
    {"system.json", "\"/dev/null\"", "[\"a\", \"b\"]", "6:39", "must be one algorithm, for all dimensions"},
    {"system.json", "localBWAware", "local", "7:30", "must be one of baseline, localBWAware"},
    {"system.json", "\"FIFO\"", "\"FILO\"", "7:76", "must be one of FIFO, SCF, RG"},
    {"system.json", "themis", "thmis", "8:33", "must be one of baseline, themis"},
    {"system.json", "\"peak-perf\": 900, ", "", "9:23", "needs peak-perf and local-mem-bw, got '1'"},
    {"system.json", "900", "0", "9:39", "'peak-perf' must be a number from"},
    {"system.json", "1600", "true", "9:60", "'local-mem-bw' must be a number from"},
    {"system.json", "enabled\": 1", "enabled\": 2", "9:23", "must be a number from 0 to 1"},
    {"system.json", "only\": 0", "only\": \"x\"", "9:81", "must be a number from 0 to 1"},
    {"system.json", "replay-only", "peak-perf", "9:66", "the key 'peak-perf' is written twice"},
    {"system.json", "900,", "900", "9:56", "JSON syntax"},
    {"memory.json", "PER_NODE", "PER_NOD", "2:18", "must be one of NO_MEMORY_EXPANSION"},
    {"memory.json", "latency\": 1", "latency\": \"a\"", "3:25", "must be a number from 0 to 1e+09"},
    {"memory.json", "bw\": 2", "bw\": 0", "3:45", "'remote-mem-bw' must be above 0"},
    {"memory.json", ", \"remote-mem-bw\": 2", "", "1:1", "'remote-mem-bw' is missing"},
    {"memory.json", "nodes\": 4", "nodes\": 3", "4:16",
     "times num-npus-per-node, 2, must be the network's 8"},
    {"memory.json", "nodes\": 4", "nodes\": 3.5", "4:16", "must be a whole number"},
    {"memory.json", "node\": 2", "node\": 0", "4:40", "must be a number from 1 to 65536"},
    {"memory.json", ", \"num-npus-per-node\": 2", "", "1:1", "'num-npus-per-node' is missing"},
};

class AstraFilesPlaces : public AstraFiles, public testing::WithParamInterface<Wrong> {
 protected:
  /// The text of a file, changed if it is the one that is meant.
  static std::string text_of(const char* file, std::string text) {
    const Wrong wrong = GetParam();
    if (std::string(wrong.file) != file) return text;
    const std::size_t at = text.find(wrong.what);
    EXPECT_NE(at, std::string::npos) << wrong.what << " is not in " << text;
    return text.replace(at, std::string(wrong.what).size(), wrong.by);
  }
};

TEST_P(AstraFilesPlaces, AreThoseOfTheUsersFiles) {
  const std::string said = test::refusal_of<config::ConfigError>([&] {
    files_.workload = "/traces/job";
    const Conversion made =
        converted(text_of("network.yml", kNetworkLines), text_of("system.json", kSystemLines),
                  text_of("memory.json", kMemoryLines));
    config::Node experiment = made.experiment;
    experiment.add("platform", made.platform);
    config::load_experiment(experiment, {});
  });
  const Wrong& wrong = GetParam();
  const std::string place = fmt::format("{}/{}:{}: ", folder_.path(), wrong.file, wrong.place);
  EXPECT_EQ(said.substr(0, place.size()), place) << said;
  expect_part(said, wrong.said);
}
INSTANTIATE_TEST_SUITE_P(All, AstraFilesPlaces, testing::ValuesIn(kWrong));

TEST(AstraFilesWithoutNetwork, AreRefused) {
  Files files;
  const auto said = [&] {
    try {
      convert(files);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said(), "--network-configuration is missing");
  files.network = "empty";
  EXPECT_EQ(said(), "--network-configuration is missing");
  files.network = "/no/such/file";
  EXPECT_EQ(said(), "--system-configuration is missing");
  files.system = "/no/such/system";
  EXPECT_EQ(said(), "/no/such/file: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace wafertlm::astra_sim
