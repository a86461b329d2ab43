// SPDX-License-Identifier: Apache-2.0
// What attacks on the memory engine and faults come to, as the tables of its README say.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/attacks/attacks.h"

namespace wafertlm::test {
namespace {

constexpr Protection kProtections[] = {
    {"plain", CipherMode::none, Integrity::none, Hiding::none},
    {"cipher", CipherMode::store_and_forward, Integrity::none, Hiding::none},
    {"mac", CipherMode::store_and_forward, Integrity::mac, Hiding::none},
    {"tree", CipherMode::store_and_forward, Integrity::tree, Hiding::none},
    {"mac, path_oram", CipherMode::store_and_forward, Integrity::mac, Hiding::path_oram},
};

std::string table(const std::vector<Attack>& attacks) {
  std::string text = "| By | What |", rule = "|---|---|";
  for (const Protection& protection : kProtections) {
    text += std::string(" ") + protection.name + " |";
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const Attack& attack : attacks) {
    text += std::string("| ") + attack.by + " | " + attack.what + " |";
    std::vector<std::string> outcomes;
    for (const Protection& protection : kProtections) outcomes.push_back(attack.carry_out(protection));
    const bool all_equal = std::equal(outcomes.begin() + 1, outcomes.end(), outcomes.begin());
    if (all_equal) outcomes = {outcomes.front() + " with all"};
    for (const std::string& outcome : outcomes) text += " " + outcome + " |";
    text += "\n";
  }
  return text;
}

/// The table is in the README as it comes out here.
void expect_in_readme(const std::vector<Attack>& attacks) {
  const std::string expected = table(attacks);
  std::ifstream file(WAFERTLM_SOURCE_DIR "/models/memory_engine/README.md");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("\n" + expected + "\n"), std::string::npos)
      << "models/memory_engine/README.md wants:\n"
      << expected;
}

TEST(Attacks, OnContents) { expect_in_readme(attacks_on_contents()); }
TEST(Attacks, OnGrants) { expect_in_readme(attacks_on_grants()); }
TEST(Attacks, OnSecrets) { expect_in_readme(attacks_on_secrets()); }
TEST(Attacks, Faults) { expect_in_readme(faults()); }

}  // namespace
}  // namespace wafertlm::test
