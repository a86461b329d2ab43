// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/spec/fabric_kind.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/remote/crossing.h"
#include "tlm/remote/part.h"
#include "workloads/chakra/comm_groups.h"

namespace wafertlm {

/// By rank.
std::vector<std::uint32_t> wafers_of_ranks(const Placement& npus, const Wafers& wafers);

/// What the ranks of several wafers know of who has entered a collective: of their own wafer at once, of
/// another one when the news has come over a link between wafers (Wafers::lookahead_ps).
class EntryNews final : private Wakeable {
 public:
  /// That others have entered a collective which this rank has not.
  using Awaited =
      std::function<void(std::uint32_t rank, std::uint32_t group, std::uint64_t number, TimePs now)>;

  /// `wafer_of`: by rank. `part`: the wafers whose ranks are here; news to others are bytes for their
  /// processes. All must outlive this.
  EntryNews(const chakra::CommGroups& groups, const Wafers& wafers, std::vector<std::uint32_t> wafer_of,
            std::optional<Part> part, Scheduler& scheduler, Awaited awaited);

  void entered(std::uint32_t rank, std::uint32_t group, std::uint64_t number, TimePs now);
  /// Whether the rank, which has entered, waits for others to do so as far as it knows, or did until this
  /// very instant.
  bool gathers(std::uint32_t rank, std::uint32_t group, std::uint64_t number, TimePs now) const;

  /// The least time at which news for other processes since the last call are there; kNever: there are none.
  TimePs take_earliest_ps() { return std::exchange(earliest_ps_, kNever); }
  /// News for a process since the last call.
  std::vector<std::byte> take_batch(std::uint32_t process) { return out_[process].take(); }
  /// From any process. @throws std::logic_error: it lies before now.
  void deliver(const std::vector<std::byte>& batch);

 private:
  struct News {
    TimePs at_ps = 0;
    std::uint64_t number = 0;  ///< of the collective within its group
    std::uint32_t group = 0;
    std::uint32_t from = 0;    ///< wafer
    bool is_complete = false;  ///< all of its ranks have entered; else the first

    bool operator<(const News& other) const {
      return std::tie(group, number, from, is_complete) <
             std::tie(other.group, other.number, other.from, other.is_complete);
    }
  };
  /// A group's ranks by wafer.
  using Members = std::map<std::uint32_t, std::vector<std::uint32_t>>;
  /// What a wafer's ranks know of a collective.
  struct View {
    bool is_open = false;                         ///< somebody has entered
    std::uint32_t entered = 0;                    ///< of its own ranks
    std::map<std::uint32_t, TimePs> complete_ps;  ///< by wafer: since when all of its ranks have entered
  };
  using Collective = std::pair<std::uint32_t, std::uint64_t>;  // number of the group, number within it

  const Members& members_of(std::uint32_t group);
  bool is_here(std::uint32_t wafer) const { return !part_ || part_->has(wafer); }
  void tell_others(const News& news);
  void learn(const News& news);
  void open(std::uint32_t wafer, const Collective& collective, TimePs now, std::uint32_t but_for);
  void forget(TimePs now);
  void wake(std::uint32_t what, TimePs now) override;

  const chakra::CommGroups& groups_;
  const TimePs delay_ps_;
  const std::vector<std::uint32_t> wafer_of_;
  const std::optional<Part> part_;
  Scheduler& scheduler_;
  const Awaited awaited_;
  std::map<std::uint32_t, Members> members_;                    // by group
  std::map<std::pair<std::uint32_t, Collective>, View> views_;  // by wafer
  std::map<TimePs, std::vector<News>> coming_;
  std::map<std::uint32_t, ByteWriter> out_;  // by process
  TimePs earliest_ps_ = kNever;
  std::deque<std::pair<TimePs, std::pair<std::uint32_t, Collective>>> known_to_all_;  // views, since when
};

}  // namespace wafertlm
