// SPDX-License-Identifier: Apache-2.0
// Traces for Perfetto, read back by protobuf.
#include "waveforms/perfetto_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "tests/support/perfetto_file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using test::PerfettoFile;

// More packets than are kept at a time, and more text than is handed over at once.
TEST(PerfettoWriter, EverythingIsThereInItsOrder) {
  const test::TempFolder folder;
  constexpr std::uint64_t kSlices = 20'000;
  for (const std::string name : {"plain", "zipped.gz"}) {
    const std::string path = folder.path() + "/" + name;
    PerfettoWriter writer(path);
    const PerfettoWriter::Track process = writer.add_process("p"), track = writer.add_track(process, "t"),
                                counter = writer.add_counter(process, "c", "GB/s");
    const std::string category = "work";
    for (std::uint64_t i = 0; i < kSlices; ++i) {
      const std::string own = "n" + std::to_string(i % 300);
      PerfettoWriter::Slice slice{track, &own, &category, 10'000 * i, 10'000 * i + 5999, 0, 0};
      if (i % 2 == 0) slice.leaves = i + 1;
      if (i % 5 == 0) slice.arrives = i + 1;
      writer.slice(slice, {{"number", i}});
      if (i % 4 == 0) writer.counter(counter, 10'000 * i, static_cast<double>(i) / 8);
    }
    EXPECT_EQ(writer.slices(), kSlices);
    EXPECT_EQ(writer.flows(), kSlices / 2 + kSlices / 5);
    EXPECT_EQ(writer.counter_values(), kSlices / 4);
    writer.finish(1'234'567'899);
    const PerfettoFile file(path);
    EXPECT_EQ(file.tracks, (std::vector<std::string>{"p", "p/t", "p/c [GB/s]", "run"}));
    EXPECT_EQ(file.tables_begun_events, std::vector<std::uint64_t>{0});
    EXPECT_EQ(file.end_ns, 1'234'567U);
    EXPECT_EQ(file.at_end, (std::map<std::string, std::uint64_t>{
                               {"slices", kSlices}, {"flows", 14'000}, {"counters", kSlices / 4}}));
    ASSERT_EQ(file.slices.size(), kSlices);
    for (std::uint64_t i = 0; i < kSlices; ++i) {
      const PerfettoFile::Slice& slice = file.slices[i];
      ASSERT_EQ(slice.text(),
                "p/t: n" + std::to_string(i % 300) + " (work) " + std::to_string(10'000 * i) + "+5999");
      ASSERT_EQ(slice.begin_ns, 10 * i);
      ASSERT_EQ(slice.end_ns, 10 * i + 5);
      ASSERT_EQ(slice.annotations.at("number"), i);
      ASSERT_EQ(slice.leaves, i % 2 == 0 ? std::vector{i + 1} : std::vector<std::uint64_t>());
      ASSERT_EQ(slice.arrives, i % 5 == 0 ? std::vector{i + 1} : std::vector<std::uint64_t>());
    }
    const PerfettoFile::Counter& values = file.counters.at("c");
    ASSERT_EQ(values.size(), kSlices / 4);
    for (std::uint64_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], std::pair(40 * i, static_cast<double>(i) / 2));
  }
  EXPECT_EQ(test::read_text(folder.path() + "/zipped.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_LT(std::filesystem::file_size(folder.path() + "/zipped.gz"),
            std::filesystem::file_size(folder.path() + "/plain") / 2);
}

// The tables of names begin anew when one has more than 65536, so that memory stays bounded.
TEST(PerfettoWriter, TablesOfNamesBeginAnew) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/trace";
  constexpr std::uint64_t kLimit = 65'536;
  PerfettoWriter writer(path);
  const PerfettoWriter::Track track = writer.add_track(writer.add_process("p"), "t");
  const std::string category = "work";
  for (std::uint64_t i = 0; i < kLimit + 100; ++i) {
    const std::string own = "n" + std::to_string(i);
    writer.slice({track, &own, &category, i, i, 0, 0}, {});
  }
  writer.finish(0);
  const PerfettoFile file(path);  // its reader knows no name that an earlier table had
  // A slice is two events; the one that finds a name too many begins the next table.
  EXPECT_EQ(file.tables_begun_events, (std::vector<std::uint64_t>{0, 2 * (kLimit + 1)}));
  for (const std::uint64_t i : {std::uint64_t{0}, kLimit, kLimit + 1, kLimit + 99})
    EXPECT_EQ(file.slices[i].name, "n" + std::to_string(i));
}

TEST(PerfettoWriter, AFileThatCannotBeWrittenIsAnError) {
  try {
    const PerfettoWriter writer("/nowhere/at/all");
    ADD_FAILURE() << "there is no such folder";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "cannot write the trace /nowhere/at/all");
  }
  PerfettoWriter full("/dev/full");
  const PerfettoWriter::Track track = full.add_track(full.add_process("p"), "t");
  for (int i = 0; i < 100'000; ++i) full.counter(track, 0, i);
  EXPECT_THROW(full.finish(0), std::runtime_error);
}

}  // namespace
}  // namespace wafertlm
