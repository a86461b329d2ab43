// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/model/cores/grid_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/cores/core_grid.h"
#include "platform/text/format.h"
#include "workloads/cores/training_layer.h"

namespace wafertlm::core_runs {
namespace {

using cores::GridCollective;
using Type = cores::GridCollectiveType;

void require_room(const config::CoresSpec& wafer, std::uint32_t columns, std::uint32_t rows) {
  const bool fits = columns <= wafer.params.columns && rows <= wafer.params.rows;
  if (columns == 0 || rows == 0 || !fits)
    throw std::invalid_argument(fmt::format("{} x {} cores: {} has {} columns and {} rows", columns, rows,
                                            wafer.name, wafer.params.columns, wafer.params.rows));
}

void require_memory(const config::CoresSpec& wafer, std::uint64_t core_bytes) {
  const std::uint64_t room = cores::data_bytes(wafer.params);
  if (core_bytes > room)
    throw std::invalid_argument(
        fmt::format("a core would need {} for data, {} more than it has beside its program; take more cores",
                    format_bytes(core_bytes), format_bytes(core_bytes - room)));
}

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30U;

/// That programs and routes of all rows take, each as of one.
void require_host_memory(const GridCollective& what, const cores::GridAlgorithm& of,
                         const cores::CoreParams& params) {
  if (what.type == Type::broadcast || what.rows < 2) return;
  const cores::CoreProgram row = of.program({what.type, what.columns, 1, what.wavelets}, params);
  std::uint64_t bytes = row.blocks * sizeof(std::uint64_t) * what.columns;
  for (const cores::Route& each : row.routes)
    bytes += sizeof(cores::Route) + each.links.size() * sizeof(cores::Route::Crossing);
  for (const auto& each : row.cores) bytes += each.size() * sizeof(cores::Operation);
  if (bytes > kMostBytes / what.rows)
    throw std::invalid_argument(
        fmt::format("--whole: {} on {} rows would need some {} of this computer; without it "
                    "one row and one column give the same",
                    of.name, what.rows, format_bytes(bytes * what.rows)));
}

class LinesOnly {
 public:
  LinesOnly(const cores::GridAlgorithm& algorithm, const cores::CoreParams& params, CollectiveTime& time)
      : algorithm_(algorithm), params_(params), time_(time) {}

  void run(const GridCollective& what, const cores::GridAlgorithm& algorithm) {
    if (what.columns * what.rows < 2) return;
    const cores::CoreRun run = cores::run_cores(algorithm.program(what, params_), params_);
    time_.cycles += run.cycles;
    time_.busiest_link = std::max(time_.busiest_link, run.busiest_link);
    time_.simulated += std::uint64_t{what.columns} * what.rows;
  }

  /// From the root to the core farthest from it, as along one line.
  void flood(const GridCollective& what, cores::CoreIndex root) {
    const std::uint32_t x = root % what.columns, y = root / what.columns;
    const std::uint32_t hops = std::max(x, what.columns - 1 - x) + std::max(y, what.rows - 1 - y);
    run({Type::broadcast, hops + 1, 1, what.wavelets}, cores::grid_algorithm("multicast", Type::broadcast));
  }

  void rows_then_columns(const GridCollective& what) {
    const bool to_root = algorithm_.on_rectangle == cores::OnRectangle::rows_then_column;
    const Type of_line = to_root ? Type::reduce : what.type;
    run({of_line, what.columns, 1, what.wavelets}, algorithm_);
    run({of_line, what.rows, 1, what.wavelets}, algorithm_);
    if (to_root && what.type == Type::all_reduce) flood(what, cores::root_of(algorithm_, what));
  }

 private:
  const cores::GridAlgorithm& algorithm_;
  const cores::CoreParams& params_;
  CollectiveTime& time_;
};

}  // namespace

CollectiveTime collective_time(const GridCollective& what, const std::string& algorithm,
                               const config::CoresSpec& wafer, bool whole) {
  require_room(wafer, what.columns, what.rows);
  const cores::GridAlgorithm& of = cores::grid_algorithm(algorithm, what.type);
  CollectiveTime time;
  time.algorithm = of.name;
  time.what = of.what;
  if (of.published) time.published = of.published(what, wafer.params);
  time.least = cores::least_cycles(what, wafer.params);
  LinesOnly lines(of, wafer.params, time);
  if (whole) require_host_memory(what, of, wafer.params);
  if (whole || what.columns == 1 || what.rows == 1 || of.on_rectangle == cores::OnRectangle::one_line)
    lines.run(what, of);
  else if (what.type == Type::broadcast)
    lines.flood(what, 0);
  else
    lines.rows_then_columns(what);
  return time;
}

namespace {

KernelTime timed(const cores::Kernel& kernel, std::uint32_t count, const config::CoresSpec& wafer,
                 std::uint32_t columns, std::uint32_t rows) {
  require_room(wafer, columns, rows);
  require_memory(wafer, kernel.core_bytes);
  cores::KernelRun run(wafer.params, columns, rows);
  run.repeat(kernel, count);
  KernelTime time;
  time.cycles = run.cycles();
  time.phases = run.phases();
  for (const cores::PhaseTime& each : time.phases) time.least += each.least;
  time.multiply_adds = kernel.multiply_adds * count;
  time.seconds = static_cast<double>(time.cycles) / static_cast<double>(wafer.params.clock_hz);
  time.of_peak =
      time.multiply_adds / (static_cast<double>(time.cycles) * wafer.params.lanes * columns * rows);
  time.core_bytes = kernel.core_bytes;
  time.levelled = run.levelled();
  return time;
}

}  // namespace

KernelTime kernel_time(const cores::Kernel& kernel, const config::CoresSpec& wafer, std::uint32_t columns,
                       std::uint32_t rows) {
  return timed(kernel, 1, wafer, columns, rows);
}

KernelTime decoder_time(DecoderPass pass, const cores::DecoderShape& shape, std::uint64_t tokens,
                        const config::CoresSpec& wafer, std::uint32_t columns, std::uint32_t rows) {
  require_room(wafer, columns, rows);
  const cores::Rectangle on{wafer.params, columns, rows};
  const cores::Kernel layer =
      pass == DecoderPass::prefill ? prefill_layer(on, shape, tokens) : decode_layer(on, shape, tokens);
  KernelTime time = timed(layer, shape.layers, wafer, columns, rows);
  const std::uint64_t rectangles = std::uint64_t{wafer.params.columns / columns} * (wafer.params.rows / rows);
  const std::uint64_t held = rectangles * (cores::data_bytes(wafer.params) / layer.core_bytes);
  time.layers_held = static_cast<std::uint32_t>(std::min<std::uint64_t>(held, shape.layers));
  return time;
}

TrainingTime training_time(const cores::DecoderShape& shape, std::uint64_t sequence,
                           const config::CoresSpec& wafer) {
  TrainingTime time;
  const std::uint32_t columns = wafer.params.columns, rows = wafer.params.rows;
  const cores::Rectangle on{wafer.params, columns, rows};
  time.tokens_per_row = tokens_per_row(on, shape, sequence);
  if (time.tokens_per_row == 0)
    throw std::invalid_argument("a core has no room for one token's activations of all layers");
  time.layer = timed(training_layer(on, shape, sequence, time.tokens_per_row), 1, wafer, columns, rows);
  double seconds = time.layer.seconds * shape.layers;
  if (shape.vocabulary > 0)
    seconds += timed(training_head(on, shape, time.tokens_per_row), 1, wafer, columns, rows).seconds;
  time.sample_s = seconds * static_cast<double>(sequence) / (static_cast<double>(time.tokens_per_row) * rows);
  return time;
}

}  // namespace wafertlm::core_runs
