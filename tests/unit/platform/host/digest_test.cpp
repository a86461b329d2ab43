// SPDX-License-Identifier: Apache-2.0
#include "platform/host/digest.h"

#include <gtest/gtest.h>

#include "platform/host/shell.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

// FIPS 180-2, appendix B.1 and B.2; of nothing: NIST's example.
TEST(Digest, IsSha256) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  const std::string of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  EXPECT_EQ(sha256(""), of_nothing);
  const test::TempFolder folder;
  EXPECT_EQ(sha256_of_file(folder.write("a", "abc")), sha256("abc"));
  EXPECT_EQ(sha256_of_file(folder.write("a", "abcd")), sha256("abcd"));
  EXPECT_EQ(sha256_of_file(folder.path() + "/none"), of_nothing);
}

TEST(Shell, AnswersWithOutputErrorsAndExitCode) {
  const Answer both = ask_shell("echo out; echo error >&2; exit 3");
  EXPECT_EQ(both.text, "out\nerror\n");
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_EQ(ask_shell("kill -9 $$").exit_code, 137);
  const std::string odd = "it's $HOME \"and\" `more`\n;";
  EXPECT_EQ(ask_shell("printf %s " + shell_quoted(odd)).text, odd);
  EXPECT_TRUE(has_program("sh"));
  EXPECT_FALSE(has_program("no-such-program-as-this"));
}

}  // namespace
}  // namespace wafertlm
