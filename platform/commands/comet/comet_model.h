// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm::comet {

// The formulas of COMET's steps (arXiv 2211.16648), each for one NPU.

struct Transformer {
  std::uint64_t layers = 128, hidden = 25'600, heads = 128, sequence = 2048, vocabulary = 51'200;

  /// 12 L h² + 13 L h + (V + s) h (Narayanan et al., SC21).
  std::uint64_t parameters() const;
};

/// Bytes of weights, gradients and optimizer state (fp16 and Adam: 2, 2 and 12 bytes per parameter) with
/// tensor parallelism `mp`, data parallelism `dp` and ZeRO stage 0 to 3, in all and the optimizer's part.
struct Footprint {
  double all = 0, optimizer = 0;
};
Footprint footprint(std::uint64_t parameters, std::uint32_t mp, std::uint32_t dp, int zero_stage);

/// (m × k)·(k × n), `count` times.
struct Gemm {
  std::string name;
  std::uint64_t m = 0, k = 0, n = 0, count = 1;

  double operations() const;  ///< 2 m n k, of all
};
/// Forward of one layer over b sequences: 24 t h²/mp + 4 b s² h/mp operations, t = b s; mp divides the heads.
std::vector<Gemm> layer_gemms(const Transformer& model, std::uint64_t sequences, std::uint32_t mp);

/// Bytes between memory and a buffer of `buffer` bytes for operands of `u` and `v` and a result of `y`: one
/// operand stays in parts, the other streams by for each of them.
std::uint64_t gemm_bytes(std::uint64_t u, std::uint64_t v, std::uint64_t y, std::uint64_t buffer);
/// Of a Gemm with elements of 2 bytes, all of its `count`.
double gemm_bytes(const Gemm& gemm, std::uint64_t buffer);

/// How data of `bytes` above the local capacity is read at the same time as the local part.
enum class Streams : std::uint8_t { serial, parallel };
/// serial: 1/(f/B_L + (1−f)/B_E), f the local part. parallel: F/max(C_L/B_L, (F−C_L)/B_E). What fits is
/// local.
double effective_bandwidth(double bytes, double local_capacity, double local_bandwidth,
                           double expanded_bandwidth, Streams streams);

}  // namespace wafertlm::comet
