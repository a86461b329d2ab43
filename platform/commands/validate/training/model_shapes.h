// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "platform/describe/file_kind.h"

namespace wafertlm::validate::steps {

/// Attention over a compressed key and value (MLA; DeepSeek-V2, arXiv 2405.04434): ranks, and elements of a
/// head without and with positions, and of its value.
struct Latent {
  std::uint64_t query_rank = 0, value_rank = 0, plain = 0, rotary = 0, value = 0;
};
struct Experts {
  std::uint64_t count = 0, per_token = 0, hidden = 0;
  std::uint64_t shared_hidden = 0;  ///< of experts that see every token
  std::uint64_t dense_layers = 0;   ///< first layers with a plain MLP
};

/// A published decoder.
struct ModelShape {
  std::string name;
  std::string pattern;  ///< regular expression: what it is called
  std::uint64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head = 0, mlp_hidden = 0;
  bool gated = true;
  std::uint64_t vocabulary = 0;
  bool tied = false;
  std::uint64_t sequence = 0;  ///< trained with, if a row says none
  Experts experts;
  Latent latent;

  bool is_mixture() const { return experts.count != 0; }
  std::uint64_t query_width() const;  ///< elements of all heads' queries
  std::uint64_t value_width() const;  ///< of all heads' values, before the output product
  // Parameters, of matrices only.
  double attention_parameters() const;
  double mlp_parameters() const;     ///< of a plain layer
  double expert_parameters() const;  ///< of one expert
  double shared_parameters() const;  ///< of a mixture's layer without its experts
  std::uint64_t mixture_layers() const { return is_mixture() ? layers - experts.dense_layers : 0; }
  double embedding_parameters() const { return static_cast<double>(vocabulary * hidden); }
  /// That a token meets: embedding left out, head counted.
  double active_parameters() const;
  double parameters() const;
};

/// The file kind of configs/validation/models.yaml.
config::FileKind shapes_file_kind();

/// From a table of published shapes, or from "heads 16, hidden 2048, layers 24, vocab 131072".
/// @throws CannotSay.
ModelShape shape_of(const std::string& text);

}  // namespace wafertlm::validate::steps
