// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/comet/cluster.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wafertlm::comet {
namespace {

/// The time of a layer's products, and of those that memory limits.
struct LayerTime {
  double all = 0, memory = 0, operations = 0, bytes = 0;
};

LayerTime layer_time(const ClusterSpec& spec, const std::vector<Gemm>& gemms, double bandwidth) {
  LayerTime time;
  for (const Gemm& gemm : gemms) {
    const double computing = gemm.operations() / (spec.peak * spec.gemm_efficiency),
                 moving = gemm_bytes(gemm, spec.buffer) / bandwidth;
    time.operations += gemm.operations();
    time.bytes += gemm_bytes(gemm, spec.buffer);
    time.all += std::max(computing, moving);
    if (moving > computing) time.memory += moving;
  }
  return time;
}

/// The part of `bytes` that is beyond the local memory.
double expanded_part(double bytes, const ClusterSpec& spec) {
  return bytes == 0 ? 0 : std::max(0.0, bytes - spec.local_capacity) / bytes;
}

}  // namespace

Wire all_reduce(const ClusterSpec& spec, double bytes, double inside, double across) {
  const double in_node = 2 * bytes * (inside - 1) / inside,
               between = 2 * bytes / inside * (across - 1) / across;
  return {std::max(in_node / spec.node_bandwidth, between / spec.network_bandwidth), in_node, between};
}

Estimate estimate(const ClusterSpec& spec, const PointOfCluster& point) {
  const Transformer& model = spec.model;
  const std::uint64_t parameters = model.parameters();
  const Footprint held = footprint(parameters, point.mp, point.dp, point.zero_stage);
  const double sequences = static_cast<double>(spec.batch) / point.dp;
  const double layer_bytes = 2.0 * static_cast<double>(spec.microbatch * model.sequence * model.hidden);
  const auto layers = static_cast<double>(model.layers);
  Estimate result;
  // With recomputation the inputs of the layers, and one layer's inside; else all (Korthikanti et al.: 34 sbh
  // + 5 as²b, of which 24 and the scores are divided by MP).
  const double inside = layer_bytes / 2 *
                        (10 + (24 + 5.0 * static_cast<double>(model.heads * model.sequence) /
                                        static_cast<double>(model.hidden)) /
                                  point.mp);
  result.activations = spec.recompute ? layers * layer_bytes + inside : layers * inside;
  result.footprint = held.all + result.activations;
  result.missing = std::max(0.0, result.footprint - spec.local_capacity - spec.expanded_capacity);
  const bool optimizer_first = spec.placement == Placement::optimizer_first;
  const double of_products = result.footprint - (optimizer_first ? held.optimizer : 0);
  result.bandwidth = effective_bandwidth(of_products, spec.local_capacity, spec.local_bandwidth,
                                         spec.expanded_bandwidth, spec.streams);
  const double rounds = std::max(1.0, sequences / spec.microbatch), passes = spec.recompute ? 4 : 3;
  const LayerTime forward = layer_time(spec, layer_gemms(model, spec.microbatch, point.mp), result.bandwidth);
  result.compute_s = rounds * layers * passes * forward.all;
  result.memory_bound = forward.memory / forward.all;
  const double in_node = std::min(point.mp, spec.npus_per_node);
  const Wire activations = all_reduce(spec, layer_bytes, in_node, point.mp / in_node);
  const double all_reduces = rounds * layers * 4;
  result.mp_s = all_reduces * activations.time_s;
  const double gradients =
      2.0 * static_cast<double>(parameters) / point.mp * (point.zero_stage == 3 ? 1.5 : 1);
  const double dp_in_node = std::min<double>(point.dp, spec.npus_per_node / in_node);
  const Wire summed = all_reduce(spec, gradients, dp_in_node, point.dp / dp_in_node);
  result.dp_s = std::max(0.0, summed.time_s - spec.dp_overlap * result.compute_s * 2 / passes);
  const double optimizer_bandwidth = result.footprint > spec.local_capacity && optimizer_first
                                         ? std::min(spec.expanded_bandwidth, spec.local_bandwidth)
                                         : result.bandwidth;
  result.optimizer_s = 2 * held.optimizer / optimizer_bandwidth;
  const double times = rounds * layers * passes, moved = times * forward.bytes,
               state_expanded = result.footprint <= spec.local_capacity ? 0
                                : optimizer_first                       ? 1
                                                  : expanded_part(result.footprint, spec),
               expanded = moved * expanded_part(of_products, spec) + 2 * held.optimizer * state_expanded;
  const EnergySpec& energy = spec.energy;
  result.energy_j =
      times * forward.operations * energy.operation_j +
      8 * ((moved + 2 * held.optimizer - expanded) * energy.local_bit_j + expanded * energy.expanded_bit_j +
           (all_reduces * activations.node_bytes + summed.node_bytes) * energy.node_bit_j +
           (all_reduces * activations.network_bytes + summed.network_bytes) * energy.network_bit_j);
  return result;
}

std::vector<std::uint32_t> degrees_of_mp(const ClusterSpec& spec) {
  std::vector<std::uint32_t> degrees;
  for (std::uint32_t mp = 1; mp <= spec.npus && spec.model.heads % mp == 0; mp *= 2) degrees.push_back(mp);
  return degrees;
}

PointOfCluster best_stage(const ClusterSpec& spec, std::uint32_t mp, std::optional<int> zero_stage) {
  PointOfCluster best{mp, spec.npus / mp, zero_stage.value_or(0)};
  if (zero_stage) return best;
  const auto key = [](const Estimate& each) { return std::pair(each.missing, each.time_s()); };
  for (int stage = 1; stage <= 3; ++stage) {
    const PointOfCluster point{mp, spec.npus / mp, stage};
    if (key(estimate(spec, point)) < key(estimate(spec, best))) best = point;
  }
  return best;
}

PointOfCluster best_point(const ClusterSpec& spec, std::optional<int> zero_stage) {
  PointOfCluster best{0, 0, 0};
  double least = 0;
  for (const std::uint32_t mp : degrees_of_mp(spec)) {
    const PointOfCluster point = best_stage(spec, mp, zero_stage);
    const Estimate each = estimate(spec, point);
    if (!each.fits() || (best.mp != 0 && each.time_s() >= least)) continue;
    best = point;
    least = each.time_s();
  }
  return best;
}

double break_even_bandwidth(ClusterSpec spec, const PointOfCluster& point, double limit_s, double low,
                            double high) {
  const auto is_enough = [&](double bandwidth) {
    spec.expanded_bandwidth = bandwidth;
    return estimate(spec, point).time_s() <= limit_s;
  };
  if (!is_enough(high)) return -1;
  for (int step = 0; step < 100 && high / low > 1 + 1e-9; ++step)
    (is_enough(std::sqrt(low * high)) ? high : low) = std::sqrt(low * high);
  return high;
}

}  // namespace wafertlm::comet
