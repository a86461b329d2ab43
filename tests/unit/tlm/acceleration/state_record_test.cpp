// SPDX-License-Identifier: Apache-2.0
// Skips in a model small enough to be its own reference, with the record and the visitors of SteadyStates.
#include "tlm/acceleration/state_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace wafertlm::test {
namespace {

/// What the model does wrong: something it does not list, or a skip that leaves it one packet off.
enum class Planted { nothing, pointer, line, credit, position };

/// Packets of three inputs go out in turn; one that finds a credit at home takes it, and is slower.
struct Port {
  TimePs line_free_ps = 0, credit_ps = 0;
  std::uint64_t pointer = 0, position = 0;
  std::array<std::uint64_t, 3> served{};

  TimePs next_ps() const { return line_free_ps; }
  void send(TimePs now) {
    const bool takes_credit = credit_ps <= now;
    if (takes_credit) credit_ps = now + 750;
    line_free_ps = now + (takes_credit ? 130 : 100);
    ++served[pointer];
    pointer = (pointer + 1) % 3;
    ++position;
  }
  void list_state(StateVisitor& state, Planted planted) {
    if (planted != Planted::pointer) state.value(pointer);
    if (planted != Planted::line) state.moment(line_free_ps);
    if (planted != Planted::credit) state.deadline(credit_ps);
    for (std::uint64_t& of_input : served) state.count(of_input);
    state.count(position);
    if (planted == Planted::position && state.changes()) ++position;
  }
  bool operator==(const Port& other) const {
    return line_free_ps == other.line_free_ps && credit_ps == other.credit_ps && pointer == other.pointer &&
           position == other.position && served == other.served;
  }
};

struct Skip {
  TimePs period_ps = 0;
  bool is_as_expected = false;  ///< what SteadyStates::verify compares
  bool is_as_simulated = false;
  bool is_undone = false;  ///< moved back it is what it was
};

/// Looks for a period of at least `packets`, skips ten of them, and simulates them as well.
std::optional<Skip> skip_ten_periods(Planted planted, std::uint64_t packets) {
  Port port;
  TimePs now = 0;
  const auto go_on = [&now](Port& by, std::uint64_t count) {
    for (std::uint64_t k = 0; k < count; ++k) by.send(now = by.next_ps());
  };
  go_on(port, 24);  // until it has settled
  StateRecord reference;
  RecordState record(now, reference);
  port.list_state(record, planted);
  std::vector<std::uint64_t> growth;
  for (std::uint64_t sent = 1; sent < 100; ++sent) {
    go_on(port, 1);
    CompareState compare(now, reference, growth);
    port.list_state(compare, planted);
    if (!compare.is_same() || sent < packets) continue;
    Skip skip;
    skip.period_ps = now - reference.at_ps;
    Port moved = port;
    MoveState move(now, growth, skip.period_ps, 10);
    moved.list_state(move, planted);
    const TimePs then = now + 10 * skip.period_ps;
    Port back = moved;
    MoveState move_back(then, growth, skip.period_ps, 0 - std::uint64_t{10});
    back.list_state(move_back, planted);
    skip.is_undone = back == port;
    StateRecord expected;
    RecordState expect(then, expected);
    moved.list_state(expect, planted);
    go_on(port, 10 * sent);
    CompareState verify(now, expected, growth);
    port.list_state(verify, planted);
    skip.is_as_expected =
        verify.is_same() && now == then &&
        std::count(growth.begin(), growth.end(), 0U) == static_cast<std::ptrdiff_t>(growth.size());
    skip.is_as_simulated = port == moved && now == then;
    return skip;
  }
  return {};
}

TEST(StateRecord, SkippingIsSimulating) {
  for (const std::uint64_t packets : {1U, 13U, 30U}) {
    const std::optional<Skip> skip = skip_ten_periods(Planted::nothing, packets);
    ASSERT_TRUE(skip);
    EXPECT_TRUE(skip->is_as_expected);
    EXPECT_TRUE(skip->is_as_simulated);
    EXPECT_TRUE(skip->is_undone);
  }
}

TEST(StateRecord, WhatAModelForgetsIsFoundWhenItIsVerified) {
  for (const Planted planted : {Planted::pointer, Planted::credit, Planted::position}) {
    const std::optional<Skip> skip = skip_ten_periods(planted, 1);
    ASSERT_TRUE(skip) << static_cast<int>(planted);
    EXPECT_FALSE(skip->is_as_simulated) << static_cast<int>(planted);
    EXPECT_FALSE(skip->is_as_expected) << static_cast<int>(planted);
  }
}

/// A moment that is not listed is not moved: what is listed looks right, the future is not.
TEST(StateRecord, AMomentThatIsNotListedStays) {
  const std::optional<Skip> skip = skip_ten_periods(Planted::line, 1);
  ASSERT_TRUE(skip);
  EXPECT_FALSE(skip->is_as_simulated);
}

}  // namespace
}  // namespace wafertlm::test
