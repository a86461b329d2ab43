// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/hbm/dram/address_map.h"
#include "models/hbm/dram/burst_channel.h"
#include "models/hbm/dram/dram_channel.h"
#include "models/hbm/dram/memory_timing.h"

namespace wafertlm {

/// Stacks of HBM: cuts accesses into visits of rows, and asks the pseudo-channels when they are done.
///
/// Bursts: a stream that passes through many channels asks the same of each of them at the same time. As long
/// as nothing else happens to one of them, a BurstChannel stands for all of them. A visit that only some get
/// splits them. They are merged when what has happened to each makes no difference any more.
class DramMemory final : public MemoryTiming {
 public:
  explicit DramMemory(const DramParams& params);

  /// A time before that of an earlier access counts as that.
  Id submit(const TimedAccess& access, TimePs now) override;
  Answer ask(Id id, TimePs now) override;
  TimePs wait_for(Id id) override;
  void end(Id id) override;

  /// Lets everything that begins by `until` happen; kNever: everything.
  void run_until(TimePs until);
  std::uint64_t bytes_per_s() const { return map_.channels() * params_.timing.channel_bytes_per_s(); }
  const AddressMap& map() const { return map_; }
  std::uint32_t channels() const { return map_.channels(); }
  std::size_t distinct_channels() const { return channels_.size() - unused_.size(); }
  DramTime time(std::uint32_t channel) const;

 private:
  struct Request {
    std::vector<std::uint32_t> visits;  ///< of channels_, of those not decided at once; kDecided: since then
    std::uint32_t undecided = 0;
    TimePs end_ps = 0;
  };
  static constexpr std::uint32_t kDecided = ~0U;
  static constexpr unsigned kVisitBits = 16;  ///< of a tag: which visit of a request it is

  /// Of a channel that was merged with others: what had happened to it and not to the one that stands for
  /// them.
  struct Own {
    DramTime more;
    std::uint64_t bus_end_less_fs = 0;  ///< its last transfer ended so much before that of the other …
    std::uint64_t accesses = 0;         ///< … when that one had made so many
    bool any = false;
  };

  void collect(DramChannel& channel);
  BurstChannel& burst(std::uint32_t of) { return static_cast<BurstChannel&>(*channels_[of]); }
  void merge(TimePs now);
  void merge(std::uint32_t from, std::uint32_t other);

  void cut(const TimedAccess& access, Id id, TimePs now);
  std::uint64_t visit_whole(AddressMap::Walk& walk, std::uint64_t pieces, bool write, Id id, TimePs now);
  void visit(std::uint32_t channel, const RowVisit& visit, Id id, TimePs now);
  void visit_singles(Id id, TimePs now);
  void visit_same(const RowVisit& visit, Id id, TimePs now);
  std::uint32_t split(std::uint32_t from, std::uint32_t members);
  std::uint32_t add_visit(Id id, std::uint32_t channel);

  const DramParams params_;
  const AddressMap map_;
  const BurstTimes burst_;
  std::vector<std::unique_ptr<DramChannel>> channels_;  // that are told apart
  std::vector<std::uint32_t> of_;                       // which of them a channel is
  std::vector<std::uint32_t> members_;                  // how many it is; 0: for later use
  std::vector<std::uint32_t> unused_;                   // of channels_, those
  // Successive pieces of a request with the same visit, each in another channel.
  std::vector<std::uint32_t> same_;       // their channels
  std::vector<std::uint32_t> same_in_;    // how many of them each of channels_ is
  std::vector<std::uint32_t> same_of_;    // of channels_, those that are any
  std::vector<std::uint64_t> last_same_;  // of each channel, the number of the last such run
  std::uint64_t same_runs_ = 0;
  struct Single {
    std::uint32_t of;  ///< of channels_, that is one channel
    RowVisit visit;
  };
  std::vector<Single> singles_;  // a request's visits to such channels, made in one go
  std::vector<Own> own_;         // of each channel
  struct Described {
    std::uint64_t hash;
    std::uint32_t channel;   ///< of channels_
    std::size_t begin, end;  ///< its state, in states_
  };
  std::vector<Described> described_;
  std::vector<std::uint64_t> states_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> merges_;  // from, to
  std::uint64_t visits_since_merge_ = 0;                         // of channels_
  std::uint64_t merge_after_[2];  // so many of each; while requests are under way, and when none is
  std::size_t under_way_ = 0;
  TimePs latest_ = 0;
  std::vector<Request> requests_;
  std::vector<Id> free_;
};

/// Where the time of all data buses of a memory went, from 0 to the end of the last transfer or `total_fs`:
/// channels · total_fs = busy + all losses + too few outstanding + channel imbalance, exactly.
struct MemoryLosses {
  std::uint64_t channels = 0;
  std::uint64_t total_fs = 0;  ///< of each channel
  DramTime sum;                ///< of all channels; its `no_request` is split into:
  std::uint64_t too_few_outstanding_fs = 0;
  /// A channel had nothing to do, while the busiest one had: so much less than that one did each do.
  std::uint64_t channel_imbalance_fs = 0;
};

/// Lets the writes that are still buffered out before.
MemoryLosses attribute_losses(DramMemory& memory, TimePs until_ps);
/// With the time from the last transfer to `until_ps`, in which no channel has anything to do.
void extend(MemoryLosses& losses, TimePs until_ps);

}  // namespace wafertlm
