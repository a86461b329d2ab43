// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/npu/tiled_product.h"
#include "platform/commands/validate/gemm/gemm_row.h"
#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/row_text.h"
#include "platform/commands/validate/systems.h"
#include "platform/text/format.h"

namespace wafertlm::validate {
namespace {

bool is_gemm(const ValidationRow& row) {
  if (is_wafer(row) || !says(row.operation, R"(GEMM|GEMV|\bmat(rix)?[ -]?mul)")) return false;
  if (says(row.operation, "parallel|all-|reduce|gather|scatter|overlap")) return false;
  return ranks_of(row) == 1 || says(row.unit, R"(\bper\b)");
}

std::string gemm_group(const ValidationRow&) { return "gemm"; }

void check_gemm(const ValidationRow& row) {
  if (!gemm_unit(row.unit))
    throw bad_row(row,
                  fmt::format("'{}' is no unit of a matrix product; expected TFLOP/s, a time such as us, or "
                              "% of peak",
                              row.unit));
}

double operations_of(const MatrixProduct& product) {
  return 2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) *
         static_cast<double>(product.k) * static_cast<double>(product.count);
}

/// The machine in the row's precision: its engine, its peak, what it takes from the memory.
struct Machine {
  TiledParams units;
  TiledRates rates;
  double peak, memory_bytes_per_s;
};

Machine machine_of(const config::NpuSpec& npu, const GemmRow& gemm) {
  const ComputeParams params = compute_params(npu, 0, 1);
  Machine machine{*params.tiled, {}, 0, static_cast<double>(params.memory_bytes_per_s)};
  double part = 1;
  if (gemm.units) {
    part = static_cast<double>(*gemm.units) / machine.units.units;
    machine.units.units = *gemm.units;
  }
  const config::RateSpec& rate = npu.compute.rate();
  machine.peak = *rate.peak_operations_per_s * gemm.rate * part;
  machine.rates = {machine.peak * rate.efficiency_percent / 100,
                   machine.memory_bytes_per_s * machine.units.memory_percent / 100,
                   params.factor_bits_x4 / 32.0, params.result_bits / 8.0};
  if (gemm.from_sram && machine.units.feed_bytes_per_s != 0)
    machine.rates.memory_bytes_per_s = machine.memory_bytes_per_s =
        static_cast<double>(machine.units.feed_bytes_per_s) * machine.units.units;
  return machine;
}

double in_unit(const GemmUnit& unit, double seconds, double operations, double peak, unsigned devices) {
  const double rate = operations / seconds;
  if (unit.kind == GemmUnit::Kind::time) return seconds / unit.base;
  if (unit.kind == GemmUnit::Kind::part) return rate / peak / unit.base;
  return rate * (unit.per_chip ? devices : 1) / unit.base;
}

Answer gemm_answer(const ValidationRow& row) {
  const MeasuredSystem& system = system_of(row);
  const std::string preset = preset_name(system.accelerator);
  const GemmRow gemm = gemm_row(row);
  config::NpuSpec npu = accelerator_of(system);
  npu.compute.precision = gemm.precision;
  npu.compute.scales = gemm.scales;
  const config::RateSpec& rate = npu.compute.rate();
  const char* const precision = config::kPrecisions[static_cast<std::size_t>(gemm.precision)];
  if (!rate.peak_operations_per_s)
    throw CannotSay(fmt::format("configs/accelerators/{}.yaml has no peak in {}", preset, precision));

  const Machine machine = machine_of(npu, gemm);
  const TiledTime time = tiled_time(machine.units, machine.rates, gemm.product);
  const GemmUnit unit = *gemm_unit(row.unit);
  const double operations = operations_of(gemm.product);
  const double roofline_s =
      std::max(operations / machine.peak,
               time.memory_s * machine.rates.memory_bytes_per_s / machine.memory_bytes_per_s);
  Answer answer;
  answer.simulated = in_unit(unit, time.time_s, operations, machine.peak, system.devices);
  answer.closed_form = in_unit(unit, roofline_s, operations, machine.peak, system.devices);
  answer.calibrated_by = rate.calibrated_by;
  answer.how =
      fmt::format("{} in {}: {} of tiles {} x {} x {}{}, {} % of the peak{}", preset, precision,
                  counted(static_cast<std::uint64_t>(time.waves), "wave"), time.shape.m, time.shape.n,
                  time.shape.k, time.split > 1 ? fmt::format(", k in {} parts", time.split) : "",
                  rate.efficiency_percent, rate.efficiency_of.empty() ? "" : " as " + rate.efficiency_of);
  return answer;
}

}  // namespace

RowKind gemm_rows() { return {"gemm", is_gemm, gemm_group, check_gemm, gemm_answer}; }

}  // namespace wafertlm::validate
