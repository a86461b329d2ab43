// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm::cores {

using Cycle = std::uint64_t;

/// A core of a wafer of them, its router, and the grid that they form. A wavelet is 32 bits: a router passes
/// one on in each direction and cycle, one hop a cycle, on static routes (colours) that may fan out and add
/// nothing.
struct CoreParams {
  std::uint32_t columns = 0, rows = 0;  ///< of the rectangle that programs get
  std::uint64_t clock_hz = 0;
  Cycle ramp = 2;                         ///< T_R: core to router, or back
  std::uint32_t colours = 24;             ///< routes that a router knows
  std::uint32_t lanes = 4;                ///< multiply-adds of 16 bits in a cycle
  std::uint64_t memory_bytes = 48 << 10;  ///< of a core: data and code
  std::uint64_t program_bytes = 0;        ///< of that: code, stack and descriptors
  Cycle instruction_start = 0;            ///< of a vector instruction, before its elements
  Cycle function = 0;                     ///< a division, root or exponential of one number
  Cycle step_overhead = 0;                ///< control of a step of a kernel: tasks, descriptors, branches
};

inline std::uint64_t data_bytes(const CoreParams& core) {
  return core.memory_bytes > core.program_bytes ? core.memory_bytes - core.program_bytes : 0;
}

}  // namespace wafertlm::cores
