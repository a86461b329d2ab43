// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm {
namespace {

using results::Json;

struct Layer {
  std::string name;
  double time_s;
  std::uint64_t bytes;
  Json gain = nullptr;
};

const Table<Layer>& layers() {
  static const Table<Layer> table([](Table<Layer>& t) {
    t.column("layer", "", shown::text(), [](const Layer& of) { return of.name; });
    t.column("time_s", "time", shown::seconds(), [](const Layer& of) { return of.time_s; });
    t.add("rank", results::schema::count(), [](const Layer&) { return 7; });
    t.column("sent_bytes", "sent", shown::bytes(), [](const Layer& of) { return of.bytes; });
    t.cell("gain", shown::percent(), [](const Layer& of) { return of.gain; });
  });
  return table;
}

// 41 characters where a fixed width would shift the rest of the row.
const std::vector<Layer> kLayers = {{"a", 1.5e-3, 1024, 0.5},
                                    {"a name that is longer than all its columns", 1e-12, 5'000'000}};

TEST(Table, ColumnsAreAsWideAsTheirCells) {
  EXPECT_EQ(layers().text(kLayers),
            "                                                  time      sent     gain\n"
            "  a                                           1.500 ms     1 KiB  50.00 %\n"
            "  a name that is longer than all its columns      1 ps  5.000 MB        -\n");
}

TEST(Table, JsonHasPlainNumbersAndWhatIsNotShown) {
  EXPECT_EQ(
      layers().list(kLayers).dump(),
      R"([{"layer":"a","time_s":0.0015,"rank":7,"sent_bytes":1024},)"
      R"({"layer":"a name that is longer than all its columns","time_s":1e-12,"rank":7,"sent_bytes":5000000}])");
  EXPECT_EQ(layers().list(std::vector<Layer>()).dump(), "[]");
}

TEST(Table, SchemaRequiresEveryField) {
  const Json items = layers().list_schema()["items"];
  EXPECT_EQ(items["required"].dump(), R"(["layer","time_s","rank","sent_bytes"])");
  EXPECT_EQ(items["properties"]["sent_bytes"]["$ref"], "#/$defs/count");
}

TEST(Table, CsvHasAColumnForEveryKey) {
  EXPECT_EQ(
      csv(Json::parse(R"([{"a": "x \"y\", z", "b": {"c": 1}}, {"b": {"c": null, "d": 2.5}, "e": true}])")),
      "\"a\",\"b_c\",\"b_d\",\"e\"\n\"x \"\"y\"\", z\",1,,\n,,2.5,true\n");
  EXPECT_EQ(csv(Json::array()), "\n");
  EXPECT_EQ(csv(Json::array(), {"a", "b_s"}), "\"a\",\"b_s\"\n");
  // The unit is last.
  EXPECT_EQ(csv(Json::parse(R"([{"wait_s": {"queue": 1, "by": {"dp": 2}}, "lost": {"all_s": 3}}])"),
                {"lost_all_s"}),
            "\"lost_all_s\",\"wait_queue_s\",\"wait_by_dp_s\"\n3,1,2\n");
  // Nothing that a spreadsheet would compute; a number is none.
  for (const std::string start : {"=", "+", "-", "@", "\t", "\r"})
    EXPECT_EQ(csv(Json::array({{{start + "a", start + "1+\"1"}, {"n", -1}}})),
              "\"'" + start + "a\",\"n\"\n\"'" + start + "1+\"\"1\",-1\n");
}

TEST(Table, TheNameOfAColumnEndsInItsUnit) {
  const auto value = [](const Layer&) { return Json(1); };
  EXPECT_THROW(Table<Layer>().column("time", "", shown::seconds(), value), std::logic_error);
  EXPECT_THROW(Table<Layer>().column("time_ps", "", shown::seconds(), value), std::logic_error);
  EXPECT_THROW(Table<Layer>().column("kbytes", "", shown::bytes(), value), std::logic_error);
  EXPECT_NO_THROW(Table<Layer>().column("bytes", "", shown::bytes(), value));
}

TEST(Table, RowsThatComeOneAtATimeStandBelowTheirHeadings) {
  EXPECT_EQ(layers().head() + layers().line({"a", 999.9e-6, 99'999 * 1024ULL, 1}),
            "    time       sent      gain\na  999.9 us  99999 KiB  100.00 %\n");
}

TEST(Table, FormatsOfDifferencesAndTexts) {
  EXPECT_EQ(shown::cell(shown::seconds(), -1.5e-3), "-1.500 ms");
  EXPECT_EQ(shown::cell(shown::picoseconds(), -12), "-12 ps");
  EXPECT_EQ(shown::cell(shown::percent(0), 0.125), "12 %");
  EXPECT_EQ(shown::cell(shown::number("{:+.1f}"), 2), "+2.0");
  EXPECT_EQ(shown::cell(shown::bandwidth(), 1.5e12), "1.500 TB/s");
  EXPECT_EQ(shown::cell(shown::whole(), "none"), "none");
  EXPECT_EQ(shown::cell(shown::whole(), nullptr), "-");
  EXPECT_EQ(shown::At{"/a/0"}(Json::parse(R"({"a": [5]})")), 5);
  EXPECT_EQ(shown::At{"/a/1"}(Json::parse(R"({"a": [5]})")), "");
}

TEST(Aligned, WidthsAreCharactersAndEmptyColumnsAreLeftOut) {
  EXPECT_EQ(aligned({{"n", "", "x"}, {"±", "", "10", "note"}}, "rll", 1), " n  x\n ±  10  note\n");
  EXPECT_EQ(aligned({{"", "a"}, {"", "b"}}, "l", 0), "a\nb\n");
  EXPECT_EQ(aligned({{"a"}}, "r", 0, {3}), "  a\n");
}

}  // namespace
}  // namespace wafertlm
