// SPDX-License-Identifier: Apache-2.0
// The line against exact rational arithmetic.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tlm/link/line.h"

namespace wafertlm {
namespace {

/// A line whose exact end is a fraction: free_ / rate picoseconds.
class ExactLine {
 public:
  explicit ExactLine(std::uint64_t bytes_per_s) : rate_(bytes_per_s) {}
  /// From the exact time `start` (times rate) on, or when the line is free, whichever is later.
  void send(std::uint64_t bytes, Uint128 start) {
    if (start > free_) free_ = start;
    free_ += Uint128{bytes} * kPsPerSecond;
  }
  TimePs end_ps() const { return static_cast<TimePs>((free_ + rate_ - 1) / rate_); }

 private:
  std::uint64_t rate_;
  Uint128 free_ = 0;
};

std::uint64_t random_rate(std::mt19937_64& random) {
  constexpr std::uint64_t kRates[] = {750'000'000'000,      333'333'333'333,   3'000'000'000'000,
                                      749'999'999'999,      1'000'000'000'007, 1,
                                      9'000'000'000'000'000};
  if (random() % 2) return kRates[random() % std::size(kRates)];
  return 1 + random() % (std::uint64_t{1} << (10 + random() % 43));
}

TEST(Line, AGigabyteInPacketsEndsLikeOneInAPiece) {
  constexpr std::uint64_t kGigabyte = 1'000'000'000;
  for (const std::uint64_t rate : {750'000'000'000U, 333'333'333'333U, 3'000'000'000'000U, 999'999'999'989U})
    for (const std::uint64_t packet : {1000ULL, 4096ULL, 4097ULL, 65'536ULL}) {
      Line line(rate);
      std::uint64_t left = kGigabyte;
      const TimePs start = 12'345;
      line.send(std::min(packet, left), start, 0);
      for (left -= packet; left > 0; left -= std::min(packet, left))
        line.send(std::min(packet, left), line.free_ps(), Line::kUnbound);
      const TimePs whole = start + transfer_time_ps(kGigabyte, rate);
      const std::uint64_t packets = (kGigabyte + packet - 1) / packet;
      EXPECT_EQ(line.free_ps(), whole) << rate << " B/s, packets of " << packet;
      const TimePs naive = start + (packets - 1) * transfer_time_ps(packet, rate) +
                           transfer_time_ps(kGigabyte - (packets - 1) * packet, rate);
      std::printf("1 GB at %.3f GB/s in packets of %5llu B: %llu ps; rounded packet by packet %llu ps more\n",
                  static_cast<double>(rate) * 1e-9, static_cast<unsigned long long>(packet),
                  static_cast<unsigned long long>(whole - start),
                  static_cast<unsigned long long>(naive - whole));
    }
}

TEST(Line, BusyPeriodsAreExactInRandomRuns) {
  std::mt19937_64 random(3);
  for (int run = 0; run < 2000; ++run) {
    const std::uint64_t rate = random_rate(random);
    const std::uint64_t largest = std::max<std::uint64_t>(1, rate / 100'000'000);
    Line line(rate);
    ExactLine exact(rate);
    for (int i = 0; i < 200; ++i) {
      // Whole picoseconds as starts after a gap, no fraction: the exact model starts there too.
      const TimePs gap = random() % 4 ? 0 : 1 + random() % 100;
      const TimePs start = line.free_ps() + gap;
      const std::uint64_t bytes = 1 + random() % largest;
      line.send(bytes, start, gap ? 0 : Line::kUnbound);
      exact.send(bytes, gap ? Uint128{start} * rate : 0);
      ASSERT_EQ(line.free_ps(), exact.end_ps()) << rate << " B/s, packet " << i;
    }
  }
}

TEST(Line, AFractionCrossesAGap) {
  // 1 B at 3 TB/s ends at a third of a picosecond; two thirds remain of the whole one.
  Line first(3'000'000'000'000), second(3'000'000'000'000);
  const Line::Slot a = first.send(1, 0, 0);
  const Line::Slot b = first.send(1, a.end, Line::kUnbound);
  EXPECT_EQ(a.end, 1U);
  EXPECT_NEAR(b.start_fraction / 4294967296.0, 2.0 / 3, 1e-9);
  EXPECT_EQ(b.end, 1U);
  // The second packet reaches another line after a gap: 2 B from 100 1/3 on end at 101, not at 102.
  EXPECT_EQ(second.send(2, 101, b.start_fraction).end, 101U);
  Line third(3'000'000'000'000);
  EXPECT_EQ(third.send(2, 101, 0).end, 102U);
}

/// Packets in a row over lines of equal or nearly equal speed, each started when head and line allow; the
/// exact model does the same with fractions.
TEST(Line, FractionsFollowAPacketOverSeveralLines) {
  std::mt19937_64 random(11);
  std::size_t fractions = 0;
  for (int run = 0; run < 2000; ++run) {
    constexpr std::size_t kLines = 4;
    const std::uint64_t rate = 1 + random_rate(random) % 10'000'000'000'000;
    const std::uint64_t largest = std::max<std::uint64_t>(1, rate / 1'000'000'000);
    std::vector<Line> lines(kLines, Line(rate));
    std::vector<Uint128> exact_free(kLines, 0);  // times rate
    for (int i = 0; i < 30; ++i) {
      const std::uint64_t bytes = 1 + random() % largest;
      TimePs head = 0;
      PsFraction early = 0;
      Uint128 exact_head = 0;
      for (std::size_t k = 0; k < kLines; ++k) {
        const TimePs start = std::max(head, lines[k].free_ps());
        const Line::Slot slot = lines[k].send(bytes, start, start == head ? early : Line::kUnbound);
        const Uint128 exact_start = std::max(exact_head, exact_free[k]);
        exact_free[k] = exact_start + Uint128{bytes} * kPsPerSecond;
        ASSERT_EQ(start, static_cast<TimePs>((exact_start + rate - 1) / rate)) << rate << " B/s";
        ASSERT_EQ(slot.end, static_cast<TimePs>((exact_free[k] + rate - 1) / rate)) << rate << " B/s";
        fractions += slot.start_fraction != 0;
        head = start + 20'000;
        early = slot.start_fraction;
        exact_head = exact_start + Uint128{20'000} * rate;
      }
    }
  }
  EXPECT_GT(fractions, 10'000U);  // or nothing was tested
}

TEST(Line, RefusesRatesItCannotCount) {
  EXPECT_THROW(Line(0), std::invalid_argument);
  constexpr std::uint64_t kFastest = (std::uint64_t{1} << 53) - 1;
  EXPECT_EQ(Line(kFastest).send(kFastest, 0, 0).end, 1'000'000'000'000U);  // a second
  EXPECT_EQ(Line(kFastest).send(9008, 0, 0).end, 2U);                      // 1.00009 ps
  EXPECT_THROW(Line(std::uint64_t{1} << 53), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
