// SPDX-License-Identifier: Apache-2.0
#include "models/cores/kernel_run.h"

#include <algorithm>
#include <stdexcept>

#include "models/cores/core_grid.h"
#include "models/cores/shift_grid.h"

namespace wafertlm::cores {
namespace {

Cycle latest(const std::vector<Cycle>& of) { return *std::max_element(of.begin(), of.end()); }

/// The same but for a shift.
std::vector<Cycle> from_earliest(std::vector<Cycle> of) {
  const Cycle earliest = *std::min_element(of.begin(), of.end());
  for (Cycle& each : of) each -= earliest;
  return of;
}

}  // namespace

KernelRun::KernelRun(const CoreParams& params, std::uint32_t columns, std::uint32_t rows)
    : params_(params), by_column_(columns, 0), by_row_(rows, 0) {
  if (columns == 0 || rows == 0) throw std::invalid_argument("a rectangle of cores has at least one of each");
}

Cycle KernelRun::cycles() const { return latest(by_column_) + latest(by_row_); }

void KernelRun::along(std::vector<Cycle>& offsets, const CoreProgram& line) {
  if (line.cores.size() != offsets.size())
    throw std::invalid_argument("a program of a line of another length");
  const CoreRun run = run_cores(line, params_, offsets);
  offsets = run.ends;
  operations_ += run.operations;
}

void KernelRun::shift(const ShiftSteps& steps) {
  const auto columns = static_cast<std::uint32_t>(by_column_.size()),
             rows = static_cast<std::uint32_t>(by_row_.size());
  std::vector<Cycle> times(std::size_t{columns} * rows);
  for (std::uint32_t y = 0; y < rows; ++y)
    for (std::uint32_t x = 0; x < columns; ++x)
      times[std::size_t{y} * columns + x] = by_column_[x] + by_row_[y];
  run_shift_steps(steps, params_, columns, rows, times);
  operations_ += std::uint64_t{columns} * rows;
  std::vector<std::int64_t> above(columns);
  // a(x) + b(y) that is nowhere earlier, and the same where there is one.
  const auto at = [&](std::uint32_t x, std::uint32_t y) {
    return static_cast<std::int64_t>(times[std::size_t{y} * columns + x]);
  };
  for (std::uint32_t x = 0; x < columns; ++x) {
    std::int64_t later = at(x, 0) - at(0, 0);
    for (std::uint32_t y = 1; y < rows; ++y) later = std::max(later, at(x, y) - at(0, y));
    above[x] = later;
  }
  const std::int64_t least = *std::min_element(above.begin(), above.end());
  for (std::uint32_t x = 0; x < columns; ++x) by_column_[x] = static_cast<Cycle>(above[x] -= least);
  for (std::uint32_t y = 0; y < rows; ++y) {
    std::int64_t base = 0;
    for (std::uint32_t x = 0; x < columns; ++x) base = std::max(base, at(x, y) - above[x]);
    by_row_[y] = static_cast<Cycle>(base);
    for (std::uint32_t x = 0; x < columns; ++x)
      levelled_ = std::max(levelled_, static_cast<Cycle>(above[x] + base - at(x, y)));
  }
}

void KernelRun::note(const KernelPhase& phase, Cycle cycles) {
  for (PhaseTime& each : phases_)
    if (each.name == phase.name) {
      each.cycles += cycles;
      each.least += phase.least;
      return;
    }
  phases_.push_back({phase.name, cycles, phase.least});
}

void KernelRun::run(const KernelPhase& phase) {
  const Cycle before = cycles();
  for (Cycle& each : by_column_) each += phase.compute;
  switch (phase.kind) {
    case KernelPhase::Kind::compute:
      break;
    case KernelPhase::Kind::along_rows:
      along(by_column_, *phase.line);
      break;
    case KernelPhase::Kind::along_columns:
      along(by_row_, *phase.line);
      break;
    case KernelPhase::Kind::shift:
      shift(phase.shift);
      break;
  }
  note(phase, cycles() - before);
}

void KernelRun::run(const Kernel& kernel) {
  for (const KernelPhase& phase : kernel.phases) run(phase);
}

void KernelRun::repeat(const Kernel& kernel, std::uint32_t count) {
  for (std::uint32_t done = 0; done < count; ++done) {
    const std::vector<Cycle> columns = by_column_, rows = by_row_;
    const std::vector<PhaseTime> before = phases_;
    run(kernel);
    const std::uint32_t left = count - done - 1;
    if (left == 0 || from_earliest(columns) != from_earliest(by_column_) ||
        from_earliest(rows) != from_earliest(by_row_))
      continue;
    // Only those of the last time repeat.
    const Cycle column_step = by_column_[0] - columns[0], row_step = by_row_[0] - rows[0];
    for (Cycle& each : by_column_) each += column_step * left;
    for (Cycle& each : by_row_) each += row_step * left;
    for (std::size_t k = 0; k < phases_.size(); ++k) {
      const PhaseTime last = k < before.size() ? before[k] : PhaseTime{};
      phases_[k].cycles += (phases_[k].cycles - last.cycles) * left;
      phases_[k].least += (phases_[k].least - last.least) * left;
    }
    return;
  }
}

}  // namespace wafertlm::cores
