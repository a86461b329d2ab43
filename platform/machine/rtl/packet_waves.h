// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/rtl/bench.h"
#include "platform/machine/rtl/packet_names.h"
#include "waveforms/gtkwave_view.h"

namespace wafertlm {

/// Which packets are at the ports of a switch, as signals: at those of the model while they pass (`valid`),
/// at the pins of the RTL the one whose head passed last. Each port has
///   packet (a number, for which GTKWave shows the packet's name), flow, sequence and bytes of its header,
///   and, if that is known, source, destination (NPUs), collective, step and number (of the packet in its
///   message).
class PacketWaves final : public RtlPinWatch {
 public:
  PacketWaves(const std::string& switch_name, std::uint32_t ports, RtlClock clock, RtlWaveWindow window);

  /// What the model did; in the order of the recording.
  void model_saw(const RtlEvent& event);
  void head_in(const RtlEvent& packet, TimePs at_ps) override;
  void head_out(std::uint32_t output, const RtlHeader& header, TimePs at_ps) override;
  /// No more of the above.
  void end();
  /// After that: a packet that arrives, which gives those that are shown their names.
  void name(const RtlEvent& event);

  /// Writes the value change dump.
  void write(const std::string& path) const;
  /// What else belongs to a port, "input 3", in its group.
  using PortSignals = std::function<void(bool is_output, std::uint32_t port)>;
  /// Adds a group for each port with packets to a view of FILE, which will be called `shown`: those of the
  /// model, those on the pins, and `more`; then the fields in numbers. Writes FILE.packets.txt, the names of
  /// packets.
  void show(GtkwaveView& view, const std::string& file, const std::string& shown,
            const PortSignals& more = {}) const;

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // flow, sequence in 24 bits
  static Key key_of(std::uint32_t flow, std::uint64_t sequence) {
    return {flow, static_cast<std::uint32_t>(sequence & RtlHeader::kSequenceMask)};
  }
  struct Passage {
    TimePs head_ps, tail_ps;
    Key key;
    std::uint32_t bytes;
  };
  /// The packets at a port of one side.
  struct Port {
    std::string name, scope;  // "input 3"
    bool is_model;
    std::vector<Passage> passages;
    std::optional<Passage> before;  // the window: the latest
  };
  struct Named {
    std::uint32_t number = 0;  // in the file of names
    std::optional<RtlOrigin> origin;
  };
  std::size_t place_of(bool is_model, bool is_output, std::uint32_t number) const {
    return (is_model ? 0 : 2) * ports_ + (is_output ? ports_ : 0) + number;
  }
  Port& port(bool is_model, bool is_output, std::uint32_t number) {
    return ports_at_[place_of(is_model, is_output, number)];
  }
  void pass(Port& port, const Passage& passage);

  std::uint32_t ports_;
  RtlClock clock_;
  RtlWaveWindow window_;
  std::vector<Port> ports_at_;  // model in, model out, pins in, pins out
  std::map<Key, std::uint32_t> flits_;
  std::map<Key, Named> named_;  // packets that are shown
  RtlPacketNames names_;
  bool has_origins_ = false;
};

}  // namespace wafertlm
