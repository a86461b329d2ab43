// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/gemm/pcie.h"

namespace wafertlm::validate {
namespace {

constexpr double kPayload = 256, kReadRequest = 512;
constexpr double kFraming = 8;                               // STP and LCRC; of flits none
constexpr double kCompletion = 12, kWrite = 16, kRead = 16;  // headers
constexpr double kDllp = 8;                                  // of flits none
constexpr double kOfRequests = kPayload / kReadRequest;

}  // namespace

double PcieLink::bytes_per_s() const {
  const double transfers = 8e9 * static_cast<double>(1U << (generation - 3));  // a lane and s
  const double coding = generation >= 6 ? 236.0 / 256 : 128.0 / 130;
  return transfers * lanes / 8 * coding;
}

double PcieLink::payload_bytes_per_s(PcieCopy copy) const {
  const bool flits = generation >= 6;
  const double framing = flits ? 0 : kFraming, dllp = flits ? 0 : kDllp;
  const double to_device = kPayload + kCompletion + framing + 2 * dllp * kOfRequests;
  const double to_host = kPayload + kWrite + framing;
  switch (copy) {
    case PcieCopy::host_to_device:
      return bytes_per_s() * kPayload / to_device;
    case PcieCopy::device_to_host:
      return bytes_per_s() * kPayload / to_host;
    case PcieCopy::both:
      break;
  }
  const double reads = (kRead + framing) * kOfRequests;
  return bytes_per_s() * (kPayload / (to_device + 2 * dllp) + kPayload / (to_host + reads + 2 * dllp));
}

}  // namespace wafertlm::validate
