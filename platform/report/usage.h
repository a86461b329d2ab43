// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

#include "platform/machine/machine.h"
#include "platform/machine/machine_links.h"
#include "tlm/memory/memory_observer.h"
#include "waveforms/time_buckets.h"

namespace wafertlm {

/// How busy every link was, and what every memory moved, over time.
class Usage final : public LinkObserver, public MemoryObserver {
 public:
  explicit Usage(const Machine& machine);

  void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
            TimePs end_ps) override;
  void moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) override;

  /// Busy picoseconds of the links in the order of results.json, and bytes of the memories: reads of NPU n
  /// are series 2n, writes 2n + 1.
  const TimeBuckets& links() const { return links_; }
  const TimeBuckets& memories() const { return memories_; }
  /// {bucket_ps, busy: [[fraction of the bucket, in 1/10000]]} and {bucket_ps, read: [[bytes]], written:
  /// [[bytes]]}.
  nlohmann::ordered_json links_json(TimePs end_ps) const;
  nlohmann::ordered_json memories_json() const;

 private:
  LinkPlaces places_;
  TimeBuckets links_, memories_;
};

}  // namespace wafertlm
