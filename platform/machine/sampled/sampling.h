// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "platform/machine/sampled/estimate.h"
#include "platform/machine/sampled/transfer.h"
#include "tlm/packets/class_table.h"

namespace wafertlm {

/// One endpoint, as Sampling reaches it.
class SampledEndpoint {
 public:
  /// The endpoint is to carry out what was asked for as `number`; Sampling::ended() follows.
  virtual void pass_on(std::uint64_t number) = 0;
  /// It ends then, without the endpoint; Sampling::ended() follows, not from within.
  virtual void end_at(std::uint64_t number, TimePs at) = 0;

 protected:
  ~SampledEndpoint() = default;
};

struct SampledCounts {
  std::uint64_t simulated = 0;   ///< transfers
  std::uint64_t played = 0;      ///< transfers that took the time of a recorded one
  std::uint64_t uncertain = 0;   ///< simulated beside played ones, so without their traffic, or begun late:
                                 ///< when all had entered and it turned out that they were not to be played
  std::uint64_t classes = 0;     ///< of transfers that are taken for alike
  std::uint64_t audits = 0;      ///< stretches of time in which everything was simulated to see
  double audited_deviation = 0;  ///< of times found in them from those expected, relative

  /// All was simulated, and nothing begun later than it would have been: the figures are exact.
  bool is_exact() const { return played == 0 && uncertain == 0; }
};

/// Simulates some transfers and lets others that are like them take their time: run.acceleration: sampled.
///
/// A transfer is a collective, a message, or a load or store. It is *measured* when all that is under way is
/// simulated from its beginning to its end. A class whose mean is known well enough is played: each of its
/// transfers takes the time of one of those measured, chosen at random, and nothing moves. Now and then, at
/// random, everything is simulated for a while (an audit), and what was found is compared with what playing
/// would have given.
class Sampling {
 public:
  /// Of times at one endpoint in one period, picoseconds.
  struct Share {
    double played = 0;     ///< sum
    double variance = 0;   ///< of that sum, because others than those played would have come
    double uncertain = 0;  ///< sum of what the uncertain may be wrong by
    Share& operator+=(const Share& other) {
      played += other.played;
      variance += other.variance;
      uncertain += other.uncertain;
      return *this;
    }
  };
  static constexpr std::size_t kMemory = kMaxClasses;  ///< loads and stores, behind the traffic classes
  using Shares = std::array<Share, kMaxClasses + 1>;   ///< by traffic class

  /// @param endpoints  the first `npus` of them are NPUs, the others I/O controllers
  /// @param target  half-width of times at 95 % that is aimed at, as a part of all time
  Sampling(std::uint32_t npus, std::uint32_t endpoints, std::uint64_t seed, double target = kTarget);
  ~Sampling();

  /// For a part that begins; no two have the same.
  std::uint64_t take_number() { return next_number_++; }
  /// An endpoint is asked for something. From within, pass_on() or end_at() may be called for this and others
  /// that have begun before.
  void begin(const TransferPart& part, SampledEndpoint& endpoint, std::uint64_t number, TimePs now);
  /// It is done. @throws std::runtime_error: audits found that what is played does not tell the time.
  void ended(std::uint64_t number, TimePs now);
  /// What ends from now on at this endpoint belongs to its next period.
  void next_period(NpuId at) { shares_[index_of(at)].emplace_back(); }

  SampledCounts counts() const;
  /// What was played of a period; of one that has not begun nothing.
  Shares shares(NpuId at, std::size_t period) const;
  /// Half-width at 95 % of the sum of played times, as a part of it.
  double relative_half_width() const;
  /// Half-width at 95 % of times with such a share.
  double half_width_ps(const Share& share) const;
  /// Half-width at 95 % of the time of one collective; 0: it was simulated.
  double collective_half_width_ps(std::uint64_t id) const;

 private:
  static constexpr double kTarget = 0.0025;
  struct Transfer;
  /// Kind, and what tells it from others under way.
  using TransferId = std::tuple<TransferPart::Kind, std::uint64_t, std::uint64_t, std::uint64_t>;
  using LineId = std::tuple<TransferPart::Kind, const CollectiveProgram*, std::uint64_t, std::uint64_t,
                            std::uint64_t, ClassId>;

  bool may_end_early(const TransferPart& part) const;
  Transfer& transfer_of(const TransferPart& part, TimePs now);
  bool is_playing() const { return to_measure_ == 0 && unknown_active_ == 0 && !wanted_; }
  void all_entered(Transfer& transfer, TimePs now);
  void play(Transfer& transfer, TimePs now);
  void end_played(Transfer& transfer, std::size_t place, TimePs now);
  void finish(Transfer& transfer);
  void add_simulated(Transfer& transfer, TimePs time_ps);
  void add_measured(Transfer& transfer, TimePs time_ps);
  void end_audit(TimePs now);
  void plan_audit();
  double busy_part(TimePs now) const;
  double tolerance(TimePs now) const;
  Share& share_of(const Transfer& transfer, std::size_t place);

  const std::size_t npus_;
  const double target_;
  std::mt19937_64 random_;
  std::map<LineId, TransferLine> lines_;
  std::map<TransferId, std::unique_ptr<Transfer>> transfers_;  // under way
  struct Place {
    Transfer* transfer;
    std::size_t place;
  };
  std::unordered_map<std::uint64_t, Place> places_;  // by number of the part
  std::uint64_t next_number_ = 0;
  // Of those that all have entered:
  std::map<TrafficKind, std::uint32_t> active_;
  std::map<std::uint64_t, Transfer*> measured_;  // simulated, and nothing was played beside; by number
  std::uint32_t played_active_ = 0, unknown_active_ = 0;
  std::uint64_t to_measure_ = 0;     // transfers; 0: what is known is played
  TransferClass* wanted_ = nullptr;  // everything is simulated until enough of this have been measured,
  std::uint64_t wanted_for_ = 0;     // or so many others
  std::uint64_t until_audit_ = 0;    // transfers that are still to be played before one
  bool is_auditing_ = false;
  double audit_expected_ = 0, audit_found_ = 0, audit_variance_ = 0;
  DeviationEstimate audits_;
  // What has been.
  SampledCounts counts_;
  std::vector<double> busy_ps_;  // by endpoint, of all transfers
  double busiest_ps_ = 0;
  double played_ps_ = 0, played_within_ps_ = 0;
  std::vector<std::vector<Shares>> shares_;  // by endpoint and period
  std::unordered_map<std::uint64_t, double> collective_half_widths_;
};

}  // namespace wafertlm
