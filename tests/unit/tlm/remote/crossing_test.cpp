// SPDX-License-Identifier: Apache-2.0
#include "tlm/remote/crossing.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

TEST(Crossing, ReadsWhatWasWritten) {
  ByteWriter writer;
  EXPECT_TRUE(writer.empty());
  CrossingCredit credit;
  credit.link = 7;
  credit.at_ps = 123'456'789'012;
  writer.put(Crossing::credit);
  writer.put(credit);
  const std::vector<std::byte> bytes = writer.take();
  EXPECT_TRUE(writer.empty());
  ByteReader reader(bytes);
  EXPECT_EQ(reader.get<Crossing>(), Crossing::credit);
  const auto read = reader.get<CrossingCredit>();
  EXPECT_EQ(read.link, 7U);
  EXPECT_EQ(read.at_ps, 123'456'789'012U);
  EXPECT_TRUE(reader.at_end());
}

TEST(Crossing, ABatchThatIsCutShortIsRefusedWhereverItIsCut) {
  ByteWriter writer;
  writer.put(Crossing::packet);
  writer.put(CrossingPacket{});
  const std::vector<std::byte> whole = writer.take();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> cut(whole.data(), whole.data() + size);
    EXPECT_EQ(test::refusal_of<std::logic_error>([&] {
                ByteReader reader(cut);
                reader.get<Crossing>();
                reader.get<CrossingPacket>();
              }),
              "a batch of another process is cut short")
        << size;
  }
  ByteReader reader(whole);
  EXPECT_NE(reader.get_bytes(whole.size()), nullptr);
  EXPECT_THROW(reader.get_bytes(~std::size_t{0}), std::logic_error);
}

}  // namespace
}  // namespace wafertlm
