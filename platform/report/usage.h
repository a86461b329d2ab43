// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "platform/machine/machine.h"
#include "platform/machine/machine_links.h"
#include "tlm/acceleration/episode_observer.h"
#include "tlm/memory/memory_observer.h"
#include "waveforms/time_buckets.h"

namespace wafertlm {

/// How busy every link was, and what every memory moved, over time: within a bucket the same of an
/// accelerated run. What an episode has seen is as fine as the buckets are by then, which only become wider.
class Usage final : public LinkObserver, public MemoryObserver, public EpisodeObserver {
 public:
  explicit Usage(const Machine& machine);

  void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
            TimePs end_ps) override;
  bool takes_repeats() const override { return true; }
  void repeated(std::size_t observed, PortId output, const LinkRepeat& repeat) override;
  void begins(TimePs start_ps) override;
  std::shared_ptr<const EpisodeSight> seen() override;
  void repeated(const EpisodeSight& sight, TimePs start_ps) override;
  void moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) override;

  /// For another process.
  std::vector<std::byte> pack() const;
  /// Adds what the observer of another part of the machine has seen: its pack().
  void add(const std::vector<std::byte>& packed);

  /// Busy picoseconds of the links in the order of results.json, and bytes of the memories: reads of NPU n
  /// are series 2n, writes 2n + 1.
  const TimeBuckets& links() const { return links_; }
  const TimeBuckets& memories() const { return memories_; }
  /// {bucket_ps, busy: [[fraction of the bucket, in 1/10000]]} and {bucket_ps, read: [[bytes]], written:
  /// [[bytes]]}.
  nlohmann::ordered_json links_json(TimePs end_ps) const;
  nlohmann::ordered_json memories_json() const;

 private:
  /// What links have sent in an episode.
  struct Sight final : EpisodeSight {
    struct Share {
      std::size_t link;
      TimePs from_ps, to_ps;  // since it began
      double busy_ps;
    };
    std::vector<Share> shares;
    std::size_t bytes() const override { return sizeof *this + shares.size() * sizeof(Share); }
  };

  /// What a link has sent lately, as it is repeated.
  struct Recent {
    std::vector<std::pair<TimePs, TimePs>> stretches;  // less shift_ps
    TimePs shift_ps = 0;                               // periods that were skipped, modulo 2^64
    TimePs last_end_ps = 0;                            // less shift_ps

    void add(TimePs start_ps, TimePs end_ps);
    /// The period that ends at `end_ps`, from its beginning on; empty if not all of it is kept.
    std::vector<std::pair<TimePs, TimePs>> period(TimePs end_ps, TimePs period_ps) const;
  };
  void repeat(TimeBuckets& into, TimePs begun_ps, std::size_t link, TimePs end_ps,
              const LinkRepeat& repeat) const;

  LinkPlaces places_;
  TimeBuckets links_, memories_;
  std::vector<Recent> recent_;  // by link
  // The episode that is under way.
  bool has_episodes_ = false;
  TimePs episode_ps_ = 0;
  TimeBuckets of_episode_;  // since it began
};

}  // namespace wafertlm
