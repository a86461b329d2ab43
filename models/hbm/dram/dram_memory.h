// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "models/hbm/dram/address_map.h"
#include "models/hbm/dram/burst_channel.h"
#include "models/hbm/dram/dram_channel.h"
#include "models/hbm/memory_timing.h"

namespace wafertlm {

enum class DramLevel : std::uint8_t { burst, command };

struct DramParams {
  DramTiming timing;
  DramLevel level = DramLevel::burst;
  AddressMapParams map;
  DramQueueParams queue;
  bool shortcuts = true;  ///< burst: visits that find nobody waiting take no queue; the same times without
};

/// Stacks of HBM: cuts accesses into visits of rows, and asks the pseudo-channels when they are done.
class DramMemory final : public MemoryTiming {
 public:
  explicit DramMemory(const DramParams& params);

  Id submit(const MemoryAccess& access, TimePs now) override;
  Answer ask(Id id, TimePs now) override;
  TimePs wait_for(Id id) override;
  void end(Id id) override;

  /// Lets everything that begins by `until` happen; kNever: everything.
  void run_until(TimePs until);
  std::uint64_t bytes_per_s() const { return map_.channels() * params_.timing.channel_bytes_per_s(); }
  const AddressMap& map() const { return map_; }
  std::uint32_t channels() const { return map_.channels(); }
  DramTime time(std::uint32_t channel) const { return channels_[channel]->time(); }

 private:
  struct Request {
    std::vector<std::uint32_t> parts;  ///< channels of those not decided at once; kDecided: since then
    std::uint32_t undecided = 0;
    TimePs end_ps = 0;
  };
  static constexpr std::uint32_t kDecided = ~0U;

  void collect(DramChannel& channel);

  template <typename Channel>
  void cut(const MemoryAccess& access, Id id, TimePs now);

  const DramParams params_;
  const AddressMap map_;
  const BurstTimes burst_;
  std::vector<std::unique_ptr<DramChannel>> channels_;
  std::vector<Request> requests_;
  std::vector<Id> free_;
};

}  // namespace wafertlm
