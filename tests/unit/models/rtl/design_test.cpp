// SPDX-License-Identifier: Apache-2.0
// Pins, parameters and names of RTL designs.
#include "models/rtl/design.h"

#include <gtest/gtest.h>

#include <cstring>

#include <random>
#include <stdexcept>

#include "models/rtl/event.h"
#include "tests/support/refusal.h"
#include "tests/support/soft_rtl.h"

namespace wafertlm {
namespace {

struct BarePin final : RtlPin {
  using RtlPin::RtlPin;
  void push() override {}
  void pull() override {}
};

TEST(RtlPins, AreBitsInWords) {
  std::mt19937_64 random(3);
  BarePin pin("p", 200);
  EXPECT_EQ(pin.words.size(), 7U);
  std::vector<bool> bits(200);
  for (int round = 0; round < 2000; ++round) {
    const auto width = static_cast<std::uint32_t>(random() % 65);
    const auto first = static_cast<std::uint32_t>(random() % (201 - width));
    const std::uint64_t value = random();
    pin.set(first, width, value);
    for (std::uint32_t i = 0; i < width; ++i) bits[first + i] = (value >> i & 1) != 0;
    const auto from = static_cast<std::uint32_t>(random() % 137);
    std::uint64_t expected = 0;
    for (std::uint32_t i = 0; i < 64; ++i) expected |= std::uint64_t{bits[from + i]} << i;
    ASSERT_EQ(pin.get(from, 64), expected) << round;
    ASSERT_EQ(pin.get(from, 13), expected & 0x1fff) << round;
    ASSERT_EQ(pin.get(from, 0), 0U);
  }
}

TEST(RtlDesigns, BitsOfAChannel) {
  RtlDesign design;
  for (const auto& [channels, bits] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {1, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}}) {
    design.channels = channels;
    EXPECT_EQ(design.channel_bits(), bits) << channels;
  }
}

TEST(RtlDesigns, ParametersByName) {
  RtlDesign design;
  design.parameters = {"PORTS=9", "XP=7", "P=5", "P=6", "VC=0"};
  EXPECT_EQ(design.parameter("P", 2), 5U);
  EXPECT_EQ(design.parameter("VC", 2), 0U);
  EXPECT_EQ(design.parameter("X", 2), 2U);
}

TEST(RtlDesigns, AreFoundByName) {
  std::vector<RtlDesign> designs(2);
  designs[0].name = "one";
  designs[1].name = "two";
  EXPECT_EQ(&find_rtl_design("two", designs, true), &designs[1]);
  EXPECT_EQ(test::refusal_of([&] { find_rtl_design("three", designs, true); }),
            "there is no RTL design 'three'; this program has one, two");
  EXPECT_EQ(test::refusal_of([&] { find_rtl_design("three", {}, true); }),
            "there is no RTL design 'three'; this program has none: add one with wafertlm_add_rtl()");
  EXPECT_EQ(test::refusal_of([&] { find_rtl_design("three", {}, false); }),
            "the RTL design 'three' needs Verilator, and this program was built without it: apt-get install "
            "verilator, then configure and build again (./build.sh)");
  EXPECT_STREQ(to_string(RtlProtocol::credit_stream), "credit_stream");
  EXPECT_STREQ(to_string(RtlProtocol::axi4_stream), "axi4_stream");
}

struct NoHost final : RtlStreamHost {
  void credit_came(std::uint32_t, std::uint32_t) override {}
  void went_in(std::uint32_t) override {}
  void came_out(std::uint32_t, const RtlFlit&) override {}
  bool may_leave(std::uint32_t, const RtlFlit&) override { return true; }
  void broken(RtlSide, std::uint32_t, RtlRule, const std::string&, const RtlFlit*) override {}
};

TEST(RtlDesigns, PinsMustBeWideEnough) {
  NoHost host;
  for (const RtlProtocol protocol : {RtlProtocol::credit_stream, RtlProtocol::axi4_stream}) {
    RtlDesign design;
    design.protocol = protocol;
    design.ports = 3;
    design.flit_bits = 32;
    test::SoftRtl pins(design);
    EXPECT_NE(make_rtl_stream(design, pins, host), nullptr);
    design.ports = 4;
    EXPECT_EQ(test::refusal_of([&] { make_rtl_stream(design, pins, host); }),
              std::string("the pin ") + (protocol == RtlProtocol::credit_stream ? "in_valid" : "s_tvalid") +
                  " has 3 bits, and the parameters P, W and V of the design ask for 4");
  }
}

// Whatever the order in which they are given; what was not given is not valid, and in the next cycle nothing
// is.
TEST(RtlDesigns, FlitsGoInSideBySide) {
  for (const RtlProtocol protocol : {RtlProtocol::credit_stream, RtlProtocol::axi4_stream}) {
    NoHost host;
    RtlDesign design;
    design.protocol = protocol;
    design.ports = 4;
    design.flit_bits = 32;
    design.channels = 2;
    design.depth = 1;
    test::SoftRtl pins(design);
    const auto stream = make_rtl_stream(design, pins, host);
    stream->reset();
    for (const std::uint32_t input : {3U, 2U, 0U}) {
      RtlFlit flit;
      flit.head = input == 3;
      flit.tail = input != 2;
      flit.channel = input == 2 ? 0 : 1;
      flit.header = RtlHeader{0x8000 + input, input, 4}.bits();
      flit.output = input;
      flit.data = {0xf0 + input};
      stream->give(input, flit);
      EXPECT_FALSE(stream->takes(input, flit.channel));
    }
    EXPECT_TRUE(stream->takes(1, 0));
    stream->cycle(1000);
    using Pins = std::vector<std::string>;
    const Pins seen =
        protocol == RtlProtocol::credit_stream
            ? Pins{"1000 in 0: tail vc 1 8000 #0 4 B, f0", "1000 in 2: vc 0 8002 #2 4 B, f2",
                   "1000 in 3: head tail vc 1 8003 #3 4 B, f3"}
            : Pins{"1000 in 0: tail id 8000 to 0 8000 #0 4 B, f0", "1000 in 2: id 8002 to 2 8002 #2 4 B, f2",
                   "1000 in 3: tail id 8003 to 3 8003 #3 4 B, f3"};
    EXPECT_EQ(pins.seen(), seen);
    if (protocol == RtlProtocol::axi4_stream) continue;  // they wait for ready
    stream->cycle(2000);
    EXPECT_EQ(pins.seen(), seen);
  }
}

TEST(RtlMadeUpData, DependsOnItsPacketAndInput) {
  std::set<std::vector<std::byte>> seen;
  for (const DataType type : kDataTypes)
    for (const std::uint32_t flow : {0U, 1U, 0x8001U})
      for (const std::uint64_t sequence : {0U, 1U, 2U})
        for (const std::uint32_t input : {0U, 1U, 2U}) {
          const auto data = made_up_data(type, flow, sequence, input, 63);
          EXPECT_EQ(data.size(), 63U);
          EXPECT_EQ(made_up_data(type, flow, sequence, input, 63), data);
          EXPECT_TRUE(seen.insert(data).second);
        }
  EXPECT_EQ(made_up_data(DataType::int32, 0, 0, 0, 0).size(), 0U);
}

/// How often a pair of inputs has what `is_so` says, in 100 packets of 64 values.
template <typename Word, typename IsSo>
int pairs(DataType type, IsSo is_so) {
  int count = 0;
  for (std::uint64_t sequence = 0; sequence < 100; ++sequence) {
    std::vector<Word> a(64), b(64);
    const auto bytes = static_cast<std::uint32_t>(64 * sizeof(Word));
    std::memcpy(a.data(), made_up_data(type, 7, sequence, 0, bytes).data(), bytes);
    std::memcpy(b.data(), made_up_data(type, 7, sequence, 3, bytes).data(), bytes);
    for (std::size_t i = 0; i < a.size(); ++i) count += is_so(a[i], b[i]);
  }
  return count;
}

TEST(RtlMadeUpData, HurtsAdders) {
  using Int = std::uint32_t;
  EXPECT_GT(pairs<Int>(DataType::int32, [](Int a, Int b) { return a == ~Int{0} && b - 1 < 3; }), 100);
  EXPECT_GT(pairs<Int>(DataType::int32, [](Int a, Int b) { return ((a ^ (a + b)) & (b ^ (a + b))) >> 31; }),
            800);
  using Bf16 = std::uint16_t;
  const auto exponent = [](Bf16 value) { return value >> 7 & 0xFF; };
  const auto is_nan = [](Bf16 value) { return (value & 0x7FFF) > 0x7F80; };
  const auto is_subnormal = [](Bf16 value) { return (value & 0x7F80) == 0 && (value & 0x7F) != 0; };
  const auto sum = [](Bf16 a, Bf16 b) { return bf16_from_float(bf16_to_float(a) + bf16_to_float(b)); };
  const auto of_bf16 = [](auto is_so) { return pairs<Bf16>(DataType::bf16, is_so); };
  EXPECT_GT(of_bf16([&](Bf16 a, Bf16 b) { return is_subnormal(a) && is_subnormal(b); }), 300);
  EXPECT_GT(of_bf16([&](Bf16 a, Bf16 b) {
              return !is_subnormal(a) && !is_subnormal(b) && is_subnormal(sum(a, b));
            }),
            10);
  EXPECT_GT(of_bf16([&](Bf16 a, Bf16 b) { return is_subnormal(a) && exponent(sum(a, b)) == 1; }), 50);
  EXPECT_GT(of_bf16([&](Bf16 a, Bf16 b) {
              return exponent(a) < 255 && exponent(b) < 255 && (sum(a, b) & 0x7FFF) == 0x7F80;
            }),
            50);
  EXPECT_GT(of_bf16([&](Bf16 a, Bf16 b) { return is_nan(a) != is_nan(b); }), 1);
  EXPECT_GT(of_bf16([&](Bf16 a, Bf16 b) { return a == (b ^ 0x8000) && (a & 0x7FFF) != 0; }), 50);
  EXPECT_GT(of_bf16([&](Bf16 a, Bf16 b) { return a == (b ^ 0x8001); }), 50);
  EXPECT_GT(of_bf16([&](Bf16 a, Bf16 b) { return (a & 0x7FFF) == 0x7F80 && a == (b ^ 0x8000); }), 5);
  EXPECT_GT(of_bf16([&](Bf16 a, Bf16 b) { return exponent(a) > exponent(b) + 11; }), 50);
}

}  // namespace
}  // namespace wafertlm
