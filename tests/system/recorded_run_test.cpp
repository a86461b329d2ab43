// SPDX-License-Identifier: Apache-2.0
// What records a run (report, trace, waveforms) agrees with its results.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/perfetto_file.h"
#include "tests/support/squeezed.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_nodes.h"
#include "tests/support/vcd_file.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

using nlohmann::json;

/// Four ranks on a 3x2 mesh compute, load and store, send, and reduce. Of rank 0 computations, messages and
/// accesses overlap.
class RecordedRun : public testing::Test {
 protected:
  static constexpr std::uint32_t kNpus = 6, kRanks = 4;

  RecordedRun() {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      std::vector<chakra::Node> nodes{compute(1, 3'000'000 * (rank + 1)), load(2, 0), cpu(3, 2'000'000, {2}),
                                      all_reduce(4, 0, {1}, 300'000), store(5, 0, {3})};
      nodes[1].tensor_size = 5'000'000 + rank;
      nodes[4].tensor_size = 3'000'000;
      if (rank == 0) nodes.push_back(send(6, 3, 7, 0));
      if (rank == 3) nodes.push_back(receive(6, 0, 7));
      if (nodes.size() > 5) nodes[5].comm_size = 500'000;
      chakra::VectorSource source("rank", nodes);
      chakra::write_trace(source, fmt::format("{}/job.{}.et", folder.path(), rank));
    }
    experiment = folder.write("e.yaml",
                              "experiment: e\n"
                              "platform: {platform: p, wafer: {width: 3, height: 2, fabric: {link_bandwidth: "
                              "100 GB/s, packet_bytes: 16 KiB, injection_bandwidth: 100 GB/s, "
                              "ejection_bandwidth: 100 GB/s}}}\n"
                              "workload: {workload: w, chakra: job}\niterations: 2\n");
  }
  json run(const std::string& options) {
    const ToolResult result = run_tool("run " + experiment + " --out " + out + " " + options);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    printed = result.out;
    return json::parse(read_text(out + "/results.json"));
  }
  /// What the report's page holds.
  json page(const std::string& name) const {
    const std::string text = read_text(out + "/" + name),
                      before = R"(<script type="application/json" id="data">)";
    const std::size_t begin = text.find(before) + before.size();
    EXPECT_EQ(text.find("@DATA@"), std::string::npos);
    EXPECT_EQ(text.substr(text.size() - 8), "</html>\n");
    return json::parse(text.substr(begin, text.find("</script>", begin) - begin));
  }
  bool was_printed(const std::string& line) const { return printed.find(line) != std::string::npos; }

  TempFolder folder;
  std::string experiment, out = folder.path() + "/out", printed;
};

double sum_of(const json& numbers) {
  double all = 0;
  for (const json& number : numbers) all += number.get<double>();
  return all;
}

TEST_F(RecordedRun, TheReportHoldsTheRun) {
  const json results = run("--report=\"shown.html\"");
  EXPECT_TRUE(was_printed("  " + out + "/shown.html\n")) << printed;
  const json data = page("shown.html");
  EXPECT_EQ(data["results"], results);
  EXPECT_EQ(data["resolved"], read_text(out + "/resolved.yaml"));
  EXPECT_EQ(
      data["layout"],
      json::parse(
          R"({"kind": "mesh", "width": 3, "height": 2, "dead": [], "npus": 6, "npu_of_rank": [0, 1, 2, 3]})"));
  const double end_ps = results["simulation"]["end_s"].get<double>() * 1e12;
  const json &links = data["links"], &memories = data["memories"];
  ASSERT_EQ(links["busy"].size(), results["links"].size());
  for (std::size_t i = 0; i < results["links"].size(); ++i) {
    const json& fractions = links["busy"][i];
    const double width = links["bucket_ps"].get<double>();
    double busy_ps = sum_of(fractions) / 1e4 * width;
    // The last bucket ends with the run.
    if (!fractions.empty() && static_cast<double>(fractions.size()) * width > end_ps)
      busy_ps -=
          fractions.back().get<double>() / 1e4 * (static_cast<double>(fractions.size()) * width - end_ps);
    EXPECT_NEAR(busy_ps, results["links"][i]["busy_fraction"].get<double>() * end_ps,
                static_cast<double>(fractions.size()) * width * 1e-4)
        << results["links"][i]["name"];
  }
  ASSERT_EQ(memories["read"].size(), kNpus);
  for (std::size_t n = 0; n < kNpus; ++n) {
    EXPECT_NEAR(sum_of(memories["read"][n]), results["memories"][n]["bytes_read"].get<double>(), 100);
    EXPECT_NEAR(sum_of(memories["written"][n]), results["memories"][n]["bytes_written"].get<double>(), 100);
  }
  EXPECT_EQ(results["memories"][1]["bytes_read"], 2 * 5'000'001);
  EXPECT_EQ(data["timeline"]["operations"].size(), 2 * (kRanks * 5 + 2));
  std::array<double, kRanks> spent{};
  for (const json& row : data["timeline"]["spent"])
    spent.at(row[0].get<std::size_t>()) += row[2].get<double>() - row[1].get<double>();
  for (const double each : spent) EXPECT_NEAR(each, end_ps, 1);
}

// Areas under the counters: of a link the time it is busy, of a memory its bytes.
TEST_F(RecordedRun, TheCountersOfATraceAddUp) {
  const json results = run("--trace '*'");
  const std::string path = out + "/trace.perfetto-trace";
  const PerfettoFile file(path);
  EXPECT_TRUE(
      was_printed(fmt::format("  {}   ({} slices, {} ends of arrows, {} counter values; ui.perfetto.dev)\n",
                              path, file.slices.size(), file.at_end.at("flows"), file.at_end.at("counters"))))
      << printed;
  const double end_s = results["simulation"]["end_s"].get<double>();
  const auto area = [&](const std::string& name) {  // in units of the value times a microsecond
    double all = 0;
    const auto found = file.counters.find(name);
    for (std::uint64_t us = 0; found != file.counters.end() && us < 1000; ++us)
      all += value_at(found->second, 1000 * us);
    return all;
  };
  for (const json& link : results["links"])
    EXPECT_NEAR(area(link["name"].get<std::string>() + " utilisation") / 100 * 1e-6,
                link["busy_fraction"].get<double>() * end_s, 1e-12)
        << link["name"];
  for (const json& memory : results["memories"])
    for (const auto& [what, bytes] : {std::pair(" read", "bytes_read"), {" written", "bytes_written"}})
      EXPECT_NEAR(area(memory["name"].get<std::string>() + what) * 1e9 * 1e-6, memory[bytes].get<double>(),
                  1e-3);
  // All queues are empty in the end; of rank 0's message and its all-reduce one waits for the other.
  double most = 0;
  for (std::uint32_t npu = 0; npu < kNpus; ++npu) {
    const auto found = file.counters.find(fmt::format("npu{} packets waiting to leave", npu));
    if (found == file.counters.end()) continue;
    EXPECT_LT(npu, kRanks) << "the others send nothing";
    EXPECT_EQ(found->second.back().second, 0);
    for (const auto& [ns, value] : found->second) most = std::max(most, value);
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(file.end_ns, static_cast<std::uint64_t>(end_s * 1e9));
}

TEST_F(RecordedRun, TheWaveformsOfAllLinksAddUp) {
  const std::string vcd = folder.path() + "/all.vcd";
  const json results = run("--vcd " + vcd);
  EXPECT_TRUE(was_printed(fmt::format("  {0}   (gtkwave {0})\n", vcd))) << printed;
  VcdChanges changes = read_vcd(vcd);
  EXPECT_EQ(changes.size(), 4 * results["links"].size());
  const double end_ps = results["simulation"]["end_s"].get<double>() * 1e12;
  for (const json& link : results["links"]) {
    std::string name = link["name"].get<std::string>();
    name.replace(name.find("->"), 2, "_to_");
    double busy_ps = 0;
    ASSERT_EQ(changes.count(name + ".busy"), 1U) << name;
    for (const auto& [at, value] : changes[name + ".busy"])
      busy_ps += (value == 0 ? 1 : -1) * static_cast<double>(at);
    EXPECT_NEAR(busy_ps, link["busy_fraction"].get<double>() * end_ps, 1) << name;
  }
}

/// What an NPU does of several things: computing counts most, then communication.
std::uint64_t state_at(const json& operations, const json& strings, std::uint32_t rank, std::uint64_t at) {
  bool computes = false, communicates = false, accesses = false;
  for (const json& row : operations) {
    if (row[0] != rank || row[4].get<std::uint64_t>() > at || row[6].get<std::uint64_t>() <= at) continue;
    const std::string kind = strings[row[1].get<std::size_t>()];
    if (kind == "compute" || kind == "cpu")
      computes = true;
    else if (kind == "memory_load" || kind == "memory_store")
      accesses = true;
    else
      communicates = true;
  }
  return computes ? 1 : communicates ? 2 : accesses ? 3 : 0;
}

TEST_F(RecordedRun, TheWaveformsOfNpusAndMemoriesSayWhatTheyDo) {
  const std::string vcd = folder.path() + "/some.vcd";
  const json results = run("--report --vcd " + vcd + " --signals 'npu?' hbm_1 'hbm_[45]'");
  EXPECT_TRUE(was_printed(fmt::format("  {0}   (10 signals; gtkwave {0} {0}.gtkw)\n", vcd))) << printed;
  VcdChanges changes = read_vcd(vcd);
  const json timeline = page("report.html")["timeline"];
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const auto& its = changes[fmt::format("npu{}.state", rank)];
    std::uint64_t before = 0;
    EXPECT_GT(its.size(), 4U);
    for (const auto& [at, value] : its) {
      EXPECT_EQ(value, state_at(timeline["operations"], timeline["strings"], rank, at)) << rank << ' ' << at;
      EXPECT_EQ(before, state_at(timeline["operations"], timeline["strings"], rank, at - 1))
          << rank << ' ' << at;
      before = value;
    }
    EXPECT_EQ(before, 0U);
  }
  EXPECT_EQ(changes.count("npu4.state"), 0U) << "no rank is there";
  EXPECT_EQ(changes.count("hbm_0.reading"), 0U);
  EXPECT_FALSE(changes["hbm_1.reading"].empty());
  EXPECT_FALSE(changes["hbm_1.writing"].empty());
  EXPECT_TRUE(changes["hbm_4.reading"].empty() && changes["hbm_4.writing"].empty())
      << "nothing is stored there";
}

TEST_F(RecordedRun, TheLogCountsItsTransactions) {
  run("--log 'operations_*' memory_4");
  // Two iterations of 22 operations; of an operation a computation of a CPU is one, too.
  EXPECT_TRUE(was_printed(fmt::format("  {}/transactions.sqlite   (44 transactions)\n", out))) << printed;
  EXPECT_TRUE(was_printed("(nothing passed through memory_4, operations_4, operations_5)\n")) << printed;
}

TEST_F(RecordedRun, AFileOfAnEarlierRunDoesNotStay) {
  run("--report --trace npu0 --log operations_0");
  run("");
  for (const char* name : {"report.html", "trace.perfetto-trace", "transactions.sqlite"})
    EXPECT_EQ(read_text(out + "/" + name), "") << name;
}

TEST_F(RecordedRun, CompareDividesByTheFirst) {
  const json first = run("");
  out = folder.path() + "/second";
  const json second = run("--set wafer.fabric.link_bandwidth=50GB/s");
  const auto compared =
      run_tool(fmt::format("compare {0}/out/ {0}/second/results.json --out {0}/c.html", folder.path()));
  EXPECT_EQ(compared.exit_code, 0) << compared.error;
  const std::string &a = folder.path() + "/out", &b = folder.path() + "/second";
  const double compute_a = first["iterations"].back()["breakdown_s"]["compute"].get<double>() * 1e6,
               compute_b = second["iterations"].back()["breakdown_s"]["compute"].get<double>() * 1e6;
  const double time_a = first["iteration_time_s"].get<double>() * 1e6,
               time_b = second["iteration_time_s"].get<double>() * 1e6;
  EXPECT_GT(time_b, time_a);
  // Four significant digits: the times are between 10 and 100 us, 6 us of which are computations.
  std::string expected = fmt::format("{:<{}}    iteration  speedup      compute    share\n", "run", b.size());
  expected += fmt::format("{:<{}}     {:.2f} us    1.000     {:.3f} us  {:5.2f} %\n", a, b.size(), time_a,
                          compute_a, 100 * compute_a / time_a);
  expected += fmt::format("{}     {:.2f} us    {:.3f}     {:.3f} us  {:5.2f} %\n", b, time_b, time_a / time_b,
                          compute_b, 100 * compute_b / time_b);
  expected += fmt::format("Written:\n  {}/c.html\n", folder.path());
  const std::size_t table = compared.out.find("run  ");
  ASSERT_NE(table, std::string::npos) << compared.out;
  EXPECT_EQ(squeezed(compared.out.substr(table)), squeezed(expected));
  // Only the links are slower: what is longer is exposed communication.
  const std::string difference =
      b +
      ", against the first:\n  changed settings:\n"
      "    platform.wafer.fabric.link_bandwidth: 100 GB/s (e.yaml:2) -> 50 GB/s (--set)\n" +
      fmt::format(
          "  the last iteration: {:.2f} us -> {:.2f} us, +{:.3f} us\n    exposed_dp            +{:.3f} us",
          time_a, time_b, time_b - time_a, time_b - time_a);
  EXPECT_EQ(compared.out.substr(0, difference.size()), difference);
  out = folder.path();
  const json runs = page("c.html")["runs"];
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["name"], a);
  EXPECT_EQ(runs[1]["name"], b);
  EXPECT_EQ(runs[0]["results"], first);
  EXPECT_EQ(runs[1]["results"], second);
}

}  // namespace
}  // namespace wafertlm::test
