// SPDX-License-Identifier: Apache-2.0
#include "platform/host/child.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include "platform/text/config_error.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;

// The first ends last.
TEST(Children, AreReportedInOrderWhateverTheirNumber) {
  for (const unsigned jobs : {0U, 1U, 3U, 9U}) {
    std::vector<std::size_t> order;
    run_in_children(
        5, jobs,
        [](std::size_t k) {
          std::this_thread::sleep_for(std::chrono::milliseconds(k == 0 ? 20 : 0));
          return json{{"k", k}, {"pid", getpid()}};
        },
        [&](std::size_t k, const json& of) {
          EXPECT_EQ(of["k"], k);
          EXPECT_NE(of["pid"], getpid());
          order.push_back(k);
        });
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4})) << jobs;
  }
}

// As many as there are jobs, each waits until the other has begun.
TEST(Children, RunAtTheSameTime) {
  const test::TempFolder folder;
  const auto meet = [&](std::size_t k) -> json {
    folder.write("begun" + std::to_string(k), "x");
    for (int wait = 0; wait < 2000; ++wait) {
      if (!test::read_text(folder.path() + "/begun" + std::to_string(1 - k)).empty()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  };
  run_in_children(2, 2, meet, [](std::size_t, const json& met) { EXPECT_TRUE(met.get<bool>()); });
}

// More than a pipe holds.
TEST(Children, MayReturnMuch) {
  const std::string text(300'000, 'x');
  EXPECT_EQ(run_in_child([&] { return json(text); }), text);
}

/// What is thrown for a work that throws or dies.
template <typename Error>
std::string thrown(const std::function<json()>& work) {
  try {
    run_in_child(work);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing of the kind";
}

TEST(Children, PassOnWhatTheyThrow) {
  EXPECT_EQ(thrown<std::invalid_argument>([]() -> json { throw std::invalid_argument("bad"); }), "bad");
  EXPECT_EQ(thrown<std::invalid_argument>([]() -> json {
              throw config::ConfigError({"file.yaml", 3, 4}, "key: is bad");
            }).substr(0, 14),
            "file.yaml:3:4:");
  EXPECT_EQ(thrown<std::runtime_error>([]() -> json { throw std::runtime_error("went wrong"); }),
            "went wrong");
  EXPECT_EQ(thrown<std::runtime_error>([]() -> json { throw std::logic_error("went wrong, too"); }),
            "went wrong, too");
  EXPECT_EQ(thrown<std::runtime_error>([]() -> json {
              raise(SIGKILL);
              return {};
            }),
            "the simulation's process died (status 9)");
  EXPECT_EQ(thrown<std::runtime_error>([]() -> json { _exit(3); }),
            "the simulation's process died (status " + std::to_string(3 << 8) + ")");
}

TEST(Children, AreEndedWhenOneFails) {
  const test::TempFolder folder;
  // Were it not ended, it would be waited for.
  EXPECT_THROW(run_in_children(
                   2, 2,
                   [&](std::size_t k) -> json {
                     if (k == 1) throw std::runtime_error("second");
                     std::this_thread::sleep_for(std::chrono::hours(1));
                     return {};
                   },
                   [](std::size_t, const json&) { FAIL(); }),
               std::runtime_error);
}

}  // namespace
}  // namespace wafertlm
