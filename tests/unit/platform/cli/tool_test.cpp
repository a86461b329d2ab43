// SPDX-License-Identifier: Apache-2.0
// What all commands have in common.
#include <gtest/gtest.h>

#include <regex>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using test::run_tool;
using test::ToolResult;

TEST(Tool, WordsThatItDoesNotKnowAreNamedWithTheNearest) {
  const auto refusal = [](const std::string& arguments) {
    const ToolResult result = run_tool(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    return result.error;
  };
  EXPECT_EQ(refusal("runn x").rfind(
                "wafertlm: there is no command 'wafertlm runn'; did you mean 'run'? there are: run, ", 0),
            0U);
  EXPECT_EQ(refusal("model memory strem hbm3"),
            "wafertlm: there is no command 'wafertlm model memory strem'; did you mean 'stream'? there are: "
            "compare, "
            "table, stream\n");
  EXPECT_EQ(
      refusal("model memory stream hbm3 --writs 3"),
      "wafertlm: there is no option --writs; did you mean '--writes'? (`wafertlm model memory stream --help` "
      "lists them)\n");
  EXPECT_EQ(refusal("run x --qqqqq"),
            "wafertlm: there is no option --qqqqq (`wafertlm run --help` lists them)\n");
  for (const auto& [former, now] :
       {std::pair("convert astra-sim", "convert` is `wafertlm astra-sim --convert"),
        std::pair("-q fred routes --json", "fred` is `wafertlm model fred"),
        std::pair("memory --help", "memory` is `wafertlm model memory"),
        std::pair("memory-engine p.yaml", "memory-engine` is `wafertlm model memory-engine")})
    EXPECT_EQ(refusal(former), std::string("wafertlm: `wafertlm ") + now + "` now\n");
  EXPECT_EQ(refusal(""), "wafertlm: A subcommand is required\n");
  EXPECT_EQ(refusal("run a b"), "wafertlm: The following argument was not expected: b\n");
}

TEST(Tool, HelpAndVersionAreNoErrors) {
  const ToolResult version = run_tool("--version"), help = run_tool("--help");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(std::regex_match(
      version.out, std::regex("wafertlm " WAFERTLM_VERSION " \\(commit ([0-9a-f]{12}|unknown)\\)\n"
                              "SystemC [0-9.]+\nVerilator [0-9.a-z]+\n"
                              "Compiler (g\\+\\+|clang) [^\n]+\n")))
      << version.out;
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("Exit codes: 0 done, 1 the run failed, 2 bad input, 128 + N ended by signal N."),
            std::string::npos);
  // Every command is there, with an example.
  for (const char* const name : {"run", "collective", "traffic", "check", "schema", "trace", "workload",
                                 "study", "compare", "explain", "astra-sim", "model", "rtl"}) {
    EXPECT_NE(help.out.find(std::string("\n  ") + name + " "), std::string::npos) << name;
    EXPECT_EQ(run_tool(std::string(name) + " --help").exit_code, 0) << name;
  }
}

TEST(Tool, BadInputIsOneLineAndCode2) {
  const test::TempFolder folder;
  for (const std::string& arguments :
       {std::string(), std::string("nothing"), std::string("check"), std::string("check --wrong"),
        std::string("check /no/such/file"),
        "check " + folder.write("p.yaml", "platform: p\nwafer: {width: x}\n"),
        "check " + folder.write("t.yaml",
                                "experiment: e\nplatform: " WAFERTLM_SOURCE_DIR
                                "/configs/platforms/wafer_mesh_5x4.yaml\nworkload: {workload: w, chakra: "
                                "none}\n"),
        std::string("check --set '' x")}) {
    const ToolResult result = run_tool(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(result.error.rfind("wafertlm: ", 0), 0U) << result.error;
    EXPECT_EQ(result.error.find('\n'), result.error.size() - 1) << result.error;
  }
  EXPECT_EQ(run_tool("check --set '' x").error,
            "wafertlm: --set: the value is empty; give one, or leave it out\n");
}

}  // namespace
}  // namespace wafertlm
