// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/comet/comet_model.h"
#include "platform/commands/comet/dlrm.h"

namespace wafertlm::config {
struct FileKind;
}

namespace wafertlm::comet {

/// Which tensors live in expanded memory: all of them interleaved, or the optimizer's state first, which is
/// touched once in an iteration.
enum class Placement : std::uint8_t { interleaved, optimizer_first };

/// J per operation and per bit moved; 0: not modelled.
struct EnergySpec {
  double operation_j = 0, local_bit_j = 0, expanded_bit_j = 0, node_bit_j = 0, network_bit_j = 0;
};

/// A cluster, a model and what is calibrated. Rates per second, bytes, per NPU.
struct ClusterSpec {
  std::string name;
  Transformer model;
  std::uint32_t npus = 1024, npus_per_node = 8;
  double peak = 312e12, gemm_efficiency = 1;
  double local_capacity = 80e9, local_bandwidth = 2039e9;
  double expanded_capacity = 0, expanded_bandwidth = 500e9;  ///< capacity 0: no expansion
  Streams streams = Streams::serial;
  Placement placement = Placement::interleaved;
  std::uint64_t buffer = 40'000'000;  ///< on chip
  double node_bandwidth = 300e9, network_bandwidth = 31.25e9;
  std::uint32_t batch = 1024;    ///< sequences in all
  std::uint32_t microbatch = 1;  ///< sequences whose activations are held at a time
  bool recompute = true;
  EnergySpec energy;
  std::optional<Dlrm> dlrm;  ///< in place of the transformer
  double dp_overlap = 0;     ///< part of the gradients' time behind the backward pass
};

/// A file with the top-level key `comet`. @throws config::ConfigError.
ClusterSpec load_cluster(const std::string& path, const std::vector<std::string>& overrides = {});
/// The row of such files.
config::FileKind cluster_file_kind();
/// Every value, for a point's identity in studies.
std::string resolved_cluster(const ClusterSpec& spec);

/// One way to divide the model.
struct PointOfCluster {
  std::uint32_t mp = 1, dp = 1;
  int zero_stage = 0;
};

/// What an iteration takes.
struct Estimate {
  double footprint = 0, activations = 0;
  double missing = 0;                                         ///< bytes by which it does not fit; 0: it fits
  double compute_s = 0, mp_s = 0, dp_s = 0, optimizer_s = 0;  ///< mp and dp exposed
  double memory_bound = 0;  ///< part of compute_s in products that memory limits
  double bandwidth = 0;     ///< effective, of products
  double energy_j = 0;      ///< of an NPU

  bool fits() const { return missing == 0; }
  double time_s() const { return compute_s + mp_s + dp_s + optimizer_s; }
};

/// What a collective over node and network takes: perfectly pipelined the slower stage rules (LIBRA's model).
struct Wire {
  double time_s = 0, node_bytes = 0, network_bytes = 0;
};
/// An all-reduce of `bytes` over a group of which `inside` are in a node and `across` are nodes.
Wire all_reduce(const ClusterSpec& spec, double bytes, double inside, double across);

/// Products at max(operations/peak, bytes/bandwidth); four all-reduces of activations per layer; gradients
/// summed over DP (ZeRO-3: 1.5 times the bytes). Collectives go over the node, then over the network:
/// perfectly pipelined the slower stage rules (LIBRA's model). No latency, no contention.
Estimate estimate(const ClusterSpec& spec, const PointOfCluster& point);

/// The degrees of MP in the cluster: powers of two that divide the heads.
std::vector<std::uint32_t> degrees_of_mp(const ClusterSpec& spec);
/// With this MP, of one ZeRO stage or all: the fastest that fits, else the smallest.
PointOfCluster best_stage(const ClusterSpec& spec, std::uint32_t mp, std::optional<int> zero_stage);
/// The fastest that fits, of all MP·DP = npus; nullptr-like mp 0: none fits.
PointOfCluster best_point(const ClusterSpec& spec, std::optional<int> zero_stage);

/// The expanded bandwidth from which `point` is as fast as `limit_s`, by bisection between `low` and `high`;
/// negative: not even with `high`.
double break_even_bandwidth(ClusterSpec spec, const PointOfCluster& point, double limit_s, double low,
                            double high);

}  // namespace wafertlm::comet
