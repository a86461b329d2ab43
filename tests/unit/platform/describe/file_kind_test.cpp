// SPDX-License-Identifier: Apache-2.0
// A kind of file is a row: with its own, a list of rows reads, checks and describes files of a new kind.
#include "platform/describe/file_kind.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/describe/document.h"
#include "platform/describe/value_types.h"
#include "platform/spec/file_kinds.h"
#include "platform/spec/json_schema.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/platform/spec/bad_input.h"

namespace wafertlm::config {
namespace {

/// All that the owner of a kind writes: a struct, its description and the row.
struct ToySpec {
  std::string name, platform;
  std::uint32_t wheels = 4;
};

std::shared_ptr<const Struct<ToySpec>> toy_type() {
  static const auto type = [] {
    auto made = std::make_shared<Struct<ToySpec>>("toy");
    made->required("toy", &ToySpec::name, text(), "Name")
        .optional("platform", &ToySpec::platform, text(), "What it rolls on")
        .optional("wheels", &ToySpec::wheels, integer<std::uint32_t>(1, 18), "That it has");
    return made;
  }();
  return type;
}

FileKind toy_file_kind() {
  return {toy_type().get(), "play", "what has wheels", [](const CheckRequest& request, std::ostream& out) {
            Origins origins;
            const Node root = load_document(request.file);
            out << check_line("toy", toy_type()->read(Reader(root, "", origins)).name);
          }};
}

std::string checked(const FileKind& kind, const std::string& file) {
  std::ostringstream out;
  kind.check({file}, out);
  return out.str();
}

std::vector<FileKind> with_toy() {
  std::vector<FileKind> kinds = spec_file_kinds();
  add_kind(kinds, toy_file_kind());
  return kinds;
}

TEST(FileKinds, ANewOneIsARow) {
  const test::TempFolder folder;
  const std::vector<FileKind> kinds = with_toy();
  EXPECT_EQ(kinds.size(), spec_file_kinds().size() + 1);
  // It has the key of a platform, too.
  const std::string file = folder.write("a.yaml", "platform: smooth\ntoy: car\nwheels: 3\n");
  const FileKind& kind = kind_of(load_document(file), kinds);
  EXPECT_EQ(kind.key(), "toy");
  EXPECT_EQ(checked(kind, file), "toy       car\n");
  EXPECT_EQ(kind_of(load_document(file), spec_file_kinds()).key(), "platform");

  const std::string wrong = folder.write("b.yaml", "toy: car\nweels: 3\n");
  expect_error({"", ":2:1:", {"'weels'", "did you mean 'wheels'?"}}, wrong, [&] { checked(kind, wrong); });
  const std::string none = folder.write("c.yaml", "x: 1\n");
  expect_error({"", ":1:1:", {"experiment, platform, ", ", toy"}}, none,
               [&] { kind_of(load_document(none), kinds); });
  const std::string typo = folder.write("d.yaml", "toyy: car\n");
  expect_error({"", ":1:1:", {"did you mean 'toy'?"}}, typo, [&] { kind_of(load_document(typo), kinds); });

  const auto schema = nlohmann::json::parse(json_schema(kinds));
  EXPECT_EQ(schema.at("$defs").at("toy").at("properties").at("wheels").at("default"), 4);
  // Before platforms, as its files may have their key.
  EXPECT_LT(json_schema(kinds).find("\"toy\""), json_schema(kinds).find("\"platform\""));
  EXPECT_EQ(nlohmann::json::parse(json_schema(kinds.back())).at("title"), "WaferTLM toy file");
}

TEST(FileKinds, ARowOfTheSameTypeTakesThePlaceOfTheOther) {
  std::vector<FileKind> kinds = with_toy();
  FileKind more = toy_file_kind();
  more.check = [](const CheckRequest&, std::ostream& out) { out << "rolls\n"; };
  const std::size_t count = kinds.size();
  add_kind(kinds, more);
  ASSERT_EQ(kinds.size(), count);
  EXPECT_EQ(checked(kinds.back(), ""), "rolls\n");
}

TEST(FileKinds, WiderOnesComeFirst) {
  std::vector<std::string> order;
  for (const FileKind* const kind : in_order_of_keys(spec_file_kinds())) order.push_back(kind->key());
  EXPECT_EQ(order, (std::vector<std::string>{"experiment", "platform", "workload", "model", "study", "costs",
                                             "accelerator", "endpoint", "efficiency", "timings", "cores"}));
}

TEST(FileKinds, CommandsFindPresetsOfThese) {
  EXPECT_EQ(
      preset_folders(),
      (std::vector<std::string>{"experiments", "platforms", "workloads", "workloads/models", "studies",
                                "costs", "accelerators", "endpoints", "memory", "memory/timings", "cores"}));
}

}  // namespace
}  // namespace wafertlm::config
