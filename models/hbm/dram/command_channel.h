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
    bool started = false;
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
  bool give_row();
  bool give_row(const Open& open);
  bool refresh();
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
  bool serving_writes_ = false, forced_ = false, bus_writes_ = false;
  Open* current_ = nullptr;  // its first column is given, its last is not
  Cycle last_read_ = 0, serving_since_ = 0, idle_cycles_, bus_end_ = 0;
  DramTime time_;
};

}  // namespace wafertlm
