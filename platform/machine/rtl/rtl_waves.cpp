// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/rtl_waves.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "models/rtl/recording.h"
#include "models/rtl/shadow.h"
#include "platform/host/fst.h"
#include "waveforms/gtkwave_view.h"
#include "waveforms/vcd_merge.h"

namespace wafertlm {
namespace {

struct ShownPin {
  const char* name;
  WaveFormat format;
};

/// Of a protocol, in the order in which they are read best.
const std::vector<ShownPin>& shown_pins(RtlProtocol protocol) {
  const WaveFormat bit = WaveFormat::bit, ports = WaveFormat::binary, number = WaveFormat::decimal,
                   hex = WaveFormat::hexadecimal;
  static const std::vector<ShownPin> credit_stream = {
      {"clk", bit},          {"rst_n", bit},         {"in_valid", ports},  {"in_head", ports},
      {"in_tail", ports},    {"in_vc", hex},         {"in_header", hex},   {"in_data", hex},
      {"in_credit", ports},  {"in_credit_vc", hex},  {"out_valid", ports}, {"out_head", ports},
      {"out_tail", ports},   {"out_vc", hex},        {"out_header", hex},  {"out_data", hex},
      {"out_credit", ports}, {"out_credit_vc", hex}, {"cfg_valid", bit},   {"cfg_flow", number},
      {"cfg_word", number},  {"cfg_data", hex}};
  static const std::vector<ShownPin> axi4_stream = {
      {"aclk", bit},      {"aresetn", bit},    {"s_tvalid", ports}, {"s_tready", ports},
      {"s_tlast", ports}, {"s_tid", hex},      {"s_tdest", hex},    {"s_tuser", hex},
      {"s_tdata", hex},   {"m_tvalid", ports}, {"m_tready", ports}, {"m_tlast", ports},
      {"m_tid", hex},     {"m_tdest", hex},    {"m_tuser", hex},    {"m_tdata", hex}};
  return protocol == RtlProtocol::credit_stream ? credit_stream : axi4_stream;
}

/// The pins are those of the outermost scope that has them.
std::map<std::string, VcdSignal> outermost_pins(const std::vector<VcdSignal>& signals) {
  const auto scopes_of = [](const std::string& name) { return std::count(name.begin(), name.end(), '.'); };
  std::map<std::string, VcdSignal> outermost;
  for (const VcdSignal& each : signals) {
    const auto [found, is_new] = outermost.emplace(each.name.substr(each.name.rfind('.') + 1), each);
    if (!is_new && scopes_of(each.name) < scopes_of(found->second.name)) found->second = each;
  }
  return outermost;
}

/// Those of one port: of each pin its part.
void show_pins_of(GtkwaveView& view, RtlProtocol protocol, const std::map<std::string, VcdSignal>& pins,
                  std::uint32_t ports, bool is_output, std::uint32_t port) {
  const bool is_credit_stream = protocol == RtlProtocol::credit_stream;
  const std::string prefix = is_credit_stream ? (is_output ? "out_" : "in_") : (is_output ? "m_t" : "s_t");
  for (const ShownPin& each : shown_pins(protocol)) {
    const auto found = pins.find(each.name);
    if (found == pins.end() || found->first.rfind(prefix, 0) != 0) continue;
    const unsigned bits = found->second.bits, of_port = bits / ports;
    if (of_port == 0 || bits % ports != 0) continue;
    view.add_part(found->second.name, bits, port * of_port, of_port,
                  of_port == 1 ? WaveFormat::bit : WaveFormat::hexadecimal, each.name);
  }
}

/// All of them, as they are.
void show_pins(GtkwaveView& view, RtlProtocol protocol, const std::map<std::string, VcdSignal>& pins) {
  view.open("RTL: pins", true);
  for (const ShownPin& each : shown_pins(protocol))
    if (const auto found = pins.find(each.name); found != pins.end())
      view.add(found->second.name, found->second.bits, each.format);
  view.close();
}

bool ends_in(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

RtlBenchParams bench_params(const RtlRecordingReader& recording, const RtlDesign& design,
                            RtlConfiguration configuration) {
  const RtlRecordingHead& head = recording.head();
  const auto fail = [&](const std::string& what, std::uint64_t of_design, std::uint64_t of_recording) {
    throw std::invalid_argument(fmt::format("the recording of {} has {} {}, the design '{}' {}",
                                            head.switch_name, of_recording, what, design.name, of_design));
  };
  const bool is_stream = design.protocol == RtlProtocol::axi4_stream;
  if (head.flit_bytes != design.flit_bytes()) fail("bytes in a flit", design.flit_bytes(), head.flit_bytes);
  if (head.ports > design.ports) fail("ports", design.ports, head.ports);
  if (head.channels > design.channels && !is_stream) fail("channels", design.channels, head.channels);
  RtlBenchParams params;
  params.clock.hz = head.clock_hz;
  params.configuration = std::move(configuration);
  params.rooms.resize(std::size_t{design.ports} * design.channels);
  for (std::size_t port = 0; port < head.ports; ++port)
    for (std::size_t c = 0; c < std::min(head.channels, design.channels); ++c)
      params.rooms[port * design.channels + c] = head.rooms.at(port * head.channels + c);
  return params;
}

RtlWaveWindow rtl_window_around(TimePs at_ps, TimePs window_ps) {
  return {1, at_ps > window_ps ? at_ps - window_ps : 0, at_ps + window_ps};
}

std::string rtl_waves_text(const std::vector<std::string>& files) {
  return fmt::format("waveform {0}   (gtkwave {0} {1})", files.at(0), files.at(1));
}

namespace fs = std::filesystem;

RtlWaveFiles::RtlWaveFiles(std::string path)
    : path_(std::move(path)),
      name_(fs::path(path_).filename().string()),
      folder_(fs::path(path_).has_parent_path() ? fs::path(path_).parent_path() : fs::path("."),
              "wafertlm, waveforms " + path_, name_) {
  folder_.require_free({name_, name_ + ".gtkw", name_ + ".packets.txt"});
}

std::vector<std::string> RtlWaveFiles::commit() {
  folder_.commit();
  return {path_, path_ + ".gtkw"};
}

std::string rtl_wave_file(const std::string& path) {
  if (is_fst(path)) require_vcd2fst(path);
  return is_fst(path) || ends_in(path, ".vcd") ? path : path + ".vcd";
}

std::vector<std::string> finish_rtl_waves(const std::string& file, const std::string& shown,
                                          const RtlDesign& design, const PacketWaves& packets,
                                          const RtlWaveShown& seen) {
  const std::string decoded = file + ".packets", vcd = is_fst(file) ? file + ".vcd" : file;
  packets.write(decoded);
  const auto signals = merge_vcd({decoded, file + ".pins"}, vcd);
  for (const std::string& part : {decoded, file + ".pins"}) std::remove(part.c_str());
  if (vcd != file) {
    vcd_to_fst(vcd, file);
    std::remove(vcd.c_str());
  }
  GtkwaveView view(shown);
  const auto pins = outermost_pins(signals[1]);
  packets.show(view, file, shown, [&](bool is_output, std::uint32_t port) {
    show_pins_of(view, design.protocol, pins, design.ports, is_output, port);
  });
  show_pins(view, design.protocol, pins);
  if (seen.to_ps != kNever) view.zoom(seen.from_ps, seen.to_ps);
  if (seen.marker_ps) view.mark(*seen.marker_ps);
  return {file, view.write(file + ".gtkw")};
}

std::vector<std::string> write_rtl_waves(const RtlWaveRequest& request) {
  RtlRecordingReader recording(request.recording);
  const RtlRecordingHead head = recording.head();
  const RtlClock clock{head.clock_hz};
  const RtlWaveWindow window{clock.period_ps(), request.from_ps, request.to_ps};
  PacketWaves packets(head.switch_name, request.design->ports, clock, window);
  RtlBenchParams params = bench_params(recording, *request.design, request.configuration);
  params.watch = &packets;
  params.stalls = request.stalls;
  RtlShadow shadow(*request.design, *request.model, std::move(params), {});
  shadow.bench().restart();
  request.model->open_waves(request.path + ".pins", window);
  for (RtlEvent event; recording.next(event) && event.now_ps <= window.to_ps;) {
    packets.model_saw(event);
    shadow.apply(event);
  }
  if (window.to_ps == kNever)
    shadow.finish();
  else
    shadow.advance(window.to_ps);
  request.model->close_waves();
  packets.end();
  RtlRecordingReader again(request.recording);
  for (RtlEvent event; again.next(event) && event.now_ps <= window.to_ps;) packets.name(event);
  return finish_rtl_waves(request.path, request.shown.empty() ? request.path : request.shown, *request.design,
                          packets, {window.from_ps, window.to_ps, request.marker_ps});
}

}  // namespace wafertlm
