// SPDX-License-Identifier: Apache-2.0
// What the parts of a machine have counted, added up and sent to another process.
#include "platform/machine/measurements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>

namespace wafertlm {
namespace {

/// The numbers of a struct that consists of them, in the order of its members.
template <typename Struct>
std::vector<std::uint64_t> numbers(const Struct& of) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  std::vector<std::uint64_t> words(sizeof(Struct) / sizeof(std::uint64_t));
  std::memcpy(words.data(), &of, sizeof of);
  return words;
}
/// Whose numbers are `first`, `first` + `step`, …
template <typename Struct>
Struct counted(std::uint64_t first, std::uint64_t step) {
  Struct of{};
  std::vector<std::uint64_t> words(sizeof(Struct) / sizeof(std::uint64_t));
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = first + k * step;
  std::memcpy(static_cast<void*>(&of), words.data(), sizeof of);
  return of;
}
/// Two structs added, but that of `most` the larger one holds.
template <typename Struct>
std::vector<std::uint64_t> added(const Struct& a, const Struct& b, const std::set<std::size_t>& most) {
  std::vector<std::uint64_t> words = numbers(a);
  const std::vector<std::uint64_t> more = numbers(b);
  for (std::size_t k = 0; k < words.size(); ++k)
    words[k] = most.count(k) != 0 ? std::max(words[k], more[k]) : words[k] + more[k];
  return words;
}

/// Of two links, an NPU with two compute models, and its memory; each number is another one.
Measurements part(std::uint64_t first, std::uint64_t step) {
  Measurements made;
  made.links = {counted<OutputCounters>(first, step), counted<OutputCounters>(first + 1000, step)};
  made.npus.resize(1);
  made.npus[0].uses = {{first + 1, first + 2}, {first + 3, first + 4}};
  made.npus[0].operand_bytes = first + 5;
  made.memories = {counted<MemoryMeasurements>(first + 2000, step)};
  made.reliability = counted<ReliabilityTotals>(first + 3000, step);
  made.packet_hops = first + 6;
  made.early_bytes_most = first + 7;
  made.scheduler_events = first + 8;
  made.packets_held_most = first + 9;
  return made;
}

void expect_equal(const Measurements& found, const Measurements& expected) {
  ASSERT_EQ(found.links.size(), expected.links.size());
  for (std::size_t k = 0; k < found.links.size(); ++k)
    EXPECT_EQ(numbers(found.links[k]), numbers(expected.links[k])) << k;
  ASSERT_EQ(found.npus.size(), expected.npus.size());
  for (std::size_t n = 0; n < found.npus.size(); ++n) {
    ASSERT_EQ(found.npus[n].uses.size(), expected.npus[n].uses.size());
    for (std::size_t k = 0; k < found.npus[n].uses.size(); ++k)
      EXPECT_EQ(numbers(found.npus[n].uses[k]), numbers(expected.npus[n].uses[k])) << k;
    EXPECT_EQ(found.npus[n].operand_bytes, expected.npus[n].operand_bytes);
  }
  ASSERT_EQ(found.memories.size(), expected.memories.size());
  for (std::size_t n = 0; n < found.memories.size(); ++n)
    EXPECT_EQ(numbers(found.memories[n]), numbers(expected.memories[n])) << n;
  EXPECT_EQ(numbers(found.reliability), numbers(expected.reliability));
  EXPECT_EQ(found.packet_hops, expected.packet_hops);
  EXPECT_EQ(found.early_bytes_most, expected.early_bytes_most);
  EXPECT_EQ(found.scheduler_events, expected.scheduler_events);
  EXPECT_EQ(found.packets_held_most, expected.packets_held_most);
}

// The large numbers of one part stand beside the small ones of the other, so that no maximum is a sum.
TEST(Measurements, OfTwoPartsAreSumsAndOfHighWaterMarksTheLargerOne) {
  const Measurements one = part(100, 1), other = part(5000, 7);
  Measurements sum = one;
  add(sum, other);
  std::set<std::size_t> longest_waits;
  for (std::size_t k = 0; k < kMaxClasses; ++k) longest_waits.insert(7 + kMaxClasses + k);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_EQ(numbers(sum.links[k]), added(one.links[k], other.links[k], longest_waits));
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_EQ(numbers(sum.npus[0].uses[k]), added(one.npus[0].uses[k], other.npus[0].uses[k], {}));
  EXPECT_EQ(sum.npus[0].operand_bytes, 105U + 5005);
  // Bandwidth of the pins, whether RTL is in its place, the end of the last transfer, channels and their
  // time.
  EXPECT_EQ(numbers(sum.memories[0]), added(one.memories[0], other.memories[0], {6, 7, 9, 10, 11}));
  EXPECT_EQ(numbers(sum.reliability), added(one.reliability, other.reliability, {}));
  EXPECT_EQ(sum.packet_hops, 106U + 5006);
  EXPECT_EQ(sum.early_bytes_most, 5007U);
  EXPECT_EQ(sum.scheduler_events, 108U + 5008);
  EXPECT_EQ(sum.packets_held_most, 109U + 5009);
  Measurements turned = other;
  add(turned, one);
  expect_equal(turned, sum);
}

TEST(Measurements, ListsThatAreEmptyAreOfZeros) {
  Measurements sum;
  add(sum, part(100, 1));
  expect_equal(sum, part(100, 1));
  add(sum, {});
  expect_equal(sum, part(100, 1));
}

TEST(Measurements, OfDifferentMachinesAreNotAdded) {
  Measurements other = part(100, 1);
  other.links.pop_back();
  Measurements sum = part(100, 1);
  EXPECT_THROW(add(sum, other), std::invalid_argument);
}

TEST(Measurements, AreTheSameBehindAPipe) {
  expect_equal(unpack(pack(part(100, 1))), part(100, 1));
  expect_equal(unpack(pack({})), {});
}

TEST(Measurements, ThatWereCutOffOrAreOfAnotherVersionAreRefused) {
  const std::vector<std::byte> whole = pack(part(100, 1));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(unpack({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), std::logic_error)
        << size;
  std::vector<std::byte> longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_THROW(unpack(longer), std::logic_error);
  std::vector<std::byte> of_another = whole;
  of_another[0] ^= std::byte{1};
  EXPECT_THROW(unpack(of_another), std::logic_error);
  std::vector<std::byte> endless = whole;  // the number of links
  for (std::size_t k = 8; k < 16; ++k) endless[k] = std::byte{0xFF};
  EXPECT_THROW(unpack(endless), std::logic_error);
}

}  // namespace
}  // namespace wafertlm
