// SPDX-License-Identifier: Apache-2.0
#include "platform/host/output_folder.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using test::read_text;

using Contents = std::map<std::string, std::string>;

/// All files below, with their text; folders end in a slash.
Contents contents(const fs::path& folder) {
  Contents found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_directory())
      found[entry.path().lexically_relative(folder).string() + "/"] = "";
    else
      found[entry.path().lexically_relative(folder).string()] = read_text(entry.path().string());
  return found;
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

class OutputFolders : public testing::Test {
 protected:
  OutputFolders() {
    write(out_ / "results.json", "old");
    write(out_ / "old.html", "old");
    write(out_ / "notes.txt", "mine");
    write(out_ / "figures" / "a.png", "mine too");
    before_ = contents(root());
  }
  fs::path root() const { return root_.path(); }

  test::TempFolder root_;
  fs::path out_ = root() / "out";
  const std::vector<std::string> own_ = {"results.json", "results.csv", "*.html"};
  Contents before_;
};

TEST_F(OutputFolders, AreAsTheyWereUntilCommitAndThenHoldTheNewResults) {
  OutputFolder folder(out_, "test");
  write(folder.working() / "results.json", "new");
  write(folder.working() / "results.csv", "1,2");
  EXPECT_EQ(folder.working(), root() / "out.incomplete");
  EXPECT_EQ(contents(out_), (Contents{{"results.json", "old"},
                                      {"old.html", "old"},
                                      {"notes.txt", "mine"},
                                      {"figures/", ""},
                                      {"figures/a.png", "mine too"}}));
  folder.commit(own_);
  EXPECT_EQ(contents(out_), (Contents{{"results.json", "new"},
                                      {"results.csv", "1,2"},
                                      {"notes.txt", "mine"},
                                      {"figures/", ""},
                                      {"figures/a.png", "mine too"}}));
  EXPECT_FALSE(fs::exists(folder.working()));
}

TEST_F(OutputFolders, WithoutCommitNothingIsLeft) {
  {
    OutputFolder folder(out_, "test");
    write(folder.working() / "results.json", "new");
    OutputFolder deep(root() / "a" / "b" / "c", "test");
  }
  EXPECT_EQ(contents(root()), before_);
}

TEST_F(OutputFolders, KeepWhatIsIncompleteBeside) {
  {
    OutputFolder folder(out_, "test");
    write(folder.working() / "log", "half");
    folder.keep();
  }
  Contents expected = before_;
  expected["out.incomplete/"] = "";
  expected["out.incomplete/log"] = "half";
  EXPECT_EQ(contents(root()), expected);
  OutputFolder(out_, "the next one");
  EXPECT_EQ(contents(root()), before_);
}

TEST_F(OutputFolders, NewOnesAppearWhole) {
  {
    OutputFolder folder(root() / "a" / "new", "test");
    write(folder.working() / "results.json", "new");
    EXPECT_FALSE(fs::exists(root() / "a" / "new"));
    folder.commit(own_);
  }
  EXPECT_EQ(contents(root() / "a"), (Contents{{"new/", ""}, {"new/results.json", "new"}}));
}

TEST_F(OutputFolders, AreForOneCommandAtATime) {
  {
    const OutputFolder folder(out_, "wafertlm run a.yaml");
    try {
      OutputFolder(out_, "wafertlm run b.yaml");
      FAIL() << "two commands in one folder";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("wafertlm run a.yaml, process " + std::to_string(getpid())),
                std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(fs::exists(folder.working()));
  }
  EXPECT_NO_THROW(OutputFolder(out_, "wafertlm run b.yaml"));
}

TEST_F(OutputFolders, ALockGoesWithItsProcess) {
  if (const pid_t process = fork(); process != 0) {
    int status = 1;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    ASSERT_EQ(status, 0);
  } else {
    OutputFolder folder(out_, "killed");
    write(folder.working() / "log", "half");
    _exit(0);  // without destructors
  }
  EXPECT_TRUE(fs::exists(root() / "out.incomplete" / "log"));
  OutputFolder(out_, "the next one");
  EXPECT_EQ(contents(root()), before_);
}

// The shell that stands in it must not find itself in a folder that is gone.
TEST_F(OutputFolders, TheCurrentFolderStaysTheSame) {
  const fs::path start = fs::current_path();
  fs::current_path(out_);
  {
    OutputFolder folder(".", "test");
    write(folder.working() / "results.json", "new");
    EXPECT_EQ(fs::canonical(folder.working()), fs::canonical(out_) / "incomplete");
    folder.commit(own_);
  }
  EXPECT_EQ(
      contents("."),
      (Contents{
          {"results.json", "new"}, {"notes.txt", "mine"}, {"figures/", ""}, {"figures/a.png", "mine too"}}));
  EXPECT_TRUE(fs::equivalent(".", out_));
  fs::current_path(start);
}

TEST_F(OutputFolders, BehindALinkAreReplacedThere) {
  fs::create_directory_symlink(out_, root() / "latest");
  OutputFolder folder(root() / "latest", "test");
  write(folder.working() / "results.json", "new");
  folder.commit(own_);
  EXPECT_TRUE(fs::is_symlink(root() / "latest"));
  EXPECT_EQ(read_text(out_ / "results.json"), "new");
  EXPECT_EQ(folder.in_place((folder.working() / "results.json").string()),
            (root() / "latest" / "results.json").string());
}

TEST_F(OutputFolders, RefuseWhatIsNoFolder) {
  const auto refused = [](const fs::path& folder) {
    return test::refusal_of([&] { OutputFolder(folder, "test"); });
  };
  EXPECT_EQ(refused(out_ / "notes.txt"), "--out " + (out_ / "notes.txt").string() + ": not a folder");
  EXPECT_NE(refused(out_ / "notes.txt" / "a").find("none can be made there (Not a directory)"),
            std::string::npos);
  EXPECT_NE(refused(root() / std::string(300, 'a')).find("File name too long"), std::string::npos);
  fs::create_symlink(root() / "loop", root() / "loop");
  EXPECT_NE(refused(root() / "loop").find("Too many levels of symbolic links"), std::string::npos);
  fs::remove(root() / "loop");
  EXPECT_EQ(contents(root()), before_);
}

}  // namespace
}  // namespace wafertlm
