// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm {

/// The parts of a FRED interconnect. What each of them can do (its outputs' sources):
///   R      2 × m: every input goes to at most one output; both may be added into one
///   D      m × 2: every output takes one input; both may take the same one
///   RD     2 × 2: both; outputs that share an input are equal
///   demux  1 × m: the last port of an odd switch chooses a middle switch
///   mux    m × 1: the same on the way out
enum class MicroSwitchKind : std::uint8_t {
  reduce,
  distribute,
  reduce_distribute,
  demux,
  mux,
};
const char* to_string(MicroSwitchKind kind);

/// Output `output` of µswitch `element`; or, with kPort, input port `output` of the whole.
struct FredWire {
  static constexpr std::uint32_t kPort = ~std::uint32_t{0};
  std::uint32_t element = kPort, output = 0;
};

struct MicroSwitch {
  MicroSwitchKind kind{};
  std::string name;              ///< path through the recursion: "mid1/in0"
  std::vector<FredWire> inputs;  ///< what feeds them
  std::uint32_t outputs = 0;
  std::uint32_t first_output = 0;  ///< of the outputs of all µswitches, one after the other
};

/// Configuration of all µswitches: for every output (at first_output + output) the inputs that it takes, as
/// bits. No bit: idle. Several: their sum.
struct FredConfiguration {
  std::vector<std::uint32_t> takes;
};

/// µswitches and wires, in an order in which values flow.
class FredNetlist {
 public:
  explicit FredNetlist(std::uint32_t ports);

  /// The wires of its outputs.
  std::vector<FredWire> add(MicroSwitchKind kind, std::string name, std::vector<FredWire> inputs,
                            std::uint32_t outputs);
  void set_outputs(std::vector<FredWire> outputs) { outputs_ = std::move(outputs); }

  std::uint32_t ports() const { return ports_; }
  std::vector<FredWire> input_ports() const;
  const std::vector<MicroSwitch>& elements() const { return elements_; }
  const std::vector<FredWire>& outputs() const { return outputs_; }
  FredConfiguration idle() const { return {std::vector<std::uint32_t>(outputs_in_all_)}; }
  std::size_t count(MicroSwitchKind kind) const;

 private:
  std::uint32_t ports_, outputs_in_all_ = 0;
  std::vector<MicroSwitch> elements_;
  std::vector<FredWire> outputs_;
};

/// @throws std::invalid_argument that names the µswitch and what it cannot do.
void check_configuration(const FredNetlist& netlist, const FredConfiguration& configuration);

/// A line for each µswitch that is in use (`all`: for each), such as "mid1/in0  R   0+1->0  reduces".
std::string describe(const FredNetlist& netlist, const FredConfiguration& configuration, bool all = false);

}  // namespace wafertlm
