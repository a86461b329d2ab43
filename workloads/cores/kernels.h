// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "tlm/cores/kernel_phase.h"

namespace wafertlm::cores {

/// A rectangle of cores and what they are. Tensors of 16 bits lie over it in tiles: rows of a matrix over the
/// rows of cores, its columns over the columns, rounded up to whole elements for each core.
struct Rectangle {
  CoreParams core;
  std::uint32_t columns = 0, rows = 0;
};

/// Of FP16 or BF16, which tensors are in.
constexpr std::uint64_t kElementBytes = 2;

/// Elements of each of so many cores.
std::uint32_t share(std::uint64_t elements, std::uint32_t cores);
/// Wavelets of so many elements of 16 bits.
std::uint32_t wavelets_of(std::uint64_t elements);
/// Cycles of a vector instruction on so many elements.
Cycle vector_cycles(const CoreParams& core, std::uint64_t elements);

enum class Along : std::uint8_t { rows, columns };

/// Adds computation of every core by itself.
void add_compute(Kernel& kernel, std::string name, Cycle cycles, Cycle least = 0);
/// Adds an all-reduce of so many elements of every core: a K-tree with K = 2 (MeshGEMV).
void add_all_reduce(Kernel& kernel, const Rectangle& on, std::string name, Along along,
                    std::uint64_t elements);
/// Adds (1 × inner) · (inner × outer), the matrix in its tiles: inner over one axis, outer over the other;
/// sums stay partial.
void add_partial_gemv(Kernel& kernel, const Rectangle& on, std::string name, std::uint32_t inner,
                      std::uint32_t outer);

/// Elements of a core's tiles of (m × k) · (k × n).
struct GemmTile {
  std::uint32_t m = 0, k = 0, n = 0;
};
/// Cycles of a core's part of a step.
Cycle tile_cycles(const CoreParams& core, const GemmTile& tile);
/// No step takes less: its multiply-adds over the lanes.
Cycle least_tile_cycles(const CoreParams& core, const GemmTile& tile);
/// Adds those of all cores in so many steps.
void count_multiply_adds(Kernel& kernel, const Rectangle& on, const GemmTile& tile, std::uint32_t steps);
/// The same product in the order of loops that takes least: vector instructions run along m.
GemmTile fastest_order(const CoreParams& core, const GemmTile& tile);
/// Adds a product by compute-shift on a square of cores (MeshGEMM). `aligns`: the left matrix is first
/// shifted to where its tiles meet the right one's.
void add_gemm(Kernel& kernel, const Rectangle& on, std::string name, const GemmTile& tile, bool aligns);
/// Adds a product with a transposed right matrix: its tiles shift along columns, a step's sums are reduced
/// along rows to a core that moves on.
void add_transposed_gemm(Kernel& kernel, const Rectangle& on, std::string name, const GemmTile& tile,
                         std::uint32_t steps = 0);

/// A matrix-vector product alone: [1, rows] · [rows, columns], with its all-reduce.
Kernel gemv_kernel(const Rectangle& on, std::uint64_t rows, std::uint64_t columns);
/// A product alone: [m, k] · [k, n] on a square of cores.
/// @throws std::invalid_argument: the rectangle is no square.
Kernel gemm_kernel(const Rectangle& on, std::uint64_t m, std::uint64_t k, std::uint64_t n);

}  // namespace wafertlm::cores
