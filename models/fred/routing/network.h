// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/fred/routing/netlist.h"

namespace wafertlm {

/// FRED_m(P), a Clos network of µswitches with reduction and distribution (README.md has the sources):
///   P = 2      one RD-µswitch
///   P = 3      three RD-µswitches: (0,1), (1,2), (0,1)
///   P = 2r     r R-µswitches, m × FRED_m(r), r D-µswitches
///   P = 2r+1   the same with m × FRED_m(r+1); the last port has a demux and a mux instead
class FredNetwork {
 public:
  static constexpr std::uint32_t kMaxMiddles = 31;  ///< a mux's inputs are bits of a word

  /// A FRED_m of the recursion. Base cases (2 and 3 ports) have no middles, their µswitches are `inputs`.
  struct Block {
    std::uint32_t ports = 0;
    std::vector<std::uint32_t> inputs, outputs;  ///< µswitches; of an odd switch the demux and the mux last
    std::vector<std::uint32_t> middles;          ///< blocks
    std::string name;                            ///< "", "mid1", "mid1/mid0"
  };

  /// @throws std::invalid_argument: m not 1 to 31, fewer than 2 ports, too many µswitches.
  FredNetwork(std::uint32_t m, std::uint32_t ports);

  /// µswitches that a value passes from an input port to an output port, at most: 1 and 3 for 2 and 3 ports,
  /// else two more than those of a middle switch. It does not depend on m. Requires ports >= 2.
  static std::uint32_t stages(std::uint32_t ports);

  std::uint32_t m() const { return m_; }
  std::uint32_t ports() const { return netlist_.ports(); }
  const FredNetlist& netlist() const { return netlist_; }
  const Block& block(std::uint32_t index) const { return blocks_[index]; }
  std::uint32_t root() const { return static_cast<std::uint32_t>(blocks_.size()) - 1; }

 private:
  /// `name` is empty or ends in '/'.
  std::uint32_t build(const std::string& name, const std::vector<FredWire>& inputs,
                      std::vector<FredWire>& outputs);
  void build_base(Block& block, const std::vector<FredWire>& inputs, std::vector<FredWire>& outputs);

  std::uint32_t m_;
  FredNetlist netlist_;
  std::vector<Block> blocks_;  ///< middles before the block that has them
};

}  // namespace wafertlm
