// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/grid/pruned_json.h"

#include <gtest/gtest.h>

#include <random>

#include "platform/commands/study/grid/read_path.h"

namespace wafertlm {
namespace {

using nlohmann::json;

TEST(PrunedJson, KeepsNamesLengthsAndWhatIsWanted) {
  const std::string text =
      R"({"a": 1.5, "odd \" ]} name": {"x": [1, 2]}, "list": [{"b": "]", "c": [7]}, {"b": "\\", "c": 8}], "e": []})";
  EXPECT_EQ(pruned_json(text, {"list[-1].b", "a"}),
            json::parse(
                R"({"a": 1.5, "odd \" ]} name": null, "list": [null, {"b": "\\", "c": null}], "e": null})"));
  EXPECT_EQ(pruned_json(text, {"list[*].b", "list[0].c", "e[*]"}),
            json::parse(R"({"a": null, "odd \" ]} name": null,
                            "list": [{"b": "]", "c": [7]}, {"b": "\\", "c": null}], "e": []})"));
  EXPECT_EQ(pruned_json(text, {"list[0].b", "list"})["list"], json::parse(text)["list"]);
  EXPECT_EQ(pruned_json(" [ 1 , 2 ] ", {"[1]"}), json::parse("[null, 2]"));
  for (const char* const bad : {"", "{", "{\"a\": 1", "{\"a\" 1}", "[1 2]", "{\"a\": 1} x", "{\"a\": \"b}"})
    EXPECT_THROW(pruned_json(bad, {"a"}), json::parse_error) << bad;
}

json random_document(std::mt19937_64& random, int depth) {
  const auto kind = random() % (depth > 0 ? 6 : 4);
  if (kind == 0) return static_cast<double>(random() % 1000) / 8;
  if (kind == 1) return "]}\"[{\\, " + std::to_string(random() % 9);
  if (kind == 2) return nullptr;
  if (kind == 3) return random() % 2 == 0;
  json all = kind == 4 ? json::array() : json::object();
  for (auto count = random() % 4; count-- > 0;) {
    json below = random_document(random, depth - 1);
    if (kind == 4)
      all.push_back(below);
    else
      all[std::string(1, static_cast<char>('a' + random() % 4))] = below;
  }
  return all;
}

// Whatever is read, and whatever is said of what is not there: as of the whole document.
TEST(PrunedJson, IsReadAsTheWholeDocument) {
  std::mt19937_64 random(1);
  const auto answer = [](const json& document, const std::string& path, config::Taken taken) {
    try {
      return read_path(document, path, taken).dump();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  int read = 0;
  for (int i = 0; i < 2000; ++i) {
    json document = json::object();
    for (const char* const name : {"a", "b", "c", "d"}) document[name] = random_document(random, 3);
    std::vector<std::string> paths;
    for (int n = 0; n < 3; ++n) {
      std::string path(1, static_cast<char>('a' + random() % 4));
      for (auto parts = random() % 4; parts-- > 0;) {
        const char* const part[] = {"[0]", "[1]", "[-1]", "[-2]", "[*]", ".a", ".b", ".c"};
        path += part[random() % 8];
      }
      paths.push_back(path);
    }
    const json less = pruned_json(document.dump(i % 3 - 1), paths);
    for (const std::string& path : paths)
      for (const config::Taken taken : {config::Taken::only, config::Taken::last, config::Taken::sum}) {
        const std::string whole = answer(document, path, taken);
        EXPECT_EQ(answer(less, path, taken), whole) << document << path;
        read += whole.rfind("read:", 0) != 0;
      }
  }
  EXPECT_GT(read, 300);
}

}  // namespace
}  // namespace wafertlm
