// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/cores/kernel_phase.h"

namespace wafertlm::cores {

struct PhaseTime {
  std::string name;
  Cycle cycles = 0;  ///< by which the last core's end moves
  Cycle least = 0;
};

/// Runs kernels on a rectangle of cores, of which one row and one column are simulated. That is exact: core
/// (x, y) is at time a(x) + b(y). What rows do maps a to g(a) in each of them, whatever b(y) is, as programs
/// only add constants and take maxima; so do columns with b. Compute-shift steps run on all cores.
class KernelRun {
 public:
  KernelRun(const CoreParams& params, std::uint32_t columns, std::uint32_t rows);

  void run(const KernelPhase& phase);
  void run(const Kernel& kernel);
  /// The same kernel `count` times. Once it leaves the cores as it found them, but for a shift, it is not
  /// simulated again. The phases' times are of all.
  void repeat(const Kernel& kernel, std::uint32_t count);

  Cycle cycles() const;  ///< the last core's end
  /// In order of their first run, those of one name together.
  const std::vector<PhaseTime>& phases() const { return phases_; }
  /// Cycles by which cores were set later than they were, as compute-shift left them at no sum a(x) + b(y).
  Cycle levelled() const { return levelled_; }
  std::uint64_t operations() const { return operations_; }

 private:
  void along(std::vector<Cycle>& offsets, const CoreProgram& line);
  void shift(const ShiftSteps& steps);
  void note(const KernelPhase& phase, Cycle cycles);

  const CoreParams params_;
  std::vector<Cycle> by_column_, by_row_;
  std::vector<PhaseTime> phases_;
  Cycle levelled_ = 0;
  std::uint64_t operations_ = 0;
};

}  // namespace wafertlm::cores
