// SPDX-License-Identifier: Apache-2.0
#include "platform/host/output_folder.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "platform/host/digest.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using test::read_text;

using Contents = std::map<std::string, std::string>;

/// All files below, with their text; folders end in a slash.
Contents contents(const fs::path& folder, bool with_hidden = true) {
  Contents found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (!with_hidden && name.find(".wafertlm-") != std::string::npos) continue;
    if (entry.is_directory())
      found[name + "/"] = "";
    else
      found[name] = read_text(entry.path().string());
  }
  return found;
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

class OutputFolders : public testing::Test {
 protected:
  OutputFolders() {
    put({{"results.json", "old"}, {"old.html", "old"}});
    write(out_ / "notes.txt", "mine");
    write(out_ / "figures" / "a.png", "mine too");
    before_ = contents(root());
  }
  fs::path root() const { return root_.path(); }
  void put(const Contents& files) const {
    OutputFolder folder(out_, "test");
    for (const auto& [name, text] : files) folder.write(name, text);
    folder.commit();
  }
  std::string refused(const fs::path& folder) const {
    return test::refusal_of([&] { OutputFolder(folder, "test"); });
  }
  /// What is the user's, and these.
  static Contents with(Contents files) {
    files.insert({{"notes.txt", "mine"}, {"figures/", ""}, {"figures/a.png", "mine too"}});
    return files;
  }

  test::TempFolder root_;
  fs::path out_ = root() / "out";
  Contents before_;
};

TEST_F(OutputFolders, AreAsTheyWereUntilCommitAndThenHoldTheNewResults) {
  struct stat before {
  }, after{};
  ASSERT_EQ(chmod(out_.c_str(), 02751), 0);
  ASSERT_EQ(stat(out_.c_str(), &before), 0);
  OutputFolder folder(out_, "test");
  folder.write("results.json", "new");
  write(folder.working() / "results.csv", "1,2");
  EXPECT_EQ(contents(out_, false), with({{"results.json", "old"}, {"old.html", "old"}}));
  EXPECT_EQ(folder.in_place((folder.working() / "results.csv").string()), (out_ / "results.csv").string());
  folder.commit();
  EXPECT_EQ(contents(out_, false), with({{"results.json", "new"}, {"results.csv", "1,2"}}));
  EXPECT_FALSE(fs::exists(folder.working()));
  ASSERT_EQ(stat(out_.c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_EQ(after.st_mode, before.st_mode);
}

TEST_F(OutputFolders, WithoutCommitNothingIsLeft) {
  {
    OutputFolder folder(out_, "test");
    folder.write("results.json", "new");
    OutputFolder deep(root() / "a" / "b" / "c", "test");
  }
  EXPECT_EQ(contents(root()), before_);
}

TEST_F(OutputFolders, KeepWhatIsIncomplete) {
  fs::path working;
  {
    OutputFolder folder(out_, "test");
    folder.write("log", "half");
    folder.keep();
    working = folder.working();
  }
  EXPECT_EQ(read_text((working / "log").string()), "half");
  EXPECT_EQ(contents(out_, false), with({{"results.json", "old"}, {"old.html", "old"}}));
  OutputFolder(out_, "the next one");
  EXPECT_EQ(contents(root()), before_);
}

TEST_F(OutputFolders, AreForOneCommandAtATime) {
  {
    const OutputFolder folder(out_, "wafertlm run a.yaml");
    EXPECT_NE(refused(out_).find("another command writes there (wafertlm run a.yaml, process " +
                                 std::to_string(getpid())),
              std::string::npos)
        << refused(out_);
    EXPECT_TRUE(fs::exists(folder.working()));
    EXPECT_NE(writer_of(out_).find("wafertlm run a.yaml"), std::string::npos);
    EXPECT_NO_THROW(OutputFolder(out_, "test", "another set"));
  }
  EXPECT_EQ(writer_of(out_), "");
  EXPECT_EQ(refused(out_), "");
}

TEST_F(OutputFolders, ALockGoesWithItsProcess) {
  if (const pid_t process = fork(); process != 0) {
    int status = 1;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    ASSERT_EQ(status, 0);
  } else {
    OutputFolder folder(out_, "killed");
    folder.write("log", "half");
    _exit(0);  // without destructors
  }
  EXPECT_NE(contents(root()), before_);
  OutputFolder(out_, "the next one");
  EXPECT_EQ(contents(root()), before_);
}

// The shell that stands in it must not find itself in a folder that is gone.
TEST_F(OutputFolders, TheCurrentFolderStaysTheSame) {
  const fs::path start = fs::current_path();
  fs::current_path(out_);
  {
    OutputFolder folder(".", "test");
    folder.write("results.json", "new");
    folder.commit();
  }
  EXPECT_EQ(contents(".", false), with({{"results.json", "new"}}));
  EXPECT_TRUE(fs::equivalent(".", out_));
  fs::current_path(start);
}

TEST_F(OutputFolders, FilesOfTheUserAreRefusedAndStay) {
  write(out_ / "results.csv", "mine");
  const Contents before = contents(root());
  {
    OutputFolder folder(out_, "test");
    folder.write("results.csv", "new");
    const std::string why = "--out " + out_.string() +
                            ": results.csv is there, and is not what wafertlm wrote; move it away, or choose "
                            "another name";
    EXPECT_EQ(test::refusal_of([&] { folder.require_free({"a", "results.csv"}); }), why);
    EXPECT_EQ(test::refusal_of([&] { folder.commit(); }), why);
  }
  EXPECT_EQ(contents(root()), before);
}

TEST_F(OutputFolders, ResultsThatTheUserChangedAreRefusedAndStay) {
  write(out_ / "old.html", "edited");
  EXPECT_EQ(refused(out_),
            "--out " + out_.string() +
                ": old.html was changed since wafertlm wrote it; move it away, or choose another name");
  EXPECT_EQ(read_text((out_ / "old.html").string()), "edited");
  fs::remove(out_ / "old.html");
  put({{"results.json", "new"}});
  EXPECT_EQ(contents(out_, false), with({{"results.json", "new"}}));
}

TEST_F(OutputFolders, AManifestOrALockOfAnotherIsLeftAlone) {
  for (const std::string text :
       {"", "{}", "[1]", R"({"wafertlm_files": {"../notes.txt": "x"}})", R"({"wafertlm_files": {"a": 1}})"}) {
    write(root() / "b" / ".wafertlm-manifest.json", text);
    EXPECT_NE(refused(root() / "b").find("is no list of what wafertlm wrote"), std::string::npos) << text;
    EXPECT_EQ(contents(root() / "b"), (Contents{{".wafertlm-manifest.json", text}}));
  }
  for (const std::string text : {"", "mine", "mine\n.wafertlm-incomplete-x\n"}) {
    write(root() / "c" / ".wafertlm-lock", text);
    write(root() / "c" / ".wafertlm-incomplete-x" / "a", "mine");
    EXPECT_EQ(refused(root() / "c"), "");
    EXPECT_EQ(contents(root() / "c"), (Contents{{".wafertlm-lock", text},
                                                {".wafertlm-incomplete-x/", ""},
                                                {".wafertlm-incomplete-x/a", "mine"}}));
  }
  fs::create_directory(root() / "d");
  fs::create_symlink(out_ / "notes.txt", root() / "d" / ".wafertlm-lock");
  EXPECT_NE(refused(root() / "d").find("cannot be written"), std::string::npos);
  fs::remove(root() / "d" / ".wafertlm-lock");
  ASSERT_EQ(mkfifo((root() / "d" / ".wafertlm-lock").c_str(), 0600), 0);
  EXPECT_NE(refused(root() / "d"), "");
  EXPECT_EQ(read_text((out_ / "notes.txt").string()), "mine");
}

// As a power cut in the middle leaves it: both sets are listed.
TEST_F(OutputFolders, AnExchangeThatWasCutShortIsReplaced) {
  Manifest manifest(out_ / ".wafertlm-manifest.json", "");
  manifest.look();
  manifest.begin({{"results.json", sha256("new")}, {"results.csv", sha256("1,2")}}, root() / "scratch");
  write(out_ / "results.json", "new");
  EXPECT_NE(test::refusal_of([&] { require_whole_set(out_); }).find("was killed"), std::string::npos);
  put({{"results.json", "newest"}});
  EXPECT_NO_THROW(require_whole_set(out_));
  EXPECT_EQ(contents(out_, false), with({{"results.json", "newest"}}));
}

TEST_F(OutputFolders, RefuseWhatIsNoFolder) {
  EXPECT_EQ(refused(out_ / "notes.txt"), "--out " + (out_ / "notes.txt").string() + ": not a folder");
  EXPECT_NE(refused(out_ / "notes.txt" / "a").find("none can be made there (Not a directory)"),
            std::string::npos);
  EXPECT_NE(refused(root() / std::string(300, 'a')).find("File name too long"), std::string::npos);
  EXPECT_NE(refused("/").find("the root of all folders"), std::string::npos);
  for (const fs::path& to : {root() / "loop", out_, root() / "nowhere"}) {
    fs::create_directory_symlink(to, root() / "loop");
    EXPECT_EQ(refused(root() / "loop"),
              "--out " + (root() / "loop").string() + ": it is a link; give the folder itself");
    EXPECT_EQ(refused(root() / "loop" / ""),
              "--out " + (root() / "loop" / "").string() + ": it is a link; give the folder itself");
    fs::remove(root() / "loop");
  }
  EXPECT_EQ(contents(root()), before_);
}

}  // namespace
}  // namespace wafertlm
