// SPDX-License-Identifier: Apache-2.0
#include "platform/text/config_error.h"

#include <gtest/gtest.h>

#include "platform/describe/yaml_file.h"
#include "platform/describe/yaml_writer.h"

namespace wafertlm::config {
namespace {

TEST(ConfigError, IsOneLineWithoutControlCharacters) {
  const ConfigError error({"a.yaml", 3, 7},
                          "a\nb\tc\x01"
                          "d\x1f\x7f e~µ");
  EXPECT_STREQ(error.what(), "a.yaml:3:7: a\\nb\\tc\\x01d\\x1f\\x7f e~µ");
}

TEST(ConfigError, APlaceWithoutALineIsItsSource) {
  const SourceLocation file{"/x/y/a.yaml", 3, 7}, option{"--set a.b", 0, 0};
  EXPECT_EQ(file.text(), "/x/y/a.yaml:3:7");
  EXPECT_EQ(file.short_text(), "a.yaml:3");
  EXPECT_EQ(file.folder(), "/x/y");
  EXPECT_EQ(option.text(), "--set a.b");
  EXPECT_EQ(option.short_text(), "--set");
  EXPECT_EQ(option.folder(), "");
}

TEST(Quoted, TextsEndAfterEightyCharacters) {
  EXPECT_EQ(quoted("a\tb"), "'a\\tb'");
  EXPECT_EQ(quoted(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
  EXPECT_EQ(quoted(std::string(81, 'x')), "'" + std::string(80, 'x') + "…'");
}

// What is written is read again: quotes, backslashes, letters beyond ASCII as they are, and provenances.
TEST(YamlWriter, WritesWhatIsReadAgain) {
  Node map;
  map.add("plain", Node::scalar("5 us"));
  map.add("quoted", Node::string("a \"b\" \\ µ"));
  map.add("list", Node::list({Node::scalar("1"), Node::string("2")}));
  map.add("none", Node::list({}));
  Node inner;
  inner.add("x", Node::scalar("7"));
  map.add("map", inner);
  map.add("rows", Node::list({inner, inner}));
  Origins origins;
  origins.record("plain", {{"/x/a.yaml", 4, 2}, "A: µ \"given\""});
  origins.record("rows", {{"/x/a.yaml", 9, 2}, "B"});
  origins.record("map.x", {{"--set map.x=7", 0, 0}, ""});
  const std::string text = write_yaml(map, origins);
  EXPECT_EQ(text,
            "plain: {value: 5 us, provenance: \"A: µ \\\"given\\\"\"}  # a.yaml:4\n"
            "quoted: \"a \\\"b\\\" \\\\ µ\"  # default\n"
            "list: [1, \"2\"]  # default\nnone: []  # default\nmap:\n  x: 7  # --set\n"
            "rows:  # a.yaml:9\n  provenance: \"B\"\n  value:\n    - {x: 7}\n    - {x: 7}\n");
  const Node again = read_yaml_text(text, {"text", 0, 0});
  EXPECT_TRUE(same_values(*again.find("quoted"), *map.find("quoted")));
  EXPECT_TRUE(same_values(*again.find("list"), *map.find("list")));
  EXPECT_EQ(again.find("plain")->find(kProvenanceKey)->text, "A: µ \"given\"");
}

}  // namespace
}  // namespace wafertlm::config
