// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/comet/dlrm.h"

#include <algorithm>

#include "platform/commands/comet/cluster.h"

namespace wafertlm::comet {
namespace {

constexpr double kValue = 4;  // bytes of fp32

/// Σ over neighbouring widths.
template <class Of>
double over_layers(const std::vector<std::uint64_t>& widths, Of of) {
  double sum = 0;
  for (std::size_t i = 1; i < widths.size(); ++i)
    sum += of(static_cast<double>(widths[i - 1]), static_cast<double>(widths[i]));
  return sum;
}

}  // namespace

std::uint64_t Dlrm::mlp_parameters() const {
  const auto of = [](double in, double out) { return (in + 1) * out; };
  return static_cast<std::uint64_t>(over_layers(bottom, of) + over_layers(top, of));
}

double Dlrm::mlp_operations() const {
  const auto of = [](double in, double out) { return 2 * in * out; };
  return over_layers(bottom, of) + over_layers(top, of);
}

double Dlrm::table_bytes() const {
  return static_cast<double>(tables) * static_cast<double>(rows) *
         (kValue * static_cast<double>(dimension) + 4);
}

DlrmEstimate estimate_dlrm(const ClusterSpec& spec, std::uint32_t npus) {
  const Dlrm& model = *spec.dlrm;
  const double n = npus, samples = static_cast<double>(model.batch) / n,
               parameters = static_cast<double>(model.mlp_parameters());
  DlrmEstimate result;
  result.footprint = model.table_bytes() / n + 16 * parameters;
  result.missing = std::max(0.0, result.footprint - spec.local_capacity - spec.expanded_capacity);
  result.bandwidth = effective_bandwidth(result.footprint, spec.local_capacity, spec.local_bandwidth,
                                         spec.expanded_bandwidth, spec.streams);
  const double vector = kValue * static_cast<double>(model.dimension),
               tables = static_cast<double>(model.tables);
  const double looked_up =
      3 * static_cast<double>(model.batch) * tables / n * static_cast<double>(model.pooling) * vector;
  result.lookup_s = looked_up / result.bandwidth;
  const double operations = 3 * samples * model.mlp_operations(), moved = 3 * kValue * parameters;
  result.mlp_s = std::max(operations / (spec.peak * spec.gemm_efficiency), moved / result.bandwidth);
  const double inside = std::min(npus, spec.npus_per_node);
  const double pooled = 2 * samples * tables * vector, in_node = pooled * (inside - 1) / n,
               between = pooled * (n - inside) / n;
  result.all_to_all_s = std::max(in_node / spec.node_bandwidth, between / spec.network_bandwidth);
  const Wire gradients = all_reduce(spec, kValue * parameters, inside, n / inside);
  result.all_reduce_s = gradients.time_s;
  const double expanded =
      std::max(0.0, result.footprint - spec.local_capacity) / result.footprint * (looked_up + moved);
  result.energy_j =
      operations * spec.energy.operation_j +
      8 * ((looked_up + moved - expanded) * spec.energy.local_bit_j + expanded * spec.energy.expanded_bit_j +
           (in_node + gradients.node_bytes) * spec.energy.node_bit_j +
           (between + gradients.network_bytes) * spec.energy.network_bit_j);
  return result;
}

}  // namespace wafertlm::comet
