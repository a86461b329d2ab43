// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace wafertlm::comet {

struct ClusterSpec;

/// A deep-learning recommendation model (Naumov et al. 2019): embedding tables, which are spread over the
/// NPUs of an instance, between two perceptrons, which every NPU has.
struct Dlrm {
  std::uint64_t tables = 0, rows = 0, dimension = 0;  ///< rows of each table, values of each row
  std::uint64_t pooling = 1;                          ///< rows looked up in each table for a sample
  std::vector<std::uint64_t> bottom, top;             ///< widths, the input first
  std::uint64_t batch = 0;                            ///< samples of an instance in an iteration

  /// Of both perceptrons, with biases.
  std::uint64_t mlp_parameters() const;
  /// Forward, of one sample.
  double mlp_operations() const;
  /// fp32, and 4 bytes for a row's state (row-wise Adagrad).
  double table_bytes() const;
};

/// An iteration of an instance on some NPUs, of one NPU.
struct DlrmEstimate {
  double footprint = 0, missing = 0;  ///< bytes; by how much it does not fit
  double lookup_s = 0, mlp_s = 0, all_to_all_s = 0, all_reduce_s = 0;
  double bandwidth = 0;  ///< effective, of memory
  double energy_j = 0;

  bool fits() const { return missing == 0; }
  double time_s() const { return lookup_s + mlp_s + all_to_all_s + all_reduce_s; }
};

/// Rows are read, and read and written with their gradients; the pooled vectors go through an all-to-all
/// forward and backward, the perceptrons' gradients through an all-reduce. Nothing overlaps.
DlrmEstimate estimate_dlrm(const ClusterSpec& spec, std::uint32_t npus);

}  // namespace wafertlm::comet
