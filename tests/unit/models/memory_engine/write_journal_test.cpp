// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/write_journal.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>

namespace wafertlm {
namespace {

// Against a model of single bytes.
TEST(WriteJournal, KeepsWhatWasNotTakenByteForByte) {
  std::mt19937 random(3);
  WriteJournal journal;
  std::array<std::array<std::optional<unsigned char>, 64>, 2> model{};
  int whole = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint32_t node = random() % 2;
    const std::uint64_t address = random() % 60,
                        bytes = 1 + random() % std::min<std::uint64_t>(12, 64 - address);
    std::vector<unsigned char> data(bytes);
    for (unsigned char& byte : data) byte = static_cast<unsigned char>(random());
    const unsigned what = random() % 4;
    if (what == 0) {
      journal.keep(node, {address, bytes}, data.data());
      for (std::uint64_t i = 0; i < bytes; ++i) model[node][address + i] = data[i];
    } else if (what == 1) {
      journal.drop(node, {address, bytes});
      for (std::uint64_t i = 0; i < bytes; ++i) model[node][address + i].reset();
    } else {
      std::vector<unsigned char> expected = data;
      bool all = true;
      for (std::uint64_t i = 0; i < bytes; ++i) {
        all &= model[node][address + i].has_value();
        expected[i] = model[node][address + i].value_or(data[i]);
      }
      ASSERT_EQ(journal.overlay(node, {address, bytes}, data.data()), all);
      ASSERT_EQ(data, expected);
      whole += all;
    }
    std::uint64_t kept = 0, listed = 0;
    for (const auto& of_node : model)
      for (const auto& byte : of_node) kept += byte.has_value();
    for (const WriteJournal::Piece& piece : journal.pieces())
      for (std::uint64_t i = 0; i < piece.segment.bytes; ++i, ++listed)
        ASSERT_EQ(model[piece.node][piece.segment.address + i], piece.data.at(i));
    ASSERT_EQ(journal.bytes(), kept);
    ASSERT_EQ(listed, kept);
    ASSERT_EQ(journal.empty(), kept == 0);
  }
  EXPECT_GT(whole, 500);
}

TEST(WriteJournal, CountsWithoutContents) {
  WriteJournal journal;
  journal.keep(1, {100, 50}, nullptr);
  journal.drop(1, {110, 5});
  EXPECT_EQ(journal.bytes(), 45U);
  EXPECT_TRUE(journal.overlay(1, {100, 10}, nullptr));
  EXPECT_FALSE(journal.overlay(1, {100, 11}, nullptr));
  EXPECT_EQ(journal.pieces().size(), 2U);
  EXPECT_TRUE(journal.pieces()[1].data.empty());
}

}  // namespace
}  // namespace wafertlm
