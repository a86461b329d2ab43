// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "models/hbm/dram/dram_channel.h"
#include "models/hbm/dram/dram_gates.h"

namespace wafertlm {

/// A pseudo-channel command by command, cycle by cycle: at most one row command (activate, precharge,
/// refresh) and one column command in each, every one through the gates. Slow: to calibrate the burst level.
class CommandChannel final : public DramChannel {
 public:
  CommandChannel(const DramTiming& timing, const DramQueueParams& queue);

  TimePs push(const RowVisit& visit, std::uint32_t tag, TimePs now) override;
  void run_until(TimePs until) override;
  TimePs next_ps() const override;
  /// Losses are told apart no further than `no_request` and, for the rest, `not_told`.
  DramTime time() const override { return time_; }

 private:
  using Cycle = DramGates::Cycle;
  struct Open {
    RowVisit visit;
    std::uint32_t tag;
    Cycle arrival;
    std::uint64_t begun = 0;  ///< as so-many-th; 0: not yet
    Cycle begun_at = 0;
    std::uint32_t next = 0;  ///< access
  };
  struct BankState {
    std::uint32_t row = ~0U;    ///< open, or to be opened for a visit that has started
    std::uint32_t pending = 0;  ///< visits that have started and have accesses to come
    bool refreshing = false;    ///< precharged for it
    Cycle refreshed = 0, due = 0;
  };

  std::uint32_t bank_of(const RowVisit& visit, std::uint32_t k) const {
    return visit.group(k) * timing_.banks_per_group + visit.bank;
  }
  Cycle spacing(const RowVisit& visit) const {
    return visit.groups == 1 ? timing_.ccd_long : timing_.ccd_short;
  }
  TimePs ps(Cycle cycle) const { return (cycle * timing_.clock_fs + 999) / 1000; }
  std::deque<Open>& queue(bool write) { return write ? writes_ : reads_; }
  bool idle() const { return reads_.empty() && writes_.empty() && backlog_.empty(); }
  void step();
  void admit();
  void start_visits();
  bool can_start(const RowVisit& visit);
  const std::vector<Open*>& begun();
  bool give_row();
  bool give_row(const Open& open);
  bool refresh();
  bool refresh_all();
  void give_column();
  bool can_give(const Open& open) const;
  bool can_begin(const Open& open) const;
  void give(Open& open);
  void account(Cycle data, Cycle busy, Cycle arrival);

  const DramTiming timing_;
  const DramQueueParams params_;
  DramGates gates_;
  Cycle now_ = 0;  // the next cycle
  std::deque<Open> reads_, writes_, backlog_;
  std::uint32_t unstarted_[2] = {0, 0};
  std::vector<BankState> banks_;
  bool serving_writes_ = false, bus_writes_ = false;
  std::uint32_t drain_ = 0;  // so many writes go out before the reads
  Open* current_ = nullptr;  // its first column is given, its last is not
  Cycle writes_wait_since_ = 0, write_age_, bus_end_ = 0;
  std::uint64_t last_begun_ = 0;
  std::vector<Open*> begun_;
  Cycle due_ = DramGates::kNeverCycle;  // of the refresh of all banks
  DramTime time_;
};

}  // namespace wafertlm
