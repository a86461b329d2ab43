// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tlm/fabric/protocol.h"
#include "tlm/link/link_errors.h"

namespace wafertlm {

/// Links with bit errors, to be put behind the outputs of a switch. What stands on the link is in a file of
/// its own: where the compiler sees one class only behind FabricForwardIf it joins a switch's output and the
/// next one's input, 1 % of all instructions.
class LossyLinks {
 public:
  virtual ~LossyLinks() = default;
  /// `count` links, numbered from `first` on.
  static std::shared_ptr<LossyLinks> make(const BitErrors& errors, std::uint64_t first, std::size_t count);
  /// What an output calls in place of `next`.
  virtual FabricForwardIf& before(std::size_t link, FabricForwardIf& next) = 0;
  /// Packets that became wrong.
  virtual std::uint64_t spoiled() const = 0;
};

}  // namespace wafertlm
