// SPDX-License-Identifier: Apache-2.0
// Which task under way keeps another one from starting, for the watchdog.
#include <gtest/gtest.h>

#include "tests/support/trace_nodes.h"
#include "workloads/sequencer/sequencer_engine.h"

namespace wafertlm::test {
namespace {

/// Starts what it is told to, and ends nothing.
class Stuck final : public SequencerHost {
 public:
  explicit Stuck(std::vector<chakra::Node> nodes, std::uint32_t communications = 0)
      : source_("rank 0", std::move(nodes)),
        engine_(0, source_, groups_, causes_, *this, options(communications)) {
    engine_.start_iteration(0);
  }
  /// "wanted: blocker" by their nodes.
  std::string blocker_of(std::uint64_t id) const {
    const Task* wanted = nullptr;
    const Task* const blocker = engine_.blocker([id](const Task& task) { return task.id == id; }, &wanted);
    return (wanted ? std::to_string(wanted->id) : "none") + ": " +
           (blocker ? std::to_string(blocker->id) : "none");
  }

 private:
  static SequencerOptions options(std::uint32_t communications) {
    SequencerOptions options;
    options.communications = communications;
    return options;
  }
  void start(std::uint32_t, const Task&) override {}
  void iteration_done(std::uint32_t, TimePs) override {}
  bool gathers(std::uint32_t, TimePs) const override { return false; }

  chakra::CommGroups groups_{2};
  CauseLog causes_;
  chakra::VectorSource source_;
  SequencerEngine engine_;
};

TEST(Blocker, IsWhatUsesTheResourceOfACollective) {
  const Stuck stuck({compute(1, 10), all_reduce(2, 0), all_reduce(3, 0), compute(4, 10, {3}), compute(5, 10),
                     load(6, 0), load(7, 0)});
  EXPECT_EQ(stuck.blocker_of(3), "3: 2") << "the one before it in its queue";
  EXPECT_EQ(stuck.blocker_of(4), "4: 2") << "its parent's";
  EXPECT_EQ(stuck.blocker_of(5), "5: 1") << "of others the first one under way";
  EXPECT_EQ(stuck.blocker_of(7), "7: 1");
  EXPECT_EQ(stuck.blocker_of(2), "2: 1") << "it is under way itself";
  EXPECT_EQ(stuck.blocker_of(9), "none: 1");
}

TEST(Blocker, IsTheParentThatIsUnderWay) {
  const Stuck stuck({compute(1, 10), cpu(2, 10), all_reduce(3, 0, {2}), all_reduce(4, 0, {3})});
  EXPECT_EQ(stuck.blocker_of(3), "3: 2");
  EXPECT_EQ(stuck.blocker_of(4), "4: 2");
}

TEST(Blocker, UnderALimitOfCommunicationsIsAnyOfThem) {
  const Stuck stuck({compute(1, 10), load(2, 0), all_reduce(3, 0), compute(4, 10), store(5, 0)}, 1);
  EXPECT_EQ(stuck.blocker_of(3), "3: 2");
  EXPECT_EQ(stuck.blocker_of(5), "5: 2");
  EXPECT_EQ(stuck.blocker_of(4), "4: 1");
}

}  // namespace
}  // namespace wafertlm::test
