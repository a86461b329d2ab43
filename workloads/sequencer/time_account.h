// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "workloads/sequencer/cause_log.h"
#include "workloads/sequencer/listed_iterations.h"

namespace wafertlm {

/// What a rank's time goes into, numbered: compute, idle, memory, bubble, cpu, then the traffic classes in
/// the order in which they are first named.
class TimeCategories {
 public:
  static constexpr std::uint8_t kCompute = 0, kIdle = 1, kMemory = 2, kBubble = 3, kCpu = 4;

  std::uint8_t of(const Task& task);
  const std::string& name(std::uint8_t category) const { return names_[category]; }
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_{"compute", "idle", "memory", "bubble", "cpu"};
};

/// A stretch of a rank's time and what it went into.
struct TimeSegment {
  TimePs from_ps, to_ps;
  std::uint8_t category;
};

/// Where a rank's time went, without a hole. Every picosecond is compute if the rank's compute unit is busy.
/// A gap is charged by walking back from the operation that ended it: what that one waited for covers the
/// interval that it explains (CauseLog::Run), then what this one waited for, and so on, across ranks. Another
/// rank's computation is the pipeline's bubble if the way to it goes through a message, as between stages;
/// else (a late rank in a collective), and where nobody covers the time, it is idle: a wait for a rank that
/// still computes is not communication.
class TimeAccount {
 public:
  /// Called with the segments of a gap, last first, and with those of computation.
  using Segments = std::function<void(const TimeSegment&)>;

  TimeAccount(const CauseLog& log, Segments segments) : log_(log), segments_(std::move(segments)) {}

  /// The compute unit was busy from start to end; calls come in the order of the ends. Of several units that
  /// are busy side by side the time counts once: `start` is then the first of those still busy at `end`.
  void computed(TimePs start_ps, TimePs end_ps, const CauseRef& cause);
  /// The job ends at `end_ps`, this rank with `last`. Behind that it waits for the others: it is bubble if
  /// the rank has sent or received messages, as in a pipeline, else idle.
  void finish(TimePs end_ps, const CauseRef& last, bool has_messages);
  /// Accounted for so far.
  TimePs covered_ps() const { return covered_ps_; }

 private:
  void fill(TimePs to, std::uint32_t cause);

  const CauseLog& log_;
  Segments segments_;
  TimePs covered_ps_ = 0;
};

/// Adds up what every rank's time went into, by iteration. Iteration k is the time between the ends of k - 1
/// and k, which are the same for all ranks, so a segment may belong to several. Sums are those of listed
/// iterations; the times of all are kept.
class IterationAccount {
 public:
  IterationAccount(std::uint32_t ranks, const ListedIterations& listed) : listed_(listed), sums_(ranks) {}

  /// The iteration that is under way ends now; what was added so far does not go beyond.
  void close(TimePs end_ps) { ends_.push_back(end_ps); }
  void add(std::uint32_t rank, const TimeSegment& segment);
  /// Picoseconds of a rank in a category, in a listed iteration.
  TimePs sum(std::uint32_t rank, std::uint32_t iteration, std::uint8_t category) const;
  const std::vector<TimePs>& ends() const { return ends_; }

 private:
  using ByCategory = std::vector<TimePs>;
  const ListedIterations listed_;
  std::vector<TimePs> ends_;
  std::vector<std::vector<ByCategory>> sums_;  // [rank][place among the listed]
};

}  // namespace wafertlm
