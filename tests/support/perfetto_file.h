// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wafertlm::test {

/// What protobuf's parser reads in a trace of PerfettoWriter's; names stand in place of their numbers.
struct PerfettoFile {
  /// Fails the test for a file that is no trace, or in which a slice has no end.
  explicit PerfettoFile(const std::string& path);

  struct Slice {
    std::string process, track, name, category;
    std::uint64_t begin_ns = 0, end_ns = 0;
    std::map<std::string, std::uint64_t> annotations;
    std::vector<std::uint64_t> leaves, arrives;
    std::string text() const;  ///< "process/track: name (category) start_ps+duration_ps"
  };
  using Counter = std::vector<std::pair<std::uint64_t, double>>;  ///< (ns, value)

  std::vector<std::string> tracks;  ///< "process", "process/track", "process/counter [unit]", in file order
  std::vector<Slice> slices;        ///< in the order of their ends in the file
  std::map<std::string, Counter> counters;         ///< by the name of the track
  std::map<std::string, std::uint64_t> at_end;     ///< annotations of the last event
  std::uint64_t end_ns = 0;                        ///< its time
  std::vector<std::uint64_t> tables_begun_events;  ///< numbers of the events that begin the tables of names
  std::vector<std::string> slice_texts() const;
};

/// The value of a counter at some time; 0 before the first one.
double value_at(const PerfettoFile::Counter& counter, std::uint64_t ns);

}  // namespace wafertlm::test
