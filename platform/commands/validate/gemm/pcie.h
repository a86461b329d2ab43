// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm::validate {

enum class PcieCopy : std::uint8_t { host_to_device, device_to_host, both };

/// Lanes of PCI Express that a device's DMA engine copies over.
struct PcieLink {
  unsigned generation = 5;  ///< 3 to 6
  unsigned lanes = 16;

  /// Of one direction, after line coding (128/130) or beside a flit's own bytes (236 of 256).
  double bytes_per_s() const;
  /// Payload of packets of 256 B. To the device come completions (20 B of header and framing) of its reads,
  /// beside them a DLLP of 8 B that acknowledges each read of 512 B and one that grants credit; to the host
  /// go writes (24 B) alone. Both at a time: the reads (24 B) and the DLLPs of the other direction, too; the
  /// sum of both.
  double payload_bytes_per_s(PcieCopy copy) const;
};

}  // namespace wafertlm::validate
