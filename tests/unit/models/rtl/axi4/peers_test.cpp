// SPDX-License-Identifier: Apache-2.0
// Addresses and lanes of bursts, and the master against the slave without RTL.
#include <gtest/gtest.h>

#include <list>
#include <vector>

#include "models/rtl/axi4/checker.h"
#include "models/rtl/axi4/master.h"
#include "models/rtl/axi4/slave.h"
#include "models/rtl/axi4/stress/random_bursts.h"

namespace wafertlm {
namespace {

using Type = Axi4BurstType;

std::vector<std::uint64_t> addresses(const Axi4Burst& burst) {
  std::vector<std::uint64_t> all;
  for (std::uint32_t beat = 0; beat < burst.beats; ++beat) all.push_back(burst.beat_address(beat));
  return all;
}

std::vector<std::uint64_t> lanes(const Axi4Burst& burst, std::uint32_t data_bytes) {
  std::vector<std::uint64_t> all;
  for (std::uint32_t beat = 0; beat < burst.beats; ++beat) all.push_back(burst.lanes(beat, data_bytes));
  return all;
}

// Figures A3-9 to A3-11 of the AXI4 specification, IHI 0022E: aligned and unaligned transfers of 32 bits on a
// bus of 32 and of 64 bits, and a WRAP burst.
TEST(Axi4Burst, AddressesAndLanesAreThoseOfTheSpecification) {
  EXPECT_EQ(addresses({0, 0x07, 4, 2, Type::incr, false}),
            (std::vector<std::uint64_t>{0x07, 0x08, 0x0c, 0x10}));
  EXPECT_EQ(lanes({0, 0x00, 4, 2, Type::incr, false}, 4), (std::vector<std::uint64_t>{0xf, 0xf, 0xf, 0xf}));
  EXPECT_EQ(lanes({0, 0x01, 4, 2, Type::incr, false}, 4), (std::vector<std::uint64_t>{0xe, 0xf, 0xf, 0xf}));
  EXPECT_EQ(lanes({0, 0x07, 5, 2, Type::incr, false}, 4),
            (std::vector<std::uint64_t>{0x8, 0xf, 0xf, 0xf, 0xf}));
  EXPECT_EQ(lanes({0, 0x07, 4, 2, Type::incr, false}, 8),
            (std::vector<std::uint64_t>{0x80, 0x0f, 0xf0, 0x0f}));
  EXPECT_EQ(addresses({0, 0x04, 4, 2, Type::wrap, false}),
            (std::vector<std::uint64_t>{0x04, 0x08, 0x0c, 0x00}));
  EXPECT_EQ(lanes({0, 0x04, 4, 2, Type::wrap, false}, 8),
            (std::vector<std::uint64_t>{0xf0, 0x0f, 0xf0, 0x0f}));
  EXPECT_EQ(addresses({0, 0x07, 3, 1, Type::fixed, false}), (std::vector<std::uint64_t>{0x07, 0x07, 0x07}));
  EXPECT_EQ(lanes({0, 0x06, 2, 1, Type::fixed, false}, 8), (std::vector<std::uint64_t>{0xc0, 0xc0}));
  EXPECT_EQ(lanes({0, 0, 1, 6, Type::incr, false}, 64), (std::vector<std::uint64_t>{~std::uint64_t{0}}));
  EXPECT_EQ((Axi4Burst{0, 0x38, 4, 3, Type::wrap, false}.range()),
            (std::array<std::uint64_t, 2>{0x20, 0x40}));
}

/// A master and a slave on the same wires, and what the master got.
struct Wires {
  Wires(const Axi4Shape& shape, std::uint64_t seed)
      : slave(shape, memory, {Axi4Stalls(seed), seed, 30}),
        master([this](Axi4Transaction&& each) { over.push_back(std::move(each)); }, Axi4Stalls(seed + 1)),
        checker(shape, [this](const Axi4Violation& violation) { broken.push_back(to_text(violation)); }) {}
  void cycle() {
    master.drive(pins, checker.cycles());
    slave.drive(pins, checker.cycles());
    checker.cycle(pins);
    const std::uint64_t now = checker.cycles();
    master.look(pins, now);
    slave.look(pins, now);
  }
  PageStore memory;
  Axi4Slave slave;
  Axi4Master master;
  Axi4Checker checker;
  Axi4Cycle pins;
  std::vector<Axi4Transaction> over;
  std::vector<std::string> broken;
};

/// Some come before others that were issued earlier, of other IDs.
bool has_overtaken(const std::vector<Axi4Transaction>& over) {
  std::uint64_t most = 0;
  for (const Axi4Transaction& each : over) {
    if (each.tag < most) return true;
    most = each.tag;
  }
  return false;
}

TEST(Axi4Peers, MasterAndSlaveKeepTheRulesAndTheData) {
  for (const Axi4Shape& shape : {Axi4Shape{4, 32, 2}, Axi4Shape{16, 40, 4}, Axi4Shape{64, 40, 4}}) {
    Axi4Reference reference;
    Wires wires(shape, shape.data_bytes);
    // One after the other, so that what a read gets is known; then reads together.
    for (Axi4Transaction& each : random_transactions(shape, 300, 7 + shape.data_bytes)) {
      if (each.write) reference.write(each, shape.data_bytes);
      wires.master.issue(each);
      for (int left = 20'000; left != 0 && wires.master.under_way() != 0; --left) wires.cycle();
      ASSERT_EQ(wires.master.under_way(), 0U) << to_text(each.burst, each.write);
      const Axi4Transaction& over = wires.over.back();
      ASSERT_EQ(over.tag, each.tag);
      if (each.write) continue;
      EXPECT_EQ(reference.compare(over.burst, over.data, shape.data_bytes), std::nullopt);
    }
    wires.over.clear();
    std::uint64_t reads = 0;
    for (Axi4Transaction& each : random_transactions(shape, 300, 7 + shape.data_bytes))
      if (!each.write) {
        wires.master.issue(each);
        ++reads;
      }
    for (int left = 100'000; left != 0 && wires.master.under_way() != 0; --left) wires.cycle();
    EXPECT_EQ(wires.over.size(), reads);
    EXPECT_TRUE(has_overtaken(wires.over));
    for (const Axi4Transaction& over : wires.over)
      EXPECT_EQ(reference.compare(over.burst, over.data, shape.data_bytes), std::nullopt);
    wires.checker.finish();
    EXPECT_EQ(wires.broken, std::vector<std::string>());
    EXPECT_EQ(wires.master.beats_left(false) + wires.master.beats_left(true), 0U);
  }
}

TEST(Axi4Random, AllTransactionsAreLegalAndAllKindsCome) {
  const Axi4Shape shape{16, 40, 4};
  std::vector<std::string> broken;
  Axi4Checker checker(shape, [&](const Axi4Violation& violation) { broken.push_back(to_text(violation)); });
  std::uint32_t types[3] = {}, locks = 0, narrow = 0, unaligned = 0, to_boundary = 0;
  for (const Axi4Transaction& each : random_transactions(shape, 5000, 3)) {
    Axi4Cycle pins;
    pins.ar = {{true, true}, each.burst};
    checker.cycle(pins);
    ++types[static_cast<std::size_t>(each.burst.type)];
    locks += each.burst.lock;
    narrow += each.burst.beat_bytes() < shape.data_bytes;
    unaligned += each.burst.aligned() != each.burst.address;
    to_boundary += each.burst.range()[1] % kAxi4Boundary == 0;
  }
  EXPECT_EQ(broken, std::vector<std::string>());
  for (const std::uint32_t count : {types[0], types[1], types[2], locks, narrow, unaligned, to_boundary})
    EXPECT_GT(count, 50U);
}

}  // namespace
}  // namespace wafertlm
