// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "platform/machine/sampled/estimate.h"
#include "tlm/kernel/units.h"
#include "tlm/program/program.h"

namespace wafertlm {

/// What one endpoint does in a transfer: its part of a collective, one side of a message, or a load or store.
struct TransferPart {
  enum class Kind : std::uint8_t { collective, send, receive, load, store };
  Kind kind = Kind::collective;
  NpuId at{};
  ClassId traffic_class{};
  const CollectiveProgram* program = nullptr;  ///< of a collective; it stays
  std::uint64_t id = 0;                        ///< of a collective
  std::uint32_t rank = 0;                      ///< in its group
  NpuId peer{};                                ///< of a message
  std::uint64_t tag = 0;                       ///< the same
  std::uint64_t bytes = 0;                     ///< of a send, load or store

  bool is_message() const { return kind == Kind::send || kind == Kind::receive; }
  bool is_memory() const { return kind == Kind::load || kind == Kind::store; }
};

/// Traffic that looks the same to what runs beside it.
using TrafficKind = std::tuple<TransferPart::Kind, CollectiveType, ClassId>;
using TrafficKinds = std::set<TrafficKind>;

/// Transfers that are taken for alike: they do the same in the same place, beside traffic of the same kinds.
/// Times count from the moment when all who take part have entered.
class TransferClass {
 public:
  static constexpr std::uint64_t kLeast = 5;  ///< fewer recordings say nothing of the spread

  /// When each part ended; the last entered `skew_ps` after the first.
  void add(const std::vector<TimePs>& ends, TimePs skew_ps, std::mt19937_64& random) {
    const TimePs last = *std::max_element(ends.begin(), ends.end());
    time_.add(static_cast<double>(last));
    tries_ = 0;
    shortest_ps_ = std::min(shortest_ps_, last + skew_ps);
    if (recordings_.size() < kMostKept)
      recordings_.push_back(ends);
    else if (const std::uint64_t place = random() % time_.count(); place < kMostKept)
      recordings_[place] = ends;  // of all that came each is kept with the same probability
  }
  /// Of one that cannot be played.
  void add_time(TimePs time_ps) { time_.add(static_cast<double>(time_ps)); }
  const MeanEstimate& time() const { return time_; }
  /// The mean's half-width at 95 % is at most this part of it.
  bool is_known(double tolerance) const {
    return time_.count() >= kLeast && time_.half_width() <= tolerance * time_.mean();
  }
  /// When parts end of one that was recorded. Who enters early may have done something by the time the last
  /// one enters; so it takes no less than any from its first entry, `skew_ps` before.
  std::vector<TimePs> any_recording(TimePs skew_ps, std::mt19937_64& random) const {
    std::vector<TimePs> ends = recordings_[random() % recordings_.size()];
    const TimePs whole_ps = *std::max_element(ends.begin(), ends.end()) + skew_ps;
    if (whole_ps < shortest_ps_)
      for (TimePs& end : ends) end += shortest_ps_ - whole_ps;
    return ends;
  }

  /// It is worth waiting until it is known: not if that was in vain a few times. Asked for each time.
  bool is_wanted() { return tries_++ < kMostTries; }

 private:
  static constexpr std::uint32_t kMostTries = 3;
  static constexpr std::size_t kMostKept = 64;
  MeanEstimate time_;
  TimePs shortest_ps_ = kNever;  // from the first entry
  std::uint32_t tries_ = 0;
  std::vector<std::vector<TimePs>> recordings_;
};

/// All that do the same in the same place, whatever runs beside.
struct TransferLine {
  TrafficKind kind;
  std::map<TrafficKinds, TransferClass> classes;
  /// Somebody was done before all had entered, so that their times do not count from one moment.
  bool is_loose = false;

  bool may_be_known(double tolerance) const {
    for (const auto& [beside, of] : classes)
      if (of.is_known(tolerance)) return true;
    return false;
  }
};

}  // namespace wafertlm
