// SPDX-License-Identifier: Apache-2.0
// `wafertlm new`: what it writes, and what it refuses.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/support/command_run.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {

std::function<int()> add_new_command(CLI::App& app);

namespace {

struct NewMistake {
  const char *name, *line, *refusal;
};

class NewFileRefusal : public testing::TestWithParam<NewMistake> {};

TEST_P(NewFileRefusal, SaysWhatToDo) {
  const test::TempFolder folder;
  folder.write("there.yaml", "mine");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const test::CommandRun run = test::run_command(add_new_command, GetParam().line);
  std::filesystem::current_path(before);
  EXPECT_EQ(run.refusal, GetParam().refusal);
  EXPECT_EQ(test::read_text(folder.path() + "/there.yaml"), "mine");
}

INSTANTIATE_TEST_SUITE_P(
    Lines, NewFileRefusal,
    testing::Values(NewMistake{"There", "new platform there",
                               "there.yaml is there already; take another name, or --force"},
                    NewMistake{"ThereToo", "new platform x --out there.yaml",
                               "there.yaml is there already; take another name, or --force"},
                    NewMistake{"APath", "new platform a/b", "NAME is no path; give the file with --out FILE"},
                    NewMistake{"New", "new workload w", ""}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(NewFile, HasItsNameAndSaysWhatIsNext) {
  const test::TempFolder folder;
  const std::string file = folder.path() + "/w.yaml";
  const test::CommandRun run = test::run_command(add_new_command, "new experiment first --out " + file);
  EXPECT_EQ(run.out, "Written:\n  " + file + "\nNext:\n  wafertlm run " + file +
                         "\n  wafertlm schema --out " + folder.path() +
                         "/wafertlm.schema.json   (an editor then knows all keys)\n");
  EXPECT_NE(test::read_text(file).find("\nexperiment: \"first\"\n"), std::string::npos);
  const test::CommandRun platform =
      test::run_command(add_new_command, "new platform p --force --out " + file);
  EXPECT_EQ(platform.out, "Written:\n  " + file + "\nNext:\n  wafertlm check " + file +
                              "\n  wafertlm schema --out " + folder.path() +
                              "/wafertlm.schema.json   (an editor then knows all keys)\n");
  EXPECT_NE(test::read_text(file).find("\nplatform: \"p\"\n"), std::string::npos);
  EXPECT_NE(test::read_text(file).find("write {value: 750 GB/s, provenance: \"data sheet\"}.\n"),
            std::string::npos);
}

}  // namespace
}  // namespace wafertlm
