// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace wafertlm {

std::string own_host();

/// What a process of a run shows the launcher: in memory that outlives it, so that also a process that is
/// killed has told who it was.
struct Shown {
  enum class State : std::uint32_t {
    absent,
    runs,
    leaves,  ///< it ends in order
    fails    ///< in order, too: it says itself why
  };
  std::atomic<State> state;
  std::atomic<std::int32_t> pid;
  std::atomic<std::int32_t> signal;       ///< that asked it to end; 0: none
  std::atomic<std::uint64_t> reached_ps;  ///< by all processes, as far as it knows
  std::array<char, 104> name;             ///< ends with a zero byte
};

/// The launcher's: a row for each process on this computer that is started from now on.
class Board {
 public:
  explicit Board(std::uint32_t processes);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  std::uint32_t size() const { return size_; }
  const Shown& operator[](std::uint32_t process) const { return rows_[process]; }
  std::uint64_t reached_ps() const;
  /// "process 1 (wafers 2, 3) (pid 4711)"
  std::string name_of(std::uint32_t process) const;

 private:
  std::uint32_t size_;
  int file_ = -1;  // without a name: it is gone with those who have it
  const Shown* rows_ = nullptr;
};

/// A process's row of its launcher's board; without a launcher on this computer nobody sees it.
class Seat {
 public:
  Seat();
  ~Seat();
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  /// The launcher says who has ended, and of which signal.
  bool is_watched() const { return row_ != &unseen_; }
  void call_it(const std::string& name);
  void reached(std::uint64_t time_ps) { row_->reached_ps.store(time_ps, std::memory_order_relaxed); }
  std::uint64_t reached_ps() const { return row_->reached_ps; }
  void ends_by(int signal) { row_->signal = signal; }
  void fails() { row_->state = Shown::State::fails; }

 private:
  Shown unseen_{};
  Shown* row_ = &unseen_;
  void* mapped_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace wafertlm
