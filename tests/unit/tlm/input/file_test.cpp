// SPDX-License-Identifier: Apache-2.0
// Only regular files are read, and those that are kept in memory up to a limit.
#include "tlm/input/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

std::string refusal(const std::string& path, std::uint64_t most = input_limit()) {
  try {
    read_input(path, most);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "read";
}

TEST(InputFile, IsARegularFile) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x";
  EXPECT_EQ(refusal(path), path + ": cannot be read: No such file or directory");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(refusal(path), path + ": cannot be read: it is a FIFO, not a regular file");
  EXPECT_EQ(refusal(folder.path()), folder.path() + ": cannot be read: it is a folder, not a regular file");
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: cannot be read: it is a device, not a regular file");
  EXPECT_THROW(open_input(path), std::invalid_argument);
}

TEST(InputFile, IsReadWholeUpToTheLimit) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/x", text("a\0b\n", 4);
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(read_input(path), text);
  EXPECT_EQ(read_input(path, 4), text);
  EXPECT_EQ(refusal(path, 3),
            path +
                ": has 4 bytes, more than the limit of 3 for a file that is kept in memory; "
                "--input-limit raises it");
  std::filesystem::resize_file(path, std::uintmax_t{8} << 30);  // sparse
  EXPECT_NE(refusal(path).find("8589934592 bytes, more than the limit of 16777216"), std::string::npos);
}

TEST(InputFile, TheEnvironmentRaisesTheLimit) {
  ::setenv(kInputLimitVariable, "5", 1);
  EXPECT_EQ(input_limit(), 5U);
  ::setenv(kInputLimitVariable, "5 MB", 1);
  EXPECT_THROW(input_limit(), std::invalid_argument);
  ::unsetenv(kInputLimitVariable);
  EXPECT_EQ(input_limit(), 16777216U);
}

}  // namespace
}  // namespace wafertlm
