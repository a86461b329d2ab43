// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "tlm/program.h"
#include "tlm/sampled/estimate.h"
#include "tlm/units.h"

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
  static constexpr std::uint64_t kLeast = 6;  ///< fewer recordings say nothing of the spread

  /// When each part ended.
  void add(const std::vector<TimePs>& ends, std::mt19937_64& random) {
    TimePs last = 0;
    for (const TimePs end : ends) last = std::max(last, end);
    time_.add(static_cast<double>(last));
    if (recordings_.size() < kMostKept)
      recordings_.push_back(ends);
    else if (const std::uint64_t place = random() % time_.count(); place < kMostKept)
      recordings_[place] = ends;  // of all that came each is kept with the same probability
  }
  const MeanEstimate& time() const { return time_; }
  /// The mean's half-width at 95 % is at most this part of it.
  bool is_known(double tolerance) const {
    return time_.count() >= kLeast && time_.half_width() <= tolerance * time_.mean();
  }
  const std::vector<TimePs>& any_recording(std::mt19937_64& random) const {
    return recordings_[random() % recordings_.size()];
  }

 private:
  static constexpr std::size_t kMostKept = 64;
  MeanEstimate time_;
  std::vector<std::vector<TimePs>> recordings_;
};

/// All that do the same in the same place, whatever runs beside.
struct TransferLine {
  TrafficKind kind;
  std::map<TrafficKinds, TransferClass> classes;
  /// Somebody was done before all had entered, so that their times do not count from one moment.
  bool is_loose = false;

  bool may_be_known() const {
    for (const auto& [beside, of] : classes)
      if (of.time().count() >= TransferClass::kLeast) return true;
    return false;
  }
};

}  // namespace wafertlm
