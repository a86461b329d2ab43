// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/packets/link_errors.h"
#include "tlm/packets/protocol.h"

namespace wafertlm {

/// Links with bit errors, to be put behind the outputs of a switch. What stands on the link is in a file of
/// its own: where the compiler sees one class only behind FabricForwardIf it joins a switch's output and the
/// next one's input, 1 % of all instructions.
class LossyLinks {
 public:
  /// `count` links, numbered from `first` on.
  LossyLinks(const BitErrors& errors, std::uint64_t first, std::size_t count);
  ~LossyLinks();
  /// What an output calls in place of `next`.
  FabricForwardIf& before(std::size_t link, FabricForwardIf& next);
  std::uint64_t spoiled() const;

 private:
  struct Link;
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace wafertlm
