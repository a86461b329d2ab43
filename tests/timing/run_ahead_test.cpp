// SPDX-License-Identifier: Apache-2.0
// Wake-ups that are delivered ahead of the kernel's time change nothing that anybody else can see.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "platform/host/child.h"
#include "platform/spec/load.h"
#include "tests/support/traffic_run.h"

namespace wafertlm {
namespace {

/// Asks for a mixture of wake-ups, most of which may lead, at random times, many of them equal.
struct Mixture final : Wakeable {
  explicit Mixture(Scheduler& to) : scheduler(to) {}
  void ask(TimePs at) {
    if (wanted.size() == 20'000) return;
    const auto what = static_cast<std::uint32_t>(wanted.size());
    const bool leads = random() % 8 != 0;
    wanted.emplace_back(at, what);
    exact.push_back(!leads);
    if (leads)
      scheduler.schedule_run_ahead(at, *this, what);
    else
      scheduler.schedule(at, *this, what);
  }
  void wake(std::uint32_t what, TimePs now) override {
    came.emplace_back(now, what);
    EXPECT_EQ(scheduler.now(), now);
    EXPECT_LE(kernel_now_ps(), now);
    if (exact[what]) {
      EXPECT_EQ(kernel_now_ps(), now) << "a wake-up that may not lead";
    }
    if (kernel_now_ps() < now) ++led;
    for (std::uint64_t k = random() % 3; k-- > 0;) ask(now + random() % 40 * 25);
    if (came.size() == wanted.size()) ask(now + 700);
  }
  Scheduler& scheduler;
  std::mt19937_64 random{5};
  std::vector<std::pair<TimePs, std::uint32_t>> wanted, came;
  std::vector<bool> exact;
  std::size_t led = 0;
};

/// Somebody else's process: now and then it looks at what has happened, and asks for wake-ups itself.
struct Stranger : sc_core::sc_module {
  Stranger(const sc_core::sc_module_name& name, Mixture& at) : sc_module(name), mixture(at) {
    SC_HAS_PROCESS(Stranger);
    SC_THREAD(look);
  }
  void look() {
    for (int k = 0; k < 400; ++k) {
      wait(to_sc_time(random() % 3000));
      const TimePs now = kernel_now_ps();
      EXPECT_EQ(mixture.scheduler.now(), now);
      if (!mixture.came.empty()) {
        EXPECT_LE(mixture.came.back().first, now);
      }
      std::size_t due = 0;
      for (const auto& [at, what] : mixture.wanted) due += at < now;
      EXPECT_GE(mixture.came.size(), due) << "at " << now;
      mixture.ask(now + random() % 2 * 50);
    }
  }
  Mixture& mixture;
  std::mt19937_64 random{6};
};

TEST(Leading, IsNotSeenByOthers) {
  Scheduler scheduler("scheduler");
  Mixture mixture(scheduler);
  Stranger stranger("stranger", mixture);
  mixture.ask(0);
  // A run that ends between two wake-ups: nothing of later comes, nothing of before is missing.
  for (TimePs end = 10'013; end < 200'000; end += 10'013) {
    scheduler.run(10'013);
    EXPECT_EQ(kernel_now_ps(), end);
    EXPECT_EQ(scheduler.now(), end);
    EXPECT_LT(mixture.came.back().first, end);  // what is due at the end comes next, as with sc_start
    std::size_t due = 0;
    for (const auto& [at, what] : mixture.wanted) due += at < end;
    EXPECT_EQ(mixture.came.size(), due);
  }
  sc_core::sc_start(to_sc_time(5'000));  // nothing leads here
  scheduler.run();
  EXPECT_EQ(kernel_now_ps(), std::max(mixture.came.back().first, kernel_now_ps()));
  EXPECT_GT(mixture.led, 1000U);
  std::stable_sort(mixture.wanted.begin(), mixture.wanted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  EXPECT_EQ(mixture.came, mixture.wanted);  // at equal times in the order of the calls
}

TEST(Leading, KernelCatchesUpAtTheEnd) {
  Scheduler scheduler("scheduler");
  Mixture mixture(scheduler);
  mixture.ask(0);
  scheduler.run();
  EXPECT_EQ(kernel_now_ps(), mixture.came.back().first);
  EXPECT_GT(mixture.led, 1000U);
}

nlohmann::json traffic(const config::PlatformSpec& spec, bool leading) {
  return run_in_child([&] {
    TrafficRunOptions options;
    options.load = 0.5;
    options.stop_ps = 8'000'000;
    options.hot_percent = 5;
    TrafficRun run("run", spec, options);
    if (leading)
      run.wafer.scheduler.run();
    else
      sc_core::sc_start();
    run.require_rest();
    return nlohmann::json{{"log", run.hash()},
                          {"packets", run.created_packets()},
                          {"events", run.wafer.scheduler.events()},
                          {"end", kernel_now_ps()}};
  });
}

/// Origin of what is expected: the same run under a plain sc_start(), where every wake-up is a round trip
/// through the kernel.
TEST(Leading, TrafficIsTheSameAsUnderPlainStart) {
  for (const char* queue : {"wafer.fabric.input_queue=fifo", "wafer.fabric.input_queue=per_output"}) {
    const config::PlatformSpec spec =
        config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml",
                              {queue, "run.checkers=false"});
    const nlohmann::json led = traffic(spec, true), plain = traffic(spec, false);
    EXPECT_EQ(led, plain);
    EXPECT_GT(plain["packets"], 5000U);
  }
}

}  // namespace
}  // namespace wafertlm
