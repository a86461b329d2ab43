// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "workloads/sequencer/task.h"

namespace wafertlm {

class CauseLog;

/// A reference to a run in a CauseLog, or to none. The run and what caused it stay as long as somebody refers
/// to them.
class CauseRef {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  CauseRef() = default;
  CauseRef(const CauseRef& other);
  CauseRef(CauseRef&& other) noexcept
      : log_(std::exchange(other.log_, nullptr)), index_(std::exchange(other.index_, kNone)) {}
  CauseRef& operator=(CauseRef other) noexcept {
    std::swap(log_, other.log_);
    std::swap(index_, other.index_);
    return *this;
  }
  ~CauseRef();

  explicit operator bool() const { return index_ != kNone; }
  std::uint32_t index() const { return index_; }
  /// Takes the place of this one if it ended later (ties: the lowest node id, then the lowest rank).
  void take_later(const CauseRef& other);

 private:
  friend class CauseLog;
  CauseRef(CauseLog& log, std::uint32_t index) : log_(&log), index_(index) {}
  CauseLog* log_ = nullptr;
  std::uint32_t index_ = kNone;
};

/// The operations that have run, as far as they may still explain something: each with the run that it waited
/// for, which may be another rank's. A record goes when nothing refers to it. One log per job.
class CauseLog {
 public:
  struct Run {
    /// The interval that the operation itself explains: from when it could go on (a collective: all ranks had
    /// entered; a receive: the send had started) to its end.
    TimePs start_ps = 0, end_ps = 0;
    std::uint64_t node = 0;
    std::uint32_t rank = 0;
    Task::Kind kind = Task::Kind::none;
    std::uint8_t category = 0;  ///< of TimeCategories
    bool cut = false;           ///< what it waited for is not kept
  };

  CauseLog() = default;
  CauseLog(const CauseLog&) = delete;
  CauseLog& operator=(const CauseLog&) = delete;

  CauseRef add(const Run& run, CauseRef cause);
  const Run& at(std::uint32_t index) const { return entries_[index].run; }
  /// What the run waited for, or CauseRef::kNone.
  std::uint32_t cause_of(std::uint32_t index) const { return entries_[index].cause; }
  /// Whether run a ended later than run b; of equal ends the lower node id counts, then the lower rank.
  bool later(std::uint32_t a, std::uint32_t b) const;

  /// Records kept now, and the most there were.
  std::size_t size() const { return live_; }
  std::size_t high_water() const { return high_water_; }
  /// Beyond so many records, the causes of runs that ended before horizon() are forgotten.
  void bound(std::size_t records, std::function<TimePs()> horizon);

 private:
  friend class CauseRef;
  struct Entry {
    Run run;
    std::uint32_t cause = CauseRef::kNone;
    std::uint32_t references = 0;
  };
  void hold(std::uint32_t index) { ++entries_[index].references; }
  void release(std::uint32_t index);
  void forget();

  std::deque<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::size_t live_ = 0, high_water_ = 0, most_ = ~std::size_t{0}, allowed_ = ~std::size_t{0};
  std::function<TimePs()> horizon_;
};

}  // namespace wafertlm
