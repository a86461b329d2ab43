// SPDX-License-Identifier: Apache-2.0
#include "platform/rtl/rtl_waves.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tlm/rtl/recording.h"
#include "tlm/rtl/shadow.h"
#include "waveforms/vcd_writer.h"

namespace wafertlm {
namespace {

/// What the model did: of every input and output which packet is there.
class ModelWaves {
 public:
  ModelWaves(const std::string& path, const RtlRecordingHead& head, TimePs from_ps, TimePs to_ps)
      : file_(path), from_ps_(from_ps), to_ps_(to_ps), cycle_ps_(RtlClock{head.clock_hz}) {
    for (const char* const side : {"in", "out"})
      for (std::uint32_t port = 0; port < head.ports; ++port) {
        const std::string scope = fmt::format("{}_tlm_{}{}", head.switch_name, side, port);
        signals_.push_back({file_.add_signal(scope, "valid", 1), file_.add_signal(scope, "flow", 16),
                            file_.add_signal(scope, "sequence", 24), file_.add_signal(scope, "bytes", 24)});
      }
    ports_ = head.ports;
  }
  void see(const RtlEvent& event) {
    if (event.kind == RtlEvent::Kind::arrive) flits_[{event.flow, event.sequence}] = event.flits;
    if (event.kind == RtlEvent::Kind::arrive)
      show(signals_[event.port], event, event.head_ps, event.tail_ps);
    else if (event.kind == RtlEvent::Kind::leave)
      show(signals_[ports_ + event.port], event, event.head_ps,
           event.head_ps + cycle_ps_.edge_ps(flits_[{event.flow, event.sequence}]));
  }
  void finish() {
    // Packets one behind the other have no gap between them.
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.at < b.at; });
    for (const Change& each : changes_) {
      file_.advance(each.at);
      file_.change(each.at, each.signal, each.value);
    }
    file_.finish(to_ps_);
  }

 private:
  struct Signals {
    std::size_t valid, flow, sequence, bytes;
  };
  struct Change {
    TimePs at;
    std::size_t signal;
    std::uint64_t value;
  };
  void show(const Signals& at, const RtlEvent& event, TimePs head_ps, TimePs tail_ps) {
    if (tail_ps < from_ps_ || head_ps > to_ps_) return;
    const TimePs start_ps = std::max(head_ps, from_ps_);
    changes_.push_back({start_ps, at.valid, 1});
    changes_.push_back({start_ps, at.flow, event.flow});
    changes_.push_back({start_ps, at.sequence, event.sequence & 0xff'ffff});
    changes_.push_back({start_ps, at.bytes, event.bytes});
    changes_.insert(changes_.begin() + static_cast<std::ptrdiff_t>(ends_),
                    {std::min(tail_ps, to_ps_), at.valid, 0});
    ++ends_;
  }

  VcdWriter file_;
  TimePs from_ps_, to_ps_;
  RtlClock cycle_ps_;
  std::uint32_t ports_ = 0;
  std::vector<Signals> signals_;
  std::vector<Change> changes_;
  std::size_t ends_ = 0;  // these come first: a head at the same time holds
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> flits_;
};

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

std::vector<std::string> write_rtl_waves(const RtlWaveRequest& request) {
  const TimePs from_ps = request.at_ps > request.window_ps ? request.at_ps - request.window_ps : 0;
  const TimePs to_ps = request.at_ps + request.window_ps;
  RtlRecordingReader recording(request.recording);
  RtlShadow shadow(*request.design, *request.model,
                   bench_params(recording, *request.design, request.configuration), {});
  shadow.bench().restart();
  const std::vector<std::string> files = {request.path + ".vcd", request.path + "_tlm.vcd"};
  ModelWaves model(files[1], recording.head(), from_ps, to_ps);
  bool is_open = false;
  const auto open = [&] {
    shadow.advance(from_ps);
    if (!std::exchange(is_open, true)) request.model->open_waves(files[0]);
  };
  for (RtlEvent event; recording.next(event) && event.now_ps <= to_ps;) {
    model.see(event);
    if (!is_open && event.now_ps > from_ps) open();
    shadow.apply(event);
  }
  if (!is_open) open();
  shadow.advance(to_ps);
  request.model->close_waves();
  model.finish();
  return files;
}

}  // namespace wafertlm
