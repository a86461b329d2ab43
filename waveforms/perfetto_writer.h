// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tlm/kernel/units.h"
#include "waveforms/worker.h"

namespace wafertlm {

/// Writes a trace that ui.perfetto.dev and Perfetto's trace processor load (TracePacket and TrackEvent, with
/// interned names). Its times are whole nanoseconds, rounded down; slices carry the exact picoseconds. A
/// thread of its own compresses and writes; when it falls behind, the caller waits, so memory stays bounded.
///
/// The last packet is an instant event "end of trace" with the numbers of slices, flows and counter values
/// before it: a file without it was cut off.
class PerfettoWriter {
 public:
  /// Compressed with gzip if `path` ends in ".gz". @throws std::invalid_argument when it cannot be written.
  explicit PerfettoWriter(const std::string& path);
  ~PerfettoWriter();
  PerfettoWriter(const PerfettoWriter&) = delete;
  PerfettoWriter& operator=(const PerfettoWriter&) = delete;

  using Track = std::uint64_t;
  Track add_process(const std::string& name);
  Track add_track(Track process, const std::string& name);
  Track add_counter(Track process, const std::string& name, const std::string& unit);

  using Annotation = std::pair<const char*, std::uint64_t>;
  /// Slices of a track must not overlap. An arrow of flow f goes from each slice that `leaves` it, or where
  /// it is the next one in time, to the next slice of that flow; one that `arrives` at its end is the last.
  struct Slice {
    Track track = 0;
    const std::string* name = nullptr;
    const std::string* category = nullptr;
    TimePs start_ps = 0, end_ps = 0;
    std::uint64_t leaves = 0, arrives = 0;  ///< flow ids; 0: none
  };
  void slice(const Slice& slice, const std::vector<Annotation>& annotations);
  void counter(Track track, TimePs at_ps, double value);

  /// @throws std::runtime_error if something could not be written.
  void finish(TimePs end_ps);

  std::uint64_t slices() const { return slices_; }
  /// Flow ids on slices.
  std::uint64_t flows() const { return flows_; }
  std::uint64_t counter_values() const { return counter_values_; }

 private:
  struct Packets;
  void track_event(TimePs at_ps, Track track, int type);
  void annotate(const char* name, std::uint64_t value);
  void write(const std::string& chunk);
  [[noreturn]] void fail() const;

  std::string path_;
  void* file_;  // gzFile
  Worker<std::string> worker_;
  std::unique_ptr<Packets> packets_;
  Track next_track_ = 1;
  std::uint64_t slices_ = 0, flows_ = 0, counter_values_ = 0;
};

}  // namespace wafertlm
