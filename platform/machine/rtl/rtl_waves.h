// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "platform/host/output_folder.h"
#include "platform/machine/rtl/packet_waves.h"

namespace wafertlm {

/// Waveforms of both sides in a part of a recording.
struct RtlWaveRequest {
  std::string recording;
  const RtlDesign* design = nullptr;
  RtlConfiguration configuration;
  RtlModel* model = nullptr;
  TimePs from_ps = 0, to_ps = 0;
  std::string path;   ///< as of rtl_wave_file()
  std::string shown;  ///< what it will be called when the run is over; empty: the same
  const RtlStalls* stalls = nullptr;
  std::optional<TimePs> marker_ps = {};  ///< where something is wrong
};

/// Plays the recording into the RTL once more and writes PATH, a value change dump or (.fst) an FST file: the
/// packets of the model and on the pins (PacketWaves) and all signals of the RTL; and PATH.gtkw, a view of
/// it. Returns the two files.
std::vector<std::string> write_rtl_waves(const RtlWaveRequest& request);

/// Where waveforms that a user asked for go, with their view: written elsewhere and put in place together,
/// not over files that no command of ours wrote.
class RtlWaveFiles {
 public:
  explicit RtlWaveFiles(std::string path);
  std::string working() const { return (folder_.working() / name_).string(); }
  /// As it will be.
  const std::string& shown() const { return path_; }
  /// @return their names. @throws std::invalid_argument, std::runtime_error.
  std::vector<std::string> commit();

 private:
  std::string path_, name_;
  OutputFolder folder_;
};

/// From window_ps before a moment to window_ps after.
RtlWaveWindow rtl_window_around(TimePs at_ps, TimePs window_ps);

/// "waveform FILE   (gtkwave FILE FILE.gtkw)"
std::string rtl_waves_text(const std::vector<std::string>& files);

/// PATH if it ends in .vcd or .fst, else PATH.vcd. @throws std::invalid_argument: an FST file, and there is
/// no vcd2fst.
std::string rtl_wave_file(const std::string& path);

/// What GTKWave shows first; to_ps kNever: all of it.
struct RtlWaveShown {
  TimePs from_ps = 0, to_ps = kNever;
  std::optional<TimePs> marker_ps = {};
};

/// The end of write_rtl_waves(): the model's own dump is there as FILE.pins.
std::vector<std::string> finish_rtl_waves(const std::string& file, const std::string& shown,
                                          const RtlDesign& design, const PacketWaves& packets,
                                          const RtlWaveShown& seen);

/// Of a recording the parameters of a bench with `design`, whose ports and channels may be more.
/// @throws std::invalid_argument: they are less, or its flits have another size.
RtlBenchParams bench_params(const class RtlRecordingReader& recording, const RtlDesign& design,
                            RtlConfiguration configuration);

}  // namespace wafertlm
