// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/rtl/properties.h"
#include "platform/spec/platform_spec.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

class ClassTable;
class Fabric;
class RtlScoreboard;
struct RtlNames;
class Scheduler;

/// The RTL does not do what its model does, or what it has to.
class RtlDiffers : public std::runtime_error {
  using runtime_error::runtime_error;
};

/// The RTL of a wafer's switches, as wafer.fabric.rtl asks for it.
class RtlViews {
 public:
  /// `spec` and `fabric` must outlive it. @throws std::invalid_argument: a switch or a design that is not
  /// there, or one that does not fit the other.
  RtlViews(const config::FabricSpec& spec, Fabric& fabric, Scheduler& scheduler, PacketPool& packets,
           const ClassTable& classes);
  ~RtlViews();

  bool empty() const { return views_.empty(); }
  /// Runs `simulation`. If an RTL in place breaks a rule of its pins, waveforms are written as by finish(),
  /// and the error says where. @throws what `simulation` does
  void run(const std::function<void()>& simulation, const std::string& folder);
  /// After the run: compares what is left, and writes the waveforms around a first divergence as
  /// FOLDER/rtl_SWITCH.vcd with a view for GTKWave; `shown` is what FOLDER will be called. May be called
  /// once.
  void finish(const std::string& folder, const std::string& shown = "");
  /// @throws std::runtime_error: an RTL in place still has packets.
  void require_rest() const;

  /// A row for each switch: what was compared, the histogram, the first divergence.
  nlohmann::ordered_json json() const;
  /// The same for the terminal. `tlm_s`: what the simulation cost beside the RTL, for `hops` packets through
  /// a switch; 0: not said.
  std::string text(double tlm_s = 0, std::uint64_t hops = 0) const;
  /// Processor time that the RTL cost.
  double host_s() const;
  /// @throws RtlDiffers that names the first divergence of the first switch that has one.
  void require_equal() const;

 private:
  struct View;
  std::vector<std::size_t> switches_of(const config::RtlSpec& spec) const;
  void add_view(const config::RtlSpec& spec, std::size_t number, bool is_one_of_many, Scheduler& scheduler,
                PacketPool& packets, const ClassTable& classes);

  const config::FabricSpec& spec_;
  Fabric& fabric_;
  std::vector<std::unique_ptr<View>> views_;
};

/// The scoreboard as JSON; also of a replay.
nlohmann::ordered_json to_json(const RtlScoreboard& board, const RtlNames& names,
                               const std::vector<RtlProperty>& properties);
nlohmann::ordered_json to_json(const std::vector<RtlProperty>& properties);
const char* to_string(RtlViewMode mode);
/// A line for each.
std::string to_text(const std::vector<RtlProperty>& properties);

/// The JSON Schema of an entry of RtlViews::json().
nlohmann::ordered_json rtl_view_schema();

}  // namespace wafertlm
