// SPDX-License-Identifier: Apache-2.0
// Episodes around a model small enough to be its own reference.
#include "tlm/acceleration/episodes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/random_cases.h"
#include "tlm/kernel/simulation_context.h"

namespace wafertlm::test {
namespace {

/// What of the model is left out of what it lists.
enum class Forgotten { nothing, pointer, deadline, count };

/// Two endpoints that share a server: a send takes longer by the position of a round-robin pointer, and waits
/// until the server has recovered from the one before.
class Server final : public Wakeable {
 public:
  explicit Server(Scheduler& scheduler) : scheduler_(scheduler) {}

  void serve(std::uint64_t bytes, TimePs now, std::vector<std::pair<MessageListener*, std::uint64_t>> ends) {
    const TimePs end_ps = std::max(now, recovered_ps_) + bytes + 10 * pointer_;
    pointer_ = (pointer_ + 1) % 3;
    recovered_ps_ = end_ps + 7;
    served_ += bytes;
    jobs_.emplace(end_ps, std::move(ends));
    scheduler_.schedule_run_ahead(end_ps, *this, 0, Turn::endpoints);
  }
  void wake(std::uint32_t, TimePs now) override {
    while (!jobs_.empty() && jobs_.begin()->first <= now) {
      const auto ends = jobs_.begin()->second;
      jobs_.erase(jobs_.begin());
      for (const auto& [listener, token] : ends) listener->communication_done(token);
    }
  }
  void list_state(StateVisitor& state, Forgotten forgotten) {
    state.require(jobs_.empty());
    if (forgotten != Forgotten::pointer) state.value(pointer_);
    if (forgotten != Forgotten::deadline) state.deadline(recovered_ps_);
    if (forgotten != Forgotten::count) state.count(served_);
  }
  std::uint64_t served() const { return served_; }

 private:
  Scheduler& scheduler_;
  std::uint32_t pointer_ = 0;
  TimePs recovered_ps_ = 0;
  std::uint64_t served_ = 0;
  std::multimap<TimePs, std::vector<std::pair<MessageListener*, std::uint64_t>>> jobs_;
};

class End final : public Communication {
 public:
  explicit End(Server& server) : server_(server) {}
  void start_collective(const CollectiveStart&, TimePs) override { FAIL(); }
  void start_send(NpuId, std::uint64_t tag, std::uint64_t bytes, ClassId, std::uint64_t token,
                  TimePs now) override {
    std::vector<std::pair<MessageListener*, std::uint64_t>> ends{{listener, token}};
    if (const auto posted = peer->posted_.find(tag); posted != peer->posted_.end()) {
      ends.emplace_back(peer->listener, posted->second);
      peer->posted_.erase(posted);
    }
    server_.serve(bytes, now, std::move(ends));
  }
  void start_receive(NpuId, std::uint64_t tag, std::uint64_t token, TimePs) override { posted_[tag] = token; }
  std::vector<std::string> pending() const override { return {}; }
  std::uint64_t early_bytes_high_water() const override { return 0; }

  MessageListener* listener = nullptr;
  End* peer = nullptr;

 private:
  Server& server_;
  std::map<std::uint64_t, std::uint64_t> posted_;
};

/// Sends of three sizes in rounds, with pauses of which some are shorter than the server needs; a send
/// answers another one now and then.
class Course final : private Wakeable {
 public:
  using Log = std::vector<std::tuple<TimePs, std::uint32_t, std::uint64_t>>;

  Course(std::uint64_t seed, std::optional<std::uint64_t> verify, bool is_played,
         Forgotten forgotten = Forgotten::nothing)
      : random_(seed) {
    ends_[0].peer = &ends_[1];
    ends_[1].peer = &ends_[0];
    if (is_played)
      episodes_.emplace(
          scheduler_, [this, forgotten](StateVisitor& state) { server_.list_state(state, forgotten); },
          verify);
    for (std::uint32_t e = 0; e < 2; ++e) {
      done_[e].course = this;
      done_[e].end = e;
      ends_[e].listener = &done_[e];
      to_[e] = &ends_[e];
      if (!is_played) continue;
      EpisodeGate& gate = episodes_->connect(NpuId{e}, ends_[e], done_[e]);
      ends_[e].listener = &gate;
      to_[e] = &gate;
    }
    // Rounds that repeat, with a few that do not.
    constexpr TimePs kPauses[] = {0, 3, 40, 400, 400, 400};
    TimePs at = 1000;
    for (int round = 0; round < 120; ++round) {
      const auto kind = static_cast<std::uint32_t>(random_() % 3);
      plan(at, kind);
      if (random_() % 4 == 0) plan(at + 60 + (random_() % 8 == 0 ? random_() % 20 : 0), 2 - kind);
      at += 300 + kPauses[random_() % 6];
    }
    scheduler_.run();
    if (episodes_) episodes_->settle();
  }
  const Log& log() const { return log_; }
  std::uint64_t served() const { return server_.served(); }
  const EpisodeCounts& counts() const { return episodes_->counts(); }

 private:
  struct Done final : MessageListener {
    void communication_done(std::uint64_t token) override {
      course->log_.emplace_back(course->scheduler_.now(), end, token);
    }
    Course* course = nullptr;
    std::uint32_t end = 0;
  };
  void plan(TimePs at, std::uint32_t kind) {
    scheduler_.schedule(at, *this, static_cast<std::uint32_t>(kinds_.size()), Turn::operations);
    kinds_.push_back(kind);
  }
  void wake(std::uint32_t what, TimePs now) override {
    const std::uint32_t from = kinds_[what] % 2;
    const std::uint64_t tag = what;
    to_[1 - from]->start_receive(NpuId{from}, tag, 2 * tag + 1, now);
    to_[from]->start_send(NpuId{1 - from}, tag, 50 + 30 * kinds_[what], ClassId{0}, 2 * tag, now);
  }

  std::mt19937_64 random_;
  Scheduler scheduler_{"scheduler"};
  Server server_{scheduler_};
  std::optional<Episodes> episodes_;
  End ends_[2] = {End(server_), End(server_)};
  Done done_[2];
  Communication* to_[2] = {};
  std::vector<std::uint32_t> kinds_;
  Log log_;
};

/// In a kernel of its own.
template <typename Do>
void with_course(std::uint64_t seed, std::optional<std::uint64_t> verify, bool is_played, Forgotten forgotten,
                 const Do& look) {
  const SimulationContext context;
  const Course course(seed, verify, is_played, forgotten);
  look(course);
}

struct Seen {
  Course::Log log;
  std::uint64_t served = 0;
  EpisodeCounts counts;
  std::string error;
};

Seen seen(std::uint64_t seed, bool is_played, std::optional<std::uint64_t> verify = {},
          Forgotten forgotten = Forgotten::nothing) {
  Seen all;
  try {
    with_course(seed, verify, is_played, forgotten, [&](const Course& course) {
      all.log = course.log();
      all.served = course.served();
      if (is_played) all.counts = course.counts();
    });
  } catch (const std::logic_error& error) {
    all.error = error.what();
  }
  return all;
}

TEST(Episodes, AreAsTheyWouldBeSimulated) {
  EpisodeCounts sum;
  for (int k = 0; k < random_cases(60, 10); ++k) {
    const auto seed = static_cast<std::uint64_t>(k);
    const Seen simulated = seen(seed, false), played = seen(seed, true), verified = seen(seed, true, seed);
    ASSERT_EQ(played.error, "");
    ASSERT_EQ(verified.error, "");
    ASSERT_EQ(simulated.log.size(), 2 * (played.log.size() / 2));
    EXPECT_EQ(played.log, simulated.log) << "seed " << seed;
    EXPECT_EQ(verified.log, simulated.log) << "seed " << seed;
    EXPECT_EQ(played.served, simulated.served);
    EXPECT_EQ(verified.served, simulated.served);
    sum.recorded += played.counts.recorded;
    sum.played += played.counts.played;
    sum.abandoned += played.counts.abandoned;
    sum.verified += verified.counts.verified;
  }
  // Of all that can happen there was something.
  EXPECT_GT(sum.recorded, 0U);
  EXPECT_GT(sum.played, sum.recorded / 2);
  EXPECT_GT(sum.abandoned, 0U);
  EXPECT_GT(sum.verified, 0U);
}

TEST(Episodes, VerifyFindsStateThatAModelDoesNotList) {
  for (const Forgotten forgotten : {Forgotten::pointer, Forgotten::deadline}) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const Seen verified = seen(seed, true, seed, forgotten);
      if (verified.error.empty()) continue;
      EXPECT_NE(verified.error.find("acceleration: in the episode that began at "), std::string::npos)
          << verified.error;
      EXPECT_NE(verified.error.find(" in the recording and "), std::string::npos) << verified.error;
      ++found;
    }
    EXPECT_GE(found, 15) << static_cast<int>(forgotten);
  }
}

TEST(Episodes, CountsThatAModelDoesNotListAreTooSmall) {
  EXPECT_LT(seen(1, true, {}, Forgotten::count).served, seen(1, false).served);
}

}  // namespace
}  // namespace wafertlm::test
