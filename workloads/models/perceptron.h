// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/models/layer.h"

namespace wafertlm::model {

/// A multi-layer perceptron: widths {in, hidden …, out}, a bias per output.
struct PerceptronSpec {
  std::string name;
  std::vector<std::uint64_t> widths;
};

/// Parameters Σ (in + 1)·out, 2·in·out operations per sample and layer.
/// @throws std::invalid_argument for fewer than two widths, or one of 0.
Model perceptron(const PerceptronSpec& spec);

/// A recommendation model (Naumov et al. 2019): dense features through a bottom MLP; sparse ones through
/// embedding tables, which expert parallelism divides: an all-to-all brings their rows to the samples; dot
/// products of all pairs; a top MLP.
struct DlrmSpec {
  std::string name;
  std::vector<std::uint64_t> bottom;  ///< widths; the last is the embedding dimension
  std::vector<std::uint64_t> top;     ///< widths behind the interaction, of which they do not tell the width
  std::uint64_t tables = 0, rows_per_table = 0;
  std::uint64_t lookups_per_table = 1;  ///< rows summed per table and sample
};

/// @throws std::invalid_argument naming what is 0 or missing.
Model dlrm(const DlrmSpec& spec);

}  // namespace wafertlm::model
