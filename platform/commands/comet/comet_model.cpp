// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/comet/comet_model.h"

#include <algorithm>

namespace wafertlm::comet {

std::uint64_t Transformer::parameters() const {
  return 12 * layers * hidden * hidden + 13 * layers * hidden + (vocabulary + sequence) * hidden;
}

Footprint footprint(std::uint64_t parameters, std::uint32_t mp, std::uint32_t dp, int zero_stage) {
  const double share = static_cast<double>(parameters) / mp, d = dp;
  const double optimizer = 12 * share / (zero_stage >= 1 ? d : 1),
               gradients = 2 * share / (zero_stage >= 2 ? d : 1),
               weights = 2 * share / (zero_stage >= 3 ? d : 1);
  return {optimizer + gradients + weights, optimizer};
}

double Gemm::operations() const {
  return 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n) *
         static_cast<double>(count);
}

std::vector<Gemm> layer_gemms(const Transformer& model, std::uint64_t sequences, std::uint32_t mp) {
  const std::uint64_t tokens = sequences * model.sequence, h = model.hidden, s = model.sequence,
                      heads = model.heads / mp, size = h / model.heads;
  return {{"qkv", tokens, h, 3 * h / mp, 1},
          {"scores", s, size, s, sequences * heads},
          {"context", s, s, size, sequences * heads},
          {"projection", tokens, h / mp, h, 1},
          {"feed forward 1", tokens, h, 4 * h / mp, 1},
          {"feed forward 2", tokens, 4 * h / mp, h, 1}};
}

std::uint64_t gemm_bytes(std::uint64_t u, std::uint64_t v, std::uint64_t y, std::uint64_t buffer) {
  const auto parts = [&](std::uint64_t bytes) { return (bytes + buffer - 1) / buffer; };
  return std::min(parts(u) * v + u, parts(v) * u + v) + y;
}

double gemm_bytes(const Gemm& gemm, std::uint64_t buffer) {
  constexpr std::uint64_t kElement = 2;
  return static_cast<double>(gemm_bytes(gemm.m * gemm.k * kElement, gemm.k * gemm.n * kElement,
                                        gemm.m * gemm.n * kElement, buffer)) *
         static_cast<double>(gemm.count);
}

double effective_bandwidth(double bytes, double local_capacity, double local_bandwidth,
                           double expanded_bandwidth, Streams streams) {
  if (bytes <= local_capacity) return local_bandwidth;
  const double local_s = local_capacity / local_bandwidth,
               expanded_s = (bytes - local_capacity) / expanded_bandwidth;
  return bytes / (streams == Streams::serial ? local_s + expanded_s : std::max(local_s, expanded_s));
}

}  // namespace wafertlm::comet
