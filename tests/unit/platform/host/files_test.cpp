// SPDX-License-Identifier: Apache-2.0
#include "platform/host/files.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

struct Files : testing::Test {
  test::TempFolder temporary;
  const fs::path folder = temporary.path();

  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename().string());
    return found;
  }
};

using Bad = std::invalid_argument;
using Names = std::set<std::string>;

TEST_F(Files, PendingOnesTakeTheirNameWhenTheyAreComplete) {
  const std::string path = temporary.write("a.b.vcd", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  PendingFile pending("--vcd", path);
  EXPECT_EQ(pending.path(), path);
  const std::string hidden = fs::path(pending.incomplete()).filename();
  EXPECT_EQ(pending.incomplete(), temporary.path() + "/" + hidden);
  EXPECT_EQ(hidden.rfind(".wafertlm-", 0), 0U);
  EXPECT_EQ(hidden.substr(hidden.size() - 8), "-a.b.vcd");
  temporary.write(hidden, "new");
  EXPECT_EQ(test::read_text(path), "old");
  pending.put_in_place();
  EXPECT_EQ(names(), Names{"a.b.vcd"});
  EXPECT_EQ(test::read_text(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Files, PendingOnesGoOrAreKept) {
  { const PendingFile pending("--vcd", folder / "a"); }
  EXPECT_EQ(names(), Names{});
  std::string incomplete;
  {
    PendingFile pending("--vcd", folder / "a");
    EXPECT_NE(PendingFile("--vcd", folder / "a").incomplete(), pending.incomplete());
    incomplete = pending.incomplete();
    pending.keep();
  }
  EXPECT_EQ(names(), Names{fs::path(incomplete).filename()});
}

TEST_F(Files, PendingOnesThatWereTakenAwayAreAnError) {
  PendingFile pending("--vcd", folder / "a");
  fs::remove(pending.incomplete());
  EXPECT_EQ(test::refusal_of<std::runtime_error>([&] { pending.put_in_place(); }),
            "cannot write " + pending.path() + " (No such file or directory); it is " + pending.incomplete());
}

TEST_F(Files, PlacesThatCannotBeWrittenToAreNamed) {
  const std::string file = temporary.write("file", "");
  fs::create_symlink(file, folder / "link");
  fs::create_symlink(folder / "nowhere", folder / "dangling");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto why = [](const fs::path& path) {
    return test::refusal_of<Bad>([&] { PendingFile("--json", path); });
  };
  const auto expected = [](const fs::path& path, const std::string& reason) {
    return "--json " + path.string() + ": the file cannot be written (" + reason + ")";
  };
  for (const auto& [name, reason] :
       std::map<std::string, std::string>{{"link", "it is a link; give the file itself"},
                                          {"dangling", "it is a link; give the file itself"},
                                          {"pipe", "it is no file"},
                                          {"new/", "it is a folder"},
                                          {"no/such", "No such file or directory"},
                                          {"file/below", "Not a directory"}})
    EXPECT_EQ(why(folder / name), expected(folder / name, reason));
  EXPECT_EQ(why(folder), expected(folder, "it is a folder"));
  EXPECT_EQ(why("/"), expected("/", "it is a folder"));
  EXPECT_EQ(why(folder / "new"), "");
  EXPECT_EQ(why(file), "");
  EXPECT_EQ(why("/dev/null"), "");
  EXPECT_EQ(PendingFile("--json", "/dev/null").incomplete(), "/dev/null");
}

TEST_F(Files, OneIsReplacedAtOnce) {
  write_file("--out", folder / "a", "1");
  write_file("--out", folder / "a", "2");
  EXPECT_EQ(test::read_text(temporary.path() + "/a"), "2");
  EXPECT_EQ(names(), Names{"a"});
  EXPECT_NO_THROW(write_file("--out", "/dev/null", "3"));
  EXPECT_EQ(test::refusal_of<std::runtime_error>([&] { write_file("--out", "/dev/full", "4"); }),
            "cannot write /dev/full; is the disk full?");
}

}  // namespace
}  // namespace wafertlm
