// SPDX-License-Identifier: Apache-2.0
// What `wafertlm run` writes for looking at a run, read by others: protobuf's parser, Python, GTKWave's
// converter.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "platform/report/instance_filter.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using test::read_text;
using test::run_tool;

// Two pipeline stages of two replicas: computations, messages and all-reduces.
const char* const kJob =
    "experiment: small\n"
    "platform: {platform: four, wafer: {width: 2, height: 2, fabric: {link_bandwidth: 100 GB/s, "
    "packet_bytes: "
    "16 KiB, injection_bandwidth: 100 GB/s, ejection_bandwidth: 100 GB/s}}}\n"
    "workload:\n"
    "  model: {model: two, layers: [{name: a, parameters: 200000, forward_operations: 100000000, "
    "activation_bytes: 300000}, {name: b, parameters: 100000, forward_operations: 200000000, "
    "activation_bytes: 100000}]}\n"
    "  parallelism: DP(2)-PP(2)\n"
    "  samples_per_replica: 4\n"
    "  microbatches: 2\n"
    "  optimizer_operations_per_parameter: 0\n"
    "  effective_flops: 10 TFLOPS\n"
    "iterations: 2\n";

class Looking : public ::testing::Test {
 protected:
  test::TempFolder folder;
  const std::string experiment = folder.write("small.yaml", kJob);

  std::string out(const std::string& name) const { return folder.path() + "/" + name; }
  void run(const std::string& name, const std::string& options) {
    const auto result = run_tool("run " + experiment + " --out " + out(name) + " " + options);
    ASSERT_EQ(result.exit_code, 0) << result.error;
  }
  /// Runs a script of tests/support; returns its exit code.
  static int script(const std::string& arguments) {
    return std::system(("python3 '" WAFERTLM_SOURCE_DIR "/tests/support/" + arguments).c_str());
  }
  void write(const std::string& name, const std::string& text) { folder.write(name, text); }
};

TEST_F(Looking, ThePerfettoTraceHoldsTheRun) {
  run("plain", "");
  run("traced", "--trace 'npu*' 'router*' 'hbm_*'");
  auto plain = nlohmann::json::parse(read_text(out("plain/results.json")));
  auto traced = nlohmann::json::parse(read_text(out("traced/results.json")));
  plain.erase("host");
  traced.erase("host");
  EXPECT_EQ(plain, traced);  // looking changes nothing
  const std::string trace = out("traced/trace.perfetto-trace"), results = out("traced/results.json");
  EXPECT_EQ(script("perfetto_check.py' " + trace + " " + results), 0);
  run("zipped", "--trace 'npu*' --trace-file " + out("t.gz"));
  EXPECT_EQ(script("perfetto_check.py' " + out("t.gz") + " " + results), 0);
  EXPECT_LT(fs::file_size(out("t.gz")), fs::file_size(trace) / 2);
  // A file that was cut off: within the last packet, or before it (the end of the trace is about 80 bytes).
  const std::string text = read_text(trace);
  for (const std::size_t cut : {text.size() - 1, text.rfind("slices") - 60, text.size() / 2}) {
    write("cut", text.substr(0, cut));
    EXPECT_NE(script("perfetto_check.py' " + out("cut") + " " + results + " 2>/dev/null"), 0) << cut;
  }
}

TEST_F(Looking, AWindowKeepsOnlyWhatOverlapsIt) {
  run("all", "--trace 'npu*'");
  run("part", "--trace 'npu0:0us-10us'");
  EXPECT_EQ(script("perfetto_check.py' " + out("part/trace.perfetto-trace")), 0);
  EXPECT_LT(fs::file_size(out("part/trace.perfetto-trace")),
            fs::file_size(out("all/trace.perfetto-trace")) / 3);
}

TEST_F(Looking, WaveformsSayAtEveryMomentWhatTheTransactionLogSays) {
  const std::string chosen = "'router*_to_*' 'operations_*'";
  run("a", "--log " + chosen + " --vcd " + out("a.vcd") + " --signals " + chosen + " 'npu*' hbm_0");
  EXPECT_EQ(script("waves_check.py' " + out("a.vcd") + " " + out("a/transactions.sqlite")), 0);
  const std::string view = read_text(out("a.vcd.gtkw"));
  EXPECT_NE(view.find("@800200\n-npu0\n"), std::string::npos);
  EXPECT_NE(view.find("npu0.state[1:0]"), std::string::npos);
  EXPECT_NE(read_text(out("a.vcd.state.txt")).find("1 computes"), std::string::npos);
}

TEST_F(Looking, TheDiffFindsTheFirstDivergence) {
  const std::string log = "--log 'router*_to_router*' 'operations_*'";
  run("a", log);
  run("b", log + " --set run.checkers=true");  // checkers on all sockets change nothing
  EXPECT_EQ(run_tool("trace diff " + out("a") + " " + out("b")).out, "The logs are the same.\n");
  run("c", log + " --set wafer.fabric.link_latency=21ns");
  const auto differs = run_tool("trace diff " + out("a") + " " + out("c"));
  EXPECT_EQ(differs.exit_code, 1);
  // The first packet of all leaves at the same time in both; only its head arrives later.
  EXPECT_NE(differs.out.find("first divergence at "), std::string::npos) << differs.out;
  EXPECT_NE(differs.out.find(": head_ps, end_req_ps\n"), std::string::npos) << differs.out;
  run("d", "--log 'operations_*'");
  EXPECT_EQ(run_tool("trace diff " + out("a") + " " + out("d")).exit_code, 2);  // other sockets
  const std::string text = read_text(out("a/transactions.sqlite"));
  std::string hole = text;
  hole.replace(text.size() / 2 / 4096 * 4096, 4096, 4096, '\0');
  for (const std::string& damaged :
       {text.substr(0, text.size() / 2), text.substr(0, text.size() - 100), hole}) {
    write("cut.sqlite", damaged);
    EXPECT_EQ(run_tool("trace diff " + out("a") + " " + out("cut.sqlite")).exit_code, 2) << damaged.size();
  }
}

// Where one log goes on after the other's end, this is the first divergence.
TEST_F(Looking, TheDiffOfALongerLogBeginsBehindTheShorterOne) {
  run("one", "--log operations_0 --set iterations=1");
  run("two", "--log operations_0 --set iterations=2");
  for (const auto& [a, b] : {std::pair("one", "two"), std::pair("two", "one")}) {
    const auto differs = run_tool("trace diff " + out(a) + " " + out(b));
    EXPECT_EQ(differs.exit_code, 1);
    EXPECT_NE(differs.out.find(": only one has it\n"), std::string::npos) << differs.out;
    EXPECT_EQ(differs.out.find("at 0 ps"), std::string::npos) << differs.out;
  }
}

TEST_F(Looking, ExplainStatesGainsAndRealRunsBesideThem) {
  run("a", "");
  const auto explained = run_tool("explain " + out("a") + " --rerun");
  EXPECT_EQ(explained.exit_code, 0) << explained.error;
  // 280 us of the iteration are a chain of computations; its messages take 40.02 ns, its all-reduce 4.04 us.
  EXPECT_NE(explained.out.find("1. compute: 280.0 us"), std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("class dp: 4.040 us"), std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("a real run with it next to instant: 280.0 us"), std::string::npos)
      << explained.out;
}

TEST_F(Looking, CompareShowsSpeedups) {
  run("a", "");
  run("b", "--set wafer.fabric.link_bandwidth=200GB/s");
  const auto compared = run_tool("compare " + out("a") + " " + out("b") + " --out " + out("c.html"));
  EXPECT_EQ(compared.exit_code, 0) << compared.error;
  EXPECT_NE(compared.out.find("1.000"), std::string::npos);
  EXPECT_NE(read_text(out("c.html")).find("\"runs\":["), std::string::npos);
  EXPECT_EQ(run_tool("compare " + out("a") + " " + folder.path()).exit_code, 2);
}

TEST_F(Looking, OptionsThatNameNothingAreRefusedBeforeTheRun) {
  for (const std::string options :
       {"--trace npu0:5", "--trace npu0:9us-1us", "--trace @dp", "--signals npu0", "--signals nobody",
        "--log nobody", "--trace-file x", "--report=a/b.html", "--trace 'npu0:0us-1furlong'",
        "--trace nobody", "--trace npu0@noclass", "--trace npu0 --log nobody", "--report=results.json"}) {
    const std::string vcd = options == "--signals nobody" ? " --vcd " + out("a.vcd") : "";
    const auto result = run_tool("run " + experiment + " --out " + out("x") + " " + options + vcd);
    EXPECT_EQ(result.exit_code, 2) << options << result.error;
    EXPECT_FALSE(fs::exists(out("x/results.json")));
    EXPECT_FALSE(fs::exists(out("a.vcd"))) << "half-written";
  }
}

TEST_F(Looking, ARefusedRunLeavesTheOneBeforeAsItWas) {
  run("a", "");
  const std::string before = read_text(out("a/results.json"));
  write("old.vcd", "kept");
  for (const std::string& options :
       {std::string("--trace npu0 --log nobody"), "--vcd " + out("old.vcd") + " --signals nobody"})
    EXPECT_EQ(run_tool("run " + experiment + " --out " + out("a") + " " + options).exit_code, 2);
  EXPECT_EQ(read_text(out("a/results.json")), before);
  EXPECT_EQ(read_text(out("old.vcd")), "kept");
}

TEST_F(Looking, ResultsThatAreNoneAreRefused) {
  run("a", "");
  for (const char* text : {R"({"iterations":[],"iteration_time_s":0.1})",
                           R"({"iterations":[{}],"iteration_time_s":1})", "[]", "{"}) {
    write("bad.json", text);
    EXPECT_EQ(run_tool("compare " + out("a") + " " + out("bad.json") + " --out " + out("c.html")).exit_code,
              2);
    EXPECT_FALSE(fs::exists(out("c.html")));
  }
}

TEST(InstanceFilter, TakesByNameClassAndWindow) {
  const InstanceFilter filter({"npu*@dp:1us-2us", "router0->*"});
  EXPECT_TRUE(filter.instance("npu17") && filter.instance("router0->router1") && !filter.instance("hbm_0"));
  EXPECT_TRUE(filter.takes("npu1", "dp", 1'500'000, 1'600'000));
  EXPECT_TRUE(filter.takes("npu1", "dp", 0, 1'000'000));
  EXPECT_FALSE(filter.takes("npu1", "dp", 2'000'000, 3'000'000));
  EXPECT_FALSE(filter.takes("npu1", "mp", 1'500'000, 1'600'000));
  EXPECT_TRUE(filter.takes("router0->npu0", "", 0, 1));
}

}  // namespace
}  // namespace wafertlm
