// SPDX-License-Identifier: Apache-2.0
#include "platform/host/files.h"

#include <gtest/gtest.h>

#include <filesystem>
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

TEST_F(Files, AllAreWrittenOrNone) {
  write_files(folder, {{"a", "1"}, {"b", "2\n"}});
  EXPECT_EQ(names(), (Names{"a", "b"}));
  EXPECT_EQ(test::read_text(temporary.path() + "/b"), "2\n");
  // The second cannot be put in place: a folder with something in it has its name.
  fs::create_directories(folder / "b2" / "x");
  EXPECT_EQ(test::refusal_of<std::runtime_error>([&] {
              write_files(folder, {{"b2", "4"}, {"c", "3"}});
            }).rfind("cannot write " + temporary.path() + "/b2 (", 0),
            0U);
  EXPECT_EQ(names(), (Names{"a", "b", "b2"})) << "temporary ones are gone";
  EXPECT_EQ(test::refusal_of<std::runtime_error>([&] {
              write_files(folder, {{"c", "3"}, {"none/d", "4"}});
            }),
            "cannot write " + temporary.path() + "/none/d; is the disk full?");
  EXPECT_EQ(names(), (Names{"a", "b", "b2"}));
}

TEST_F(Files, PendingOnesTakeTheirNameWhenTheyAreComplete) {
  const PendingFile pending("--vcd", folder / "a.b.vcd");
  EXPECT_EQ(pending.path(), temporary.path() + "/a.b.vcd");
  EXPECT_EQ(pending.incomplete(), temporary.path() + "/a.b.incomplete.vcd");
  EXPECT_EQ(test::refusal_of<std::runtime_error>([&] { pending.put_in_place(); }),
            "cannot write " + pending.path() + " (No such file or directory); it is " + pending.incomplete());
  temporary.write("a.b.vcd", "old");
  temporary.write("a.b.incomplete.vcd", "new");
  pending.put_in_place();
  EXPECT_EQ(names(), Names{"a.b.vcd"});
  EXPECT_EQ(test::read_text(pending.path()), "new");
  EXPECT_EQ(PendingFile("--vcd", "plain").incomplete(), "plain.incomplete");
  EXPECT_EQ(PendingFile("--vcd", "/dev/null").incomplete(), "/dev/null");
  EXPECT_EQ(test::refusal_of<Bad>([&] { PendingFile("--vcd", "/no/such/x.vcd"); }),
            "--vcd /no/such/x.vcd: the file cannot be written (No such file or directory)");
  EXPECT_EQ(test::refusal_of<Bad>([&] { PendingFile("--vcd", folder); }),
            "--vcd " + temporary.path() + ": the file cannot be written (it is a folder)");
}

TEST_F(Files, PlacesThatCannotBeWrittenToAreNamed) {
  require_writable_folder(folder / "new" / "deep");
  EXPECT_TRUE(fs::is_directory(folder / "new" / "deep"));
  require_writable_folder(folder / "new");
  require_writable_file("--json", folder / "file");
  EXPECT_FALSE(fs::exists(folder / "file"));
  const std::string file = temporary.write("file", "");
  EXPECT_EQ(test::refusal_of<Bad>([&] {
              require_writable_folder(file);
            }).rfind("--out " + file + ": not a folder, and none can be made there", 0),
            0U);
  EXPECT_EQ(test::refusal_of<Bad>([&] {
              require_writable_folder(file + "/below");
            }).rfind("--out " + file + "/below: not a folder, and none can be made there (", 0),
            0U);
  EXPECT_EQ(
      test::refusal_of<Bad>([&] { require_writable_file("--json", folder / "no" / "such"); }),
      "--json " + temporary.path() + "/no/such: the file cannot be written (No such file or directory)");
  EXPECT_EQ(test::refusal_of<Bad>([&] { require_writable_file("--json", file + "/below"); }),
            "--json " + file + "/below: the file cannot be written (Not a directory)");
}

TEST_F(Files, OneIsReplacedAtOnce) {
  write_file(folder / "a", "1");
  write_file(folder / "a", "2");
  EXPECT_EQ(test::read_text(temporary.path() + "/a"), "2");
  EXPECT_EQ(names(), Names{"a"});
  EXPECT_NO_THROW(write_file("/dev/null", "3"));
  EXPECT_EQ(test::refusal_of<std::runtime_error>([&] { write_file("/dev/full", "4"); }),
            "cannot write /dev/full");
}

}  // namespace
}  // namespace wafertlm
