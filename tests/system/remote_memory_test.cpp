// SPDX-License-Identifier: Apache-2.0
// Loads and stores of traces, and what a workload offloads, through a platform's remote memory.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm::test {
namespace {

using nlohmann::json;

const std::string kMesh = std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml";

/// Two ranks load 1 MB each and then store it, on a pool of these keys.
json loads_and_stores(const std::string& pool, ToolResult& result, const std::string& more = "") {
  const TempFolder folder;
  for (const char* rank : {"0", "1"}) {
    chakra::Node in = load(1, 0), out = store(2, 0, {1});
    in.tensor_size = out.tensor_size = 1'000'000;
    chakra::VectorSource source("rank", {in, out});
    chakra::write_trace_file(source, folder.path() + "/job." + rank + ".et");
  }
  const std::string experiment = folder.write("e.yaml", "experiment: e\nplatform: {extends: " + kMesh +
                                                            (pool.empty() ? "" : ", remote_memory: " + pool) +
                                                            ", run: {checkers: true}" + more +
                                                            "}\nworkload: {workload: w, chakra: job}\n");
  result = run_tool("run " + experiment + " --out " + folder.path() + "/out");
  return result.exit_code == 0 ? json::parse(read_text(folder.path() + "/out/results.json")) : json();
}

TEST(RemoteMemoryRun, LoadsAndStoresOfTracesTakeLatencyAndBytesByBandwidth) {
  ToolResult result;
  const std::string keys = "capacity: 1 TB, bandwidth: 100 GB/s, latency: 2 us, local: free}";
  const json alone = loads_and_stores("{kind: per_npu, " + keys, result);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(alone["iterations"][0]["time_ps"], 2 * (2'000'000 + 10'000'000));
  EXPECT_EQ(alone["iterations"][0]["breakdown_ps"]["memory"], 2 * (2'000'000 + 10'000'000));
  EXPECT_EQ(alone["remote_memory"]["bytes_read"], 2'000'000);
  EXPECT_EQ(alone["remote_memory"]["bytes_written"], 2'000'000);
  EXPECT_EQ(alone["memories"][0]["bytes_read"], 0);
}

/// What is loaded is written to the HBM, what is stored is read from it: the slower of both and a chunk of
/// the other, and both latencies.
TEST(RemoteMemoryRun, PassesThroughTheHbm) {
  ToolResult result;
  for (const bool fast : {true, false}) {
    const std::string rate = fast ? "400 GB/s" : "50 GB/s";
    const json run = loads_and_stores(
        "{kind: per_npu, capacity: 1 TB, bandwidth: 100 GB/s, latency: 2 us, request_bytes: 50000 B}", result,
        ", npu: {hbm: {read_bandwidth: " + rate + ", write_bandwidth: " + rate + ", latency: 100 ns}}");
    ASSERT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(run["iterations"][0]["time_ps"],
              2 * (2'100'000 + (fast ? 10'000'000 + 125'000 : 500'000 + 20'000'000)));
    EXPECT_EQ(run["memories"][0]["bytes_read"], 1'000'000);
    EXPECT_EQ(run["memories"][0]["bytes_written"], 1'000'000);
  }
}

/// A memory is busy as long as the busier of its two directions is.
TEST(RemoteMemoryRun, TheHbmIsBusyWithItsSlowerDirection) {
  for (const auto& [read, write] : {std::pair{400, 50}, std::pair{25, 200}}) {
    ToolResult result;
    const json run = loads_and_stores(
        "{kind: per_npu, capacity: 1 TB, bandwidth: 100 GB/s, latency: 2 us}", result,
        fmt::format(", npu: {{hbm: {{read_bandwidth: {} GB/s, write_bandwidth: {} GB/s}}}}", read, write));
    ASSERT_EQ(result.exit_code, 0) << result.error;
    const double megabyte_s = 1e-3 / std::min(read, write);
    EXPECT_NEAR(run["memories"][0]["busy_fraction"], megabyte_s / run["iteration_time_s"].get<double>(),
                1e-12);
  }
}

TEST(RemoteMemoryRun, RefusesALoadThatDoesNotFit) {
  ToolResult result;
  const std::string small = ", npu: {hbm: {capacity: 999999 B}}";
  loads_and_stores("{kind: per_npu, capacity: 1 TB, bandwidth: 100 GB/s}", result, small);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("does not fit the memory of an NPU"), std::string::npos) << result.error;
  loads_and_stores("{kind: per_npu, capacity: 19.9 MB, bandwidth: 100 GB/s, local: free}", result);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.error.find("a load of 1000000 B failed"), std::string::npos) << result.error;
  EXPECT_NE(result.error.find("its part of the remote memory"), std::string::npos) << result.error;
}

/// A store and a computation that reads its operands, 1 MB each at 100 GB/s of the HBM, wait for each other.
TEST(RemoteMemoryRun, ContendsWithComputation) {
  const auto time_of = [](const std::string& local) {
    const TempFolder folder;
    chakra::Node out = store(1, 0), work = compute(2, 1'000'000);
    out.tensor_size = work.tensor_size = 1'000'000;
    chakra::VectorSource source("rank", {out, work});
    chakra::write_trace_file(source, folder.path() + "/job.0.et");
    const std::string experiment = folder.write(
        "e.yaml", "experiment: e\nplatform: {extends: " + kMesh +
                      ", remote_memory: {kind: per_npu, capacity: 1 TB, bandwidth: 1 TB/s, local: " + local +
                      "}, npu: {hbm: {read_bandwidth: 100 GB/s}, compute: {operands: hbm}}}\n"
                      "workload: {workload: w, chakra: job}\n");
    const ToolResult result = run_tool("run " + experiment + " --out " + folder.path() + "/out");
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return json::parse(read_text(folder.path() + "/out/results.json"))["iterations"][0]["time_ps"]
        .get<std::uint64_t>();
  };
  EXPECT_LT(time_of("free"), 11'200'000U);
  EXPECT_GT(time_of("hbm"), 20'000'000U);
}

TEST(RemoteMemoryRun, ASharedPoolServesBothInTurn) {
  ToolResult result;
  const json shared = loads_and_stores(
      "{kind: shared, capacity: 1 TB, bandwidth: 100 GB/s, latency: 2 us, local: free}", result);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  // 4 MB of bandwidth, and each rank's latency of the load and of the store where the other does not hide it.
  EXPECT_GE(shared["iterations"][0]["time_ps"], 40'000'000 + 2'000'000);
  EXPECT_LE(shared["iterations"][0]["time_ps"], 40'000'000 + 4'000'000);
  // The pool is never idle but for those latencies. Some request waits for one of the other rank's, and all
  // of them no longer than the pool is busy.
  const json& pool = shared["remote_memory"];
  EXPECT_DOUBLE_EQ(pool["busiest_server_fraction"].get<double>(),
                   40e6 / shared["iterations"][0]["time_ps"].get<double>());
  EXPECT_GT(pool["longest_wait_s"], 0);
  EXPECT_GE(pool["request_wait_s"], pool["longest_wait_s"]);
  EXPECT_LE(pool["longest_wait_s"], 40e-6);
}

TEST(RemoteMemoryRun, EnginesCountWhatTheyMove) {
  ToolResult result;
  const json run = loads_and_stores(
      "{kind: shared, capacity: 1 GiB, bandwidth: 100 GB/s, engine: {integrity: tree, tree_cached_levels: "
      "1}}",
      result);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json& engines = run["remote_memory"]["engines"];
  EXPECT_EQ(engines["bytes_read"], 2'000'000);
  EXPECT_EQ(engines["bytes_written"], 2'000'000);
  // 244 whole pages and a part each; requests of 64 KiB begin with a page.
  EXPECT_EQ(engines["pages_written"], 2 * 245);
  EXPECT_EQ(engines["pages_read"], 2 * (245 + 1));
  EXPECT_EQ(engines["refusals"], json::object());
  EXPECT_GT(engines["network_bytes"], 4'000'000);
  EXPECT_DOUBLE_EQ(engines["traffic_amplification"], engines["network_bytes"].get<double>() / 4e6);
  EXPECT_GT(engines["page_mean_s"], 2e-6);
  EXPECT_GT(engines["page_p99_s"], engines["page_mean_s"]);
  // Two links of 12.5 GB/s and a provider that is shared.
  EXPECT_GT(engines["bytes_per_s"], 1e9);
  EXPECT_LT(engines["bytes_per_s"], 12.5e9);
}

/// Each kind has its providers: all NPUs share them, those of a node, or none.
TEST(RemoteMemoryRun, EnginesStandBeforeEveryFlatPool) {
  for (const auto& [kind, providers] : {std::pair<const char*, std::size_t>{"shared", 2},
                                        {"per_node, npus_per_node: 5", 8},
                                        {"per_npu", 40}}) {
    for (const char* const placement : {"interleaved, stripe_pages: 4", "blocked", "by_npu"}) {
      ToolResult result;
      const json run = loads_and_stores(
          "{kind: " + std::string(kind) +
              ", capacity: 1 GiB, bandwidth: 100 GB/s, engine: {providers: 2, placement: " + placement + "}}",
          result);
      ASSERT_EQ(result.exit_code, 0) << result.error;
      const json& engines = run["remote_memory"]["engines"];
      EXPECT_EQ(engines["bytes_read"], 2'000'000);
      EXPECT_EQ(engines["bytes_written"], 2'000'000);
      EXPECT_EQ(engines["refusals"], json::object());
      ASSERT_EQ(engines["providers"].size(), providers);
      std::uint64_t all = 0, used = 0;
      for (const json& provider : engines["providers"]) {
        all += provider["bytes_written"].get<std::uint64_t>();
        used += provider["bytes_written"] != 0;
      }
      EXPECT_EQ(all, run["remote_memory"]["bytes_written"]);
      // NPUs 0 and 1 are of one node.
      const std::uint64_t groups = kind == std::string("per_npu") ? 2 : 1, by_npu = 2;
      EXPECT_EQ(used, placement == std::string("blocked")  ? groups
                      : placement == std::string("by_npu") ? by_npu
                                                           : 2 * groups)
          << kind << ' ' << placement;
    }
  }
}

TEST(RemoteMemoryRun, WithoutOneTheyGoToTheHbm) {
  ToolResult result;
  const json run = loads_and_stores("", result);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(run["memories"][0]["bytes_read"], 1'000'000);
  EXPECT_FALSE(run.contains("remote_memory"));
}

/// A small model, data parallel on two NPUs, its optimizer in a pool.
TEST(RemoteMemoryRun, AnOffloadedOptimizerIsExposedMemoryTime) {
  const TempFolder folder;
  const auto run = [&](const std::string& more) {
    const std::string experiment = folder.write(
        "e.yaml",
        "experiment: e\nplatform: {extends: " + kMesh +
            ", remote_memory: {kind: shared, capacity: 1 TB, bandwidth: 100 GB/s}}\n"
            "workload:\n  workload: w\n  model: {model: m, transformer: {layers: 4, hidden: 256, heads: 8, "
            "sequence: 128, vocabulary: 1024}}\n  parallelism: MP(1)-DP(2)-PP(1)\n  samples_per_replica: 2\n"
            "  effective_flops: 400 TFLOPS\n" +
            more);
    const ToolResult result = run_tool("run " + experiment + " --out " + folder.path() + "/out");
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return json::parse(read_text(folder.path() + "/out/results.json"));
  };
  const json kept = run(""), offloaded = run("  offload_optimizer: true\n");
  EXPECT_EQ(kept["remote_memory"]["bytes_read"], 0);
  const auto bytes = offloaded["remote_memory"]["bytes_read"].get<double>();
  EXPECT_GT(bytes, 2 * 12 * 3e6);  // two copies of 12 B for each of the blocks' 3 M parameters
  EXPECT_EQ(offloaded["remote_memory"]["bytes_written"], bytes);
  EXPECT_GE(offloaded["iteration_time_s"].get<double>(), 2 * bytes / 100e9);
  EXPECT_GT(offloaded["iterations"][0]["breakdown_s"]["exposed_memory"].get<double>(), 0);
}

TEST(MemoryEngineCommand, PrintsThePriceOfSecurity) {
  constexpr double kOutstanding = 12;
  const TempFolder folder;
  const std::string file = folder.path() + "/price.json";
  const ToolResult result = run_tool(
      "model memory-engine " WAFERTLM_SOURCE_DIR
      "/configs/platforms/mesh_memory_engine.yaml --accesses 300 --set remote_memory.capacity=80MiB --set "
      "remote_memory.engine.outstanding=12 --json " +
      file);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("one-sided RDMA"), std::string::npos);
  const json written = json::parse(read_text(file)), &rows = written["rows"];
  ASSERT_EQ(rows.size(), 7U);
  for (std::size_t i = 1; i < 3; ++i)  // protection costs
    EXPECT_GT(rows[i]["load_s"].get<double>(), rows[i - 1]["load_s"].get<double>()) << i;
  // 1024 pages: ten levels, 40 blocks each way.
  EXPECT_NEAR(rows[6]["traffic_amplification"].get<double>(), 80 * (4096 + 32 + 2 * 64) / 4096.0, 0.01);
  EXPECT_TRUE(rows[2]["pattern_seen"].get<bool>());
  EXPECT_FALSE(rows[6]["pattern_seen"].get<bool>());
  for (const json& row : rows) EXPECT_GE(row["loaded_p99_s"], row["loaded_mean_s"]);
  // 80 MiB are the parts of 20 NPUs.
  std::string expected = fmt::format("{}: a host with 1024 pages of 4 KiB, 300 accesses, 50 % loads\n\n",
                                     written["platform"].get<std::string>());
  const auto head = [&](auto... names) {
    expected += fmt::format("{:<37}{:>9}{:>9}{:>11}{:>9}{:>9}{:>10}{:>9}\n", "", names...);
  };
  head("load", "store", "loaded", "p99", "GB/s", "traffic", "pattern");
  head("us", "us", "mean us", "us", "", "x", "");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json& row = rows[i];
    // One-sided, of a standard normal: a chi-square with so many degrees has nearly this (Wilson, Hilferty).
    EXPECT_EQ(row["pattern_seen"], row["p_value"].get<double>() < 1e-3);
    const double k = row["degrees_of_freedom"], v = 2 / (9 * k),
                 z = (std::cbrt(row["chi_square"].get<double>() / k) - (1 - v)) / std::sqrt(v);
    EXPECT_NEAR(row["p_value"].get<double>(), std::erfc(z / std::sqrt(2)) / 2, 0.01) << row;
    // Little's law: so many pages are under way.
    EXPECT_NEAR(row["bytes_per_s"].get<double>() * row["loaded_mean_s"].get<double>() / 4096, kOutstanding,
                0.1 * kOutstanding)
        << row;
    const auto us = [&](const char* key) { return row[key].get<double>() * 1e6; };
    expected += fmt::format("{:<37}{:>9.3f}{:>9.3f}{:>11.3f}{:>9.3f}{:>9.3f}{:>10.3f}{:>9}\n",
                            (i < 3 ? "" : "  ") + row["name"].get<std::string>(), us("load_s"), us("store_s"),
                            us("loaded_mean_s"), us("loaded_p99_s"), row["bytes_per_s"].get<double>() / 1e9,
                            row["traffic_amplification"].get<double>(),
                            row["pattern_seen"].get<bool>() ? "seen" : "hidden");
  }
  EXPECT_EQ(result.out.substr(0, expected.size()), expected);
  EXPECT_EQ(written["accesses"], 300);
  EXPECT_EQ(written["load_percent"], 50);
}

TEST(MemoryEngineCommand, LoadsOrStoresAlone) {
  const TempFolder folder;
  const std::string file = folder.path() + "/price.json";
  for (const bool loads : {true, false}) {
    const ToolResult result = run_tool("model memory-engine " WAFERTLM_SOURCE_DIR
                                       "/configs/platforms/mesh_memory_engine.yaml --accesses 100 --set "
                                       "remote_memory.capacity=80MiB --loads " +
                                       std::string(loads ? "100" : "0") + " --json " + file);
    ASSERT_EQ(result.exit_code, 0) << result.error;
    const json rows = json::parse(read_text(file))["rows"];
    for (const json& row : rows) {
      EXPECT_EQ(row["load_s"] == 0.0, !loads) << row;
      EXPECT_EQ(row["store_s"] == 0.0, loads) << row;
      EXPECT_GT(row["loaded_mean_s"], 0.0);
    }
  }
}

TEST(MemoryEngineCommand, RefusesPagesLargerThanARequest) {
  const ToolResult result =
      run_tool("model memory-engine " WAFERTLM_SOURCE_DIR
               "/configs/platforms/mesh_memory_engine.yaml --set remote_memory.engine.page=128KiB");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("128 KiB is more than a request (64 KiB)"), std::string::npos) << result.error;
}

TEST(MemoryEngineCommand, NeedsEngines) {
  const ToolResult result = run_tool("model memory-engine " + kMesh);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.error.find("no memory engines"), std::string::npos) << result.error;
}

}  // namespace
}  // namespace wafertlm::test
