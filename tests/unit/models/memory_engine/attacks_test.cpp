// SPDX-License-Identifier: Apache-2.0
// What attacks on the memory engine and faults come to, as the lists of its README say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/attacks/attacks.h"

namespace wafertlm::test {
namespace {

constexpr Protection kProtections[] = {
    {"plain", CipherMode::none, Integrity::none, Hiding::none},
    {"cipher", CipherMode::store_and_forward, Integrity::none, Hiding::none},
    {"mac", CipherMode::store_and_forward, Integrity::mac, Hiding::none},
    {"tree", CipherMode::store_and_forward, Integrity::tree, Hiding::none},
    {"oram", CipherMode::store_and_forward, Integrity::mac, Hiding::path_oram},
};

using Outcomes = std::array<std::string, std::size(kProtections)>;

/// "plain, cipher: succeeds; tree: tampered", or "tampered" if that is all.
std::string in_words(const Outcomes& outcomes) {
  std::vector<std::string> kinds;
  for (const std::string& outcome : outcomes)
    if (!outcome.empty() && std::find(kinds.begin(), kinds.end(), outcome) == kinds.end())
      kinds.push_back(outcome);
  if (std::count(outcomes.begin(), outcomes.end(), kinds.front()) == std::size(kProtections))
    return kinds.front();
  std::string text;
  for (const std::string& kind : kinds) {
    std::string names;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      if (outcomes[i] == kind) names += (names.empty() ? "" : ", ") + std::string(kProtections[i].name);
    text += (text.empty() ? "" : "; ") + names + ": " + kind;
  }
  return text;
}

/// Attacks that end alike are in one line, lines in the order of their first.
std::string table(const std::vector<Attack>& attacks) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Attack& attack : attacks) {
    Outcomes outcomes;
    for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] = attack.carry_out(kProtections[i]);
    const std::string ends = in_words(outcomes);
    const auto line =
        std::find_if(lines.begin(), lines.end(), [&](const auto& each) { return each.first == ends; });
    if (line == lines.end())
      lines.emplace_back(ends, attack.what);
    else
      line->second += std::string("; ") + attack.what;
  }
  std::string text = "| Outcome | Attacks |\n|---|---|\n";
  for (const auto& [ends, which] : lines) text += "| " + ends + " | " + which + " |\n";
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
