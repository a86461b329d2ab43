// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/machine/machine.h"
#include "platform/machine/machine_links.h"
#include "platform/report/instance_filter.h"
#include "platform/report/observables.h"
#include "platform/run/job_run.h"
#include "platform/run/run_observer.h"
#include "waveforms/perfetto_writer.h"

namespace wafertlm {

/// @throws std::invalid_argument: a part of the filter (InstanceFilter) that names no instance or class.
void require_instances(const std::vector<std::string>& filter, const Machine& machine, const Job& job);

/// A run as a trace for Perfetto: per NPU what its time goes into and its operations, with arrows from send
/// to receive and along a collective in the order in which its ranks begin; per link its utilisation and per
/// memory its bandwidth, by microsecond; per endpoint the packets that wait at its injection port. What
/// overlaps a window is there as a whole.
class PerfettoTrace final : public RunObserver, public LinkObserver, public MemoryObserver {
 public:
  PerfettoTrace(const std::string& path, const std::vector<std::string>& filter, const Machine& machine,
                const Job& job, const Observables& observables);

  bool wants_links() const { return wants_links_; }
  bool wants_memories() const { return wants_memories_; }

  void operation_started(std::uint32_t rank, const Task& task, TimePs now) override;
  void operation_ended(std::uint32_t rank, const Task& task, TimePs start_ps, TimePs end_ps) override;
  void time_spent(std::uint32_t rank, TimePs from_ps, TimePs to_ps, const std::string& category) override;
  void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
            TimePs end_ps) override;
  void moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) override;

  /// Writes what is open, and the end. @throws std::runtime_error if something could not be written.
  void finish(TimePs end_ps);
  const PerfettoWriter& writer() const { return writer_; }

 private:
  struct Stretch {
    TimePs from_ps, to_ps;
    std::string category;
  };
  /// A resource's tracks: operations that overlap are in several lanes.
  struct Lanes {
    std::vector<PerfettoWriter::Track> tracks;
    std::vector<bool> taken;
  };
  struct Open {
    std::uint32_t lane;
    Lanes* lanes;
  };
  struct Rank {
    std::string name;
    bool wanted = false;
    PerfettoWriter::Track process = 0, time = 0;
    std::map<std::string, Lanes> lanes;
    std::unordered_map<std::uint64_t, Open> open;  // by node
    std::vector<Stretch> gap;                      // known from its end on
    TimePs covered_ps = 0;
  };
  /// The sum of a bucket of time, written when the next one begins.
  struct Counter {
    std::string name;
    bool wanted = false;
    PerfettoWriter::Track track = 0;
    std::uint64_t bucket = 0;
    double sum = 0, carried = 0, last = 0;
    double full = 1;  // the value of a sum, per unit
  };
  void add(Counter& counter, TimePs from_ps, TimePs to_ps, double amount);
  void flush(Counter& counter, std::uint64_t until);
  void put(Counter& counter, std::uint64_t bucket, double value);
  void put_stretch(const Rank& rank, const Stretch& stretch);

  const Observables& observables_;
  const std::size_t switches_;
  InstanceFilter filter_;
  PerfettoWriter writer_;
  std::vector<Rank> ranks_;
  LinkPlaces places_;
  std::vector<Counter> links_, queues_, reads_, writes_;
  bool wants_links_ = false, wants_memories_ = false;
};

}  // namespace wafertlm
