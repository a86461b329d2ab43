// SPDX-License-Identifier: Apache-2.0
// Help, man pages, completion and presets: all commands, from the same definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "platform/cli/help_format.h"
#include "platform/text/wrap.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using test::run_tool;
using test::ToolResult;

/// "trace info": what the program's own list, and those of its commands, name. "" is the program.
std::vector<std::string> all_commands() {
  std::vector<std::string> found = {""};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string above = found[i];
    std::istringstream help(run_tool(above + " --help").out);
    bool in_list = false;
    for (std::string line; std::getline(help, line);) {
      if (std::regex_match(line, std::regex("[A-Z][a-z]+:")))
        in_list = line != "Options:" && line != "Positionals:" && line.rfind("Example", 0) != 0;
      if (line.empty()) in_list = false;
      std::smatch name;
      if (in_list && std::regex_search(line, name, std::regex("^  ([a-z][a-z-]*)")))
        found.push_back(above.empty() ? name[1].str() : above + " " + name[1].str());
    }
  }
  return found;
}

TEST(CommandLine, HelpOfEveryCommandFitsAHundredColumnsAndHasAnExample) {
  const std::vector<std::string> commands = all_commands();
  EXPECT_GE(commands.size(), 40U);
  for (const std::string& command : commands) {
    const std::string help = run_tool(command + " --help").out;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
      EXPECT_TRUE(line.size() <= kTextColumns ||
                  line.find(' ', line.find_first_not_of(' ')) == std::string::npos)
          << command << ": " << line;
    const auto is_below = [&](const std::string& other) { return other.rfind(command + " ", 0) == 0; };
    if (command.empty() || std::any_of(commands.begin(), commands.end(), is_below)) continue;  // only a group
    EXPECT_NE(help.find("\n  wafertlm " + command), std::string::npos) << command;
  }
}

TEST(CommandLine, EveryCommandHasAManPage) {
  const test::TempFolder folder;
  ASSERT_EQ(run_tool("man --out " + folder.path()).exit_code, 0);
  std::set<std::string> pages, expected;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (const std::string name = entry.path().filename(); name[0] != '.') pages.insert(name);
  for (std::string name : all_commands()) {
    std::replace(name.begin(), name.end(), ' ', '-');
    expected.insert(name.empty() ? "wafertlm.1" : "wafertlm-" + name + ".1");
  }
  EXPECT_EQ(pages, expected);
  const std::string page = test::read_text(folder.path() + "/wafertlm-trace-info.1");
  EXPECT_EQ(run_tool("man trace info").out, page);
  EXPECT_NE(page.find(".SH SYNOPSIS\n.B wafertlm trace info\n"), std::string::npos);
  EXPECT_NE(test::read_text(folder.path() + "/wafertlm-run.1").find("\\fB\\-\\-set\\fR"), std::string::npos);
  EXPECT_EQ(run_tool("man rum").exit_code, 2);
}

TEST(CommandLine, LongTextIsBrokenAtSpacesOnly) {
  EXPECT_EQ(wrapped("aaa bbb ccc", 7), "aaa bbb\nccc");
  EXPECT_EQ(wrapped("aaa bbbbbbbbbb c", 7), "aaa\nbbbbbbbbbb\nc");
  EXPECT_EQ(wrapped_footer("Example:\n  wafertlm run a.yaml --set b=1", 26),
            "Example:\n  wafertlm run a.yaml \\\n      --set b=1\n");
}

/// What bash completes after these words.
std::string completed(const std::string& words, const std::string& current) {
  const test::TempFolder folder;
  const std::string script =
      folder.write("c.sh",
                   "source <(\"$1\" completion bash)\nshift\nCOMP_WORDS=(wafertlm \"$@\")\n"
                   "COMP_CWORD=$#\n_wafertlm\necho \"${COMPREPLY[@]}\"\n");
  const std::string out = folder.path() + "/out";
  const std::string command =
      "bash " + script + " " + test::tool_path() + " " + words + " '" + current + "' >" + out;
  EXPECT_EQ(std::system(command.c_str()), 0);
  return test::read_text(out);
}

TEST(Completion, InBashOffersCommandsOptionsAndValues) {
  EXPECT_EQ(completed("", "comp"), "compare completion\n");
  EXPECT_EQ(completed("trace", "obf"), "obfuscate\n");
  EXPECT_EQ(completed("run x.yaml", "--trace-"), "--trace-file\n");
  EXPECT_EQ(completed("synthesize --type", "all_r"), "all_reduce\n");
  EXPECT_EQ(completed("run", "resnet50_dp20_m"), "resnet50_dp20_mesh_5x4\n");
  EXPECT_EQ(completed("collective", "fred_d_r"), "fred_d_rtl\n");
  EXPECT_EQ(completed("run x.yaml --set", "wafer.fabric.link_b"), "wafer.fabric.link_bandwidth=\n");
  EXPECT_EQ(completed("workload show x --set", "microb"), "microbatches=\n");
  EXPECT_EQ(completed("run --out", "x"), "\n");  // a folder: bash completes it
}

TEST(Completion, InZshAndFishOffersPresetsAndKeys) {
  const auto has = [](const char* shell) {
    return std::system((std::string("command -v ") + shell + " >/dev/null").c_str()) == 0;
  };
  const test::TempFolder folder;
  const auto printed = [&](const std::string& command) {
    EXPECT_EQ(std::system((command + " >" + folder.path() + "/out").c_str()), 0) << command;
    return test::read_text(folder.path() + "/out");
  };
  if (has("zsh")) {
    const std::string script =
        folder.write("z", "compdef() { }\n" + run_tool("completion zsh").out + "_wafertlm_words \"$@\"\n");
    EXPECT_NE(printed("zsh -f " + script + " '' run run").find(" resnet50_dp20_mesh_5x4"), std::string::npos);
    EXPECT_NE(printed("zsh -f " + script + " waf --set run x --set").find("wafer.fabric.link_bandwidth= "),
              std::string::npos);
  }
  if (has("fish")) {
    const std::string script = folder.write("f", run_tool("completion fish").out);
    const auto offered = [&](const std::string& line) {
      return printed("HOME=" + folder.path() + " fish --no-config -c 'source " + script + "; complete -C \"" +
                     line + "\"'");
    };
    EXPECT_NE(offered("wafertlm run resnet50_dp20_m").find("resnet50_dp20_mesh_5x4"), std::string::npos);
    EXPECT_NE(offered("wafertlm run x --set wafer.fabric.link_b").find("wafer.fabric.link_bandwidth="),
              std::string::npos);
  }
}

TEST(Completion, ScriptsAreSoundToTheirShells) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (std::system(("command -v " + shell + " >/dev/null").c_str()) != 0) continue;
    const test::TempFolder folder;
    const std::string file = folder.write("script", run_tool("completion " + shell).out);
    EXPECT_EQ(std::system((shell + " -n " + file).c_str()), 0) << shell;
  }
  EXPECT_EQ(run_tool("completion csh").exit_code, 2);
}

TEST(Presets, AreFoundByName) {
  const ToolResult by_name = run_tool("check resnet50_dp20_mesh_5x4"),
                   by_path = run_tool("check " WAFERTLM_SOURCE_DIR
                                      "/configs/experiments/resnet50_dp20_mesh_5x4.yaml");
  EXPECT_EQ(by_name.exit_code, 0) << by_name.error;
  EXPECT_EQ(by_name.out, by_path.out);
  EXPECT_EQ(run_tool("check fred_d").exit_code, 0);
  const ToolResult typo = run_tool("run resnet50_dp20_mesh_5x5");
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_NE(typo.error.find("there is no file and no preset 'resnet50_dp20_mesh_5x5'; did you mean "
                            "'resnet50_dp20_mesh_5x4'?"),
            std::string::npos)
      << typo.error;
  EXPECT_NE(run_tool("presets experiments").out.find("\n  resnet50_dp20_mesh_5x4 "), std::string::npos);
}

TEST(NewFiles, PassTheCheckAndAreNotOverwritten) {
  const test::TempFolder folder;
  for (const std::string kind : {"platform", "workload", "experiment"}) {
    const std::string file = folder.path() + "/" + kind + ".yaml";
    const std::string command = "new " + kind + " 'my \"first\": #1' --out " + file;
    ASSERT_EQ(run_tool(command).exit_code, 0) << kind;
    const ToolResult checked = run_tool("check " + file);
    EXPECT_EQ(checked.exit_code, 0) << checked.error;
    EXPECT_EQ(run_tool(command).exit_code, 2);
    EXPECT_EQ(run_tool(command + " --force").exit_code, 0);
  }
  // The platform and the workload fit each other.
  const std::string both =
      folder.write("both.yaml", "experiment: e\nplatform: platform.yaml\nworkload: workload.yaml\n");
  const ToolResult checked = run_tool("check " + both);
  EXPECT_EQ(checked.exit_code, 0) << checked.error;
}

}  // namespace
}  // namespace wafertlm
