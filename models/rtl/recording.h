// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fstream>
#include <string>
#include <vector>

#include "models/rtl/event.h"

namespace wafertlm {

struct RtlRecordingHead {
  std::string switch_name;
  std::uint32_t ports = 0, channels = 0;
  std::uint32_t flit_bytes = 0;
  std::uint64_t clock_hz = 0;
  TimePs tolerance_ps = 0;           ///< kNever: times are not compared
  std::vector<std::uint32_t> rooms;  ///< as RtlBenchParams
};

/// Writes what happened at a switch: a text file, a line for each event.
///
///   wafertlm-rtl-recording 1
///   switch NAME ports P channels V flit_bytes B clock_hz HZ tolerance_ps T     ("-": times are not compared)
///   rooms R …                                        flits behind each output and channel, 0: no limit
///   open NOW ENTRY CHANNEL PRIORITY TYPE FIRST PACKETS ABOVE inputs N … outputs N … order N INTO FROM …
///   arrive NOW INPUT CHANNEL ENTRY SEQUENCE BYTES FLITS HEAD TAIL [from SOURCE DESTINATION COLLECTIVE STEP
///   PACKET]
///     [DATA in hex]                                "-" as DESTINATION: an in-network flow
///   credit NOW OUTPUT CHANNEL FLITS AT
///   leave NOW OUTPUT CHANNEL ENTRY SEQUENCE BYTES HEAD [DATA]
class RtlRecorder {
 public:
  /// @throws std::runtime_error: the file cannot be written.
  RtlRecorder(const std::string& path, const RtlRecordingHead& head);
  void write(const RtlEvent& event);
  void close();

 private:
  std::string path_;
  std::ofstream file_;
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

  std::string path_;
  std::ifstream file_;
  std::uint64_t line_ = 0;
  RtlRecordingHead head_;
};

}  // namespace wafertlm
