// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <any>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/endpoint/endpoint_params.h"
#include "models/rtl/view_mode.h"
#include "platform/spec/defects_spec.h"
#include "tlm/fabric/fabric_params.h"
#include "tlm/kernel/units.h"

namespace wafertlm {
class FabricKind;
}

namespace wafertlm::config {

/// One row of the traffic class table. It may use virtual channels vc … vc + vcs - 1.
struct TrafficClassSpec {
  std::string name;
  VcId vc{0};
  std::uint32_t priority = 0;  ///< larger goes first; equal for classes that share a virtual channel
  std::uint32_t vcs = 1;
};

/// Acknowledgements belong to it.
inline constexpr const char* kControlClass = "control";

/// mp and ep; pp; dp; and one channel for all that comes from or goes to outside the wafer, and control.
std::vector<TrafficClassSpec> default_traffic_classes();

enum class ReliabilityProtocol : std::uint8_t { automatic, go_back_n };
enum class AnswerChannel : std::uint8_t { own, of_class };

/// How bit errors are repaired. Errors and the form of the answers follow from the fabric.
struct ReliabilitySpec : ReliabilityParams {
  ReliabilityProtocol protocol = ReliabilityProtocol::automatic;
  std::uint64_t control_packet_bytes = 512;  ///< on the wire, of an ACK or NACK
  AnswerChannel channel = AnswerChannel::own;
};

/// Which switches have RTL beside them, or in their place.
struct RtlSpec {
  std::string switches;  ///< their name, or a pattern with *
  RtlViewMode view = RtlViewMode::both;
  std::optional<std::string> design;                      ///< of those that wafertlm_add_rtl() has added
  std::optional<std::uint64_t> clock_hz;                  ///< nullopt: the links' speed / the bits of a flit
  std::optional<std::optional<std::uint64_t>> tolerance;  ///< cycles, with both; nullopt: kRtlTolerance
  TimePs window_ps = 100'000;                             ///< of waveforms around the first divergence
  std::optional<std::string> record;                      ///< a file; of several switches each its own
  std::uint64_t flit_bytes = 0;                           ///< of a recording without a design
};

/// Wires and switches between the NPUs: what all kinds have, and the parameters of one.
struct FabricSpec : FabricParams {
  /// Of the first kind.
  FabricSpec();
  void choose(const FabricKind& chosen);
  /// The parameters of its kind. @throws std::bad_any_cast: it is of another kind
  template <class Params>
  const Params& as() const {
    return std::any_cast<const Params&>(params);
  }
  template <class Params>
  Params& as() {
    return std::any_cast<Params&>(params);
  }
  template <class Params>
  bool has() const {
    return std::any_cast<Params>(&params) != nullptr;
  }
  /// These, with what all kinds have.
  template <class Params>
  Params complete() const {
    Params all = as<Params>();
    static_cast<FabricParams&>(all) = *this;
    return all;
  }

  const FabricKind* kind = nullptr;
  DefectsSpec defects;  ///< read as wafer.defects
  std::any params;
  std::uint32_t virtual_channels = 4;
  double energy_per_bit_j = 0;  ///< for every link crossing
  std::vector<TrafficClassSpec> classes = default_traffic_classes();
  double bit_error_rate = 0;  ///< of every link
  ReliabilitySpec reliability;
  std::vector<RtlSpec> rtl;

  /// Whether packets are acknowledged.
  bool is_reliable() const {
    return bit_error_rate > 0 || reliability.protocol == ReliabilityProtocol::go_back_n;
  }
  /// Bytes of a full packet on the wire: header added, rounded up to flits.
  std::uint64_t wire_packet_bytes() const { return format.full_wire_bytes(); }
};

/// A parameter of the fabric's kind, for its keys.
template <class Params, class T>
auto parameter(T Params::*member) {
  return [member](auto& spec) -> auto& { return spec.template as<Params>().*member; };
}

}  // namespace wafertlm::config
