// SPDX-License-Identifier: Apache-2.0
// Programs that are wrong on purpose are caught, and a flipped bit changes what it must.
#include "workloads/collectives/algorithm/untimed.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/workloads/collectives/test_wafer.h"
#include "workloads/collectives/algorithm/proof.h"

namespace wafertlm {
namespace {

using test::first_npus;
using test::wafer_of;

/// A program with some steps changed.
class Changed : public StepSource {
 public:
  using Change = std::function<Step(const StepSource&, std::uint32_t threadblock, std::uint32_t index)>;
  Changed(std::unique_ptr<StepSource> right, Change change)
      : right_(std::move(right)), change_(std::move(change)) {}
  std::uint32_t threadblocks() const override { return right_->threadblocks(); }
  std::uint32_t steps(std::uint32_t threadblock) const override { return right_->steps(threadblock); }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override {
    return change_(*right_, threadblock, index);
  }

 private:
  std::unique_ptr<StepSource> right_;
  Change change_;
};

CollectiveProgram ring_all_reduce(std::uint32_t ranks, DataType data = DataType::int32) {
  const auto shared = plan_collective(
      {CollectiveType::all_reduce, first_npus(ranks), 4 * 20, "ring", 1, 0, data}, wafer_of(5, 4));
  return std::move(const_cast<CollectiveProgram&>(*shared));
}

/// Rank 2's program with one step changed; what is wrong with it, in words.
std::string fault_of(const Changed::Change& change, std::uint64_t order, DataType data = DataType::int32) {
  CollectiveProgram program = ring_all_reduce(5, data);
  const CollectiveProgram right = ring_all_reduce(5, data);
  program.ranks[2] = std::make_unique<Changed>(std::move(program.ranks[2]), change);
  try {
    const Buffers after = run_untimed(program, untimed_start(program, 3), order);
    const ExpectedValues expected(right, 3);
    for (std::uint32_t rank = 0; rank < 5; ++rank)
      if (const std::string wrong = expected.wrong_value(rank, after[rank]); !wrong.empty()) return wrong;
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

Changed::Change at_step(std::uint32_t threadblock, std::uint32_t index,
                        const std::function<void(Step&)>& change) {
  return [=](const StepSource& right, std::uint32_t s, std::uint32_t i) {
    Step step = right.step(s, i);
    if (s == threadblock && i == index) change(step);
    return step;
  };
}

void expect_fault(const std::string& part, const Changed::Change& change) {
  std::string faults;  // some only show in some orders
  for (std::uint64_t order = 0; order < 20; ++order) faults += fault_of(change, order) + '\n';
  EXPECT_NE(faults.find(part), std::string::npos) << "'" << faults << "' does not say '" << part << "'";
}

// Threadblock 0 sends, threadblock 1 receives: 4 steps that reduce, 4 that copy; blocks of 16 B.
TEST(Untimed, FindsWhatIsWrongWithAProgram) {
  EXPECT_EQ(fault_of(at_step(0, 0, [](Step&) {}), 1), "");
  expect_fault("instead of", at_step(0, 1, [](Step& s) { s.offset = (s.offset + 16) % 80; }));
  expect_fault("instead of", at_step(1, 2, [](Step& s) { s.kind = Step::Kind::copy; }));          // no reduce
  expect_fault("instead of", at_step(1, 5, [](Step& s) { s.kind = Step::Kind::reduce; }));        // twice
  expect_fault("being sent", at_step(0, 3, [](Step& s) { s.after_threadblock = Step::kNone; }));  // too soon
  expect_fault("expects", at_step(1, 2, [](Step& s) { s.bytes -= 4; }));
  expect_fault("leaves the buffer", at_step(0, 2, [](Step& s) { s.offset = 80; }));
  expect_fault("deadlock", at_step(1, 0, [](Step& s) { s.tag = 99; }));
  expect_fault("does not receive", at_step(1, 7, [](Step& s) { s.bytes = 0; }));
  expect_fault("no such peer", at_step(0, 0, [](Step& s) { s.peer = 5; }));
  expect_fault("threadblock that is not there", at_step(0, 1, [](Step& s) { s.after_threadblock = 7; }));
  // A step twice: the receive threadblock takes its second message again.
  expect_fault("deadlock", [](const StepSource& right, std::uint32_t s, std::uint32_t i) {
    return right.step(s, s == 1 && i == 2 ? 1 : i);
  });
}

TEST(Untimed, FindsBytesThatHoldNothing) {
  const auto program = plan_collective(
      {CollectiveType::broadcast, first_npus(3), 16, "tree", 1, 0, DataType::int32}, wafer_of(5, 4));
  UntimedStart start = untimed_start(*program, 1);
  start.holds[0] = {{0, 12}};
  try {
    run_untimed(*program, start);
    ADD_FAILURE() << "not noticed";
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("hold nothing yet"), std::string::npos) << error.what();
  }
}

/// Two ranks exchange their first bytes, in place and at once.
class Exchange : public StepSource {
 public:
  explicit Exchange(std::uint32_t peer) : peer_(peer) {}
  std::uint32_t threadblocks() const override { return 2; }
  std::uint32_t steps(std::uint32_t) const override { return 1; }
  Step step(std::uint32_t threadblock, std::uint32_t) const override {
    Step step;
    step.kind = threadblock == 0 ? Step::Kind::send : Step::Kind::copy;
    step.peer = peer_;
    step.bytes = 4;
    return step;
  }

 private:
  std::uint32_t peer_;
};

/// Sends the same bytes side by side, with one tag.
class SendTwice : public StepSource {
 public:
  std::uint32_t threadblocks() const override { return 2; }
  std::uint32_t steps(std::uint32_t) const override { return 1; }
  Step step(std::uint32_t, std::uint32_t) const override {
    Step step;
    step.peer = 1;
    step.bytes = 4;
    return step;
  }
};

class Nothing : public StepSource {
 public:
  std::uint32_t threadblocks() const override { return 0; }
  std::uint32_t steps(std::uint32_t) const override { return 0; }
  Step step(std::uint32_t, std::uint32_t) const override { return {}; }
};

TEST(Untimed, FindsATagUsedTwice) {
  CollectiveProgram program;
  program.group = first_npus(2);
  program.bytes = program.buffer_bytes = 4;
  program.ranks.push_back(std::make_unique<SendTwice>());
  program.ranks.push_back(std::make_unique<Nothing>());
  try {
    run_untimed(program, untimed_start(program, 1));
    ADD_FAILURE() << "not noticed";
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("second message with tag 0"), std::string::npos) << error.what();
  }
}

TEST(Untimed, FindsWritesOverWhatIsBeingSent) {
  CollectiveProgram program;
  program.group = first_npus(2);
  program.bytes = program.buffer_bytes = 4;
  program.ranks.push_back(std::make_unique<Exchange>(1));
  program.ranks.push_back(std::make_unique<Exchange>(0));
  int found = 0;
  for (std::uint64_t order = 0; order < 10; ++order) {
    try {
      run_untimed(program, untimed_start(program, 1), order);
    } catch (const std::logic_error& error) {
      found += std::string(error.what()).find("being sent") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GT(found, 0);
}

// BF16: another order of the sum gives other bits, which the program's own order tells apart.
TEST(Proof, Bf16SumsAreHeldToTheOrderOfTheProgram) {
  const auto ring = plan_collective(
      {CollectiveType::all_reduce, first_npus(20), 2000, "ring", 1, 0, DataType::bf16}, wafer_of(5, 4));
  const auto tree = plan_collective(
      {CollectiveType::all_reduce, first_npus(20), 2000, "tree", 1, 0, DataType::bf16}, wafer_of(5, 4));
  const Buffers after = run_untimed(*tree, untimed_start(*tree, 1));
  EXPECT_EQ(ExpectedValues(*tree, 1).wrong_value(0, after[0]), "");
  EXPECT_NE(ExpectedValues(*ring, 1).wrong_value(0, after[0]).find("order of the program"),
            std::string::npos);
}

/// (rank, element) of all results that are wrong after a run with this flip.
std::vector<std::pair<std::uint32_t, std::uint64_t>> changed_by(const BitFlip& flip,
                                                                const CollectiveProgram& program) {
  const Buffers after = run_untimed(program, untimed_start(program, 9), 0, flip);
  const ExpectedValues expected(program, 9);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> changed;
  for (std::uint32_t rank = 0; rank < program.group.size(); ++rank) {
    std::vector<std::uint64_t> elements;
    expected.wrong_value(rank, after[rank], &elements);
    for (const std::uint64_t element : elements) changed.emplace_back(rank, element);
  }
  return changed;
}

// A bit of the block that rank 0 sends to rank 1 first: block 4 of 5 (elements 16 to 19), on its way through
// all ranks to rank 4, so every rank gets it. In the last step only rank 1 does: it gets block 2 (elements 8
// to 11).
TEST(Proof, AFlippedBitChangesWhatItMust) {
  const CollectiveProgram program = ring_all_reduce(5);
  const auto everywhere = changed_by({0, 1, 0, 5, 3}, program);
  ASSERT_EQ(everywhere.size(), 5U);
  for (std::uint32_t rank = 0; rank < 5; ++rank)
    EXPECT_EQ(everywhere[rank], (std::pair<std::uint32_t, std::uint64_t>(rank, 17)));
  const auto once = changed_by({0, 1, 7, 15, 7}, program);
  ASSERT_EQ(once.size(), 1U);
  EXPECT_EQ(once[0], (std::pair<std::uint32_t, std::uint64_t>(1, 11)));
  EXPECT_THROW(changed_by({0, 1, 8, 0, 0}, program), std::invalid_argument);
  EXPECT_THROW(changed_by({0, 1, 0, 16, 0}, program), std::invalid_argument);
}

TEST(Proof, NeedsWholeValues) {
  const auto program =
      plan_collective({CollectiveType::all_reduce, first_npus(2), 6, "ring", 1}, wafer_of(5, 4));
  EXPECT_THROW(initial_values(*program, 1, 0), std::invalid_argument);
  const auto halves = plan_collective(
      {CollectiveType::all_reduce, first_npus(2), 6, "ring", 1, 0, DataType::bf16}, wafer_of(5, 4));
  EXPECT_EQ(initial_values(*halves, 1, 0).size(), 6U);
}

}  // namespace
}  // namespace wafertlm
