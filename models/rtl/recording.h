// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "models/rtl/event.h"
#include "models/rtl/properties.h"

namespace wafertlm {

struct RtlRecordingHead {
  std::string switch_name;
  std::uint32_t ports = 0, channels = 0;
  std::uint32_t flit_bytes = 0;
  std::uint64_t clock_hz = 0;
  std::optional<std::uint32_t> tolerance;  ///< as RtlScoreboardOptions
  std::vector<std::uint32_t> rooms;        ///< as RtlBenchParams
  RtlModelFacts model = {};
};

/// Writes what happened at a switch: a text file, a line for each event.
///
///   wafertlm-rtl-recording 2
///   switch NAME ports P channels V flit_bytes B clock_hz HZ tolerance CYCLES   ("-": times are not judged)
///   model pipeline_ps … link_bytes_per_s … flit_bytes … payload_bytes … wire_bytes … input_bytes … queue …
///     credit_delay_ps … start_interval_ps …          RtlModelFacts
///   rooms R …                                        flits behind each output and channel, 0: no limit
///   open NOW ENTRY CHANNEL PRIORITY TYPE FIRST PACKETS ABOVE inputs N … outputs N … order N INTO FROM …
///   arrive NOW INPUT CHANNEL ENTRY SEQUENCE BYTES FLITS HEAD TAIL [flits N AT …] [from SOURCE DESTINATION
///   COLLECTIVE STEP PACKET]
///     [DATA in hex]                                "-" as DESTINATION: an in-network flow; flits: of a
///                                                  packet whose flits came one by one, from RTL
///   credit NOW OUTPUT CHANNEL FLITS AT
///   leave NOW OUTPUT CHANNEL ENTRY SEQUENCE BYTES HEAD TAIL|- [DATA]
class RtlRecorder {
 public:
  /// @throws std::runtime_error: the file cannot be written.
  explicit RtlRecorder(const std::string& path);
  /// Before all else.
  void begin(const RtlRecordingHead& head);
  void write(const RtlEvent& event);
  void close();

 private:
  void put(const RtlEvent& event);
  void put_due();

  std::string path_;
  std::ofstream file_;
  std::deque<RtlEvent> due_;  // behind a packet whose tail is not known yet
};

class RtlRecordingReader {
 public:
  /// @throws std::invalid_argument that names the file and the line, as next() does.
  explicit RtlRecordingReader(const std::string& path);
  const RtlRecordingHead& head() const { return head_; }
  /// False at the end.
  bool next(RtlEvent& event);

 private:
  [[noreturn]] void fail(const std::string& why) const;
  bool read_line(std::string& line);
  void read_model(std::istringstream in);
  void read_flits(std::istream& in, RtlEvent& event) const;

  std::string path_;
  std::ifstream file_;
  std::uint64_t line_ = 0;
  RtlRecordingHead head_;
};

}  // namespace wafertlm
