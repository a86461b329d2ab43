// SPDX-License-Identifier: Apache-2.0
#include "platform/parallel/board.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

/// As mpirun says it; gone after the test.
struct Rank {
  explicit Rank(const char* rank) { setenv("OMPI_COMM_WORLD_RANK", rank, 1); }
  ~Rank() { unsetenv("OMPI_COMM_WORLD_RANK"); }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
};

TEST(Board, ShowsWhatAProcessHasSaidOfItself) {
  const Board board(2);
  const Rank rank("1");
  const std::string pid = " (pid " + std::to_string(getpid()) + ")";
  {
    Seat seat;
    ASSERT_TRUE(seat.is_watched());
    EXPECT_EQ(board[0].state, Shown::State::absent);
    EXPECT_EQ(board.name_of(0), "process 0 (which had not begun)");
    EXPECT_EQ(board[1].state, Shown::State::runs);
    EXPECT_EQ(board[1].pid, getpid());
    EXPECT_EQ(board.name_of(1), "process 1" + pid);
    seat.call_it("process 1 (wafer 3)");
    seat.reached(1200);
    EXPECT_EQ(seat.reached_ps(), 1200U);
    seat.ends_by(15);
  }
  EXPECT_EQ(board[1].state, Shown::State::leaves);
  EXPECT_EQ(board[1].signal, 15);
  EXPECT_EQ(board.name_of(1), "process 1 (wafer 3)" + pid);
  EXPECT_EQ(board.reached_ps(), 1200U);
}

TEST(Board, AFailureStaysOneAndLongNamesAreCut) {
  const Board board(1);
  const Rank rank("0");
  {
    Seat seat;
    seat.call_it("process 0 (wafers " + std::string(200, '1') + ")");
    seat.fails();
  }
  EXPECT_EQ(board[0].state, Shown::State::fails);
  EXPECT_EQ(board.name_of(0).substr(0, 100 + 4), "process 0 (wafers " + std::string(80, '1') + " …)" + " ");
}

TEST(Board, IsOnlyForProcessesOfItsLauncher) {
  EXPECT_FALSE(Seat().is_watched());
  const Rank rank("2");
  EXPECT_FALSE(Seat().is_watched());
  {
    const Board board(2);
    EXPECT_FALSE(Seat().is_watched());  // it has no row
  }
  const Board board(3);
  EXPECT_TRUE(Seat().is_watched());
  const std::string told = std::getenv("WAFERTLM_BOARD");
  ASSERT_EQ(told.rfind(own_host() + ":/proc/", 0), 0U);
  setenv("WAFERTLM_BOARD", ("another" + told).c_str(), 1);
  EXPECT_FALSE(Seat().is_watched());
  const test::TempFolder folder;
  setenv("WAFERTLM_BOARD", (own_host() + ":" + folder.write("file", std::string(4096, 'x'))).c_str(), 1);
  EXPECT_FALSE(Seat().is_watched());
}

}  // namespace
}  // namespace wafertlm
