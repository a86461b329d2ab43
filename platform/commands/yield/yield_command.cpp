// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/commands/yield/yield_study.h"
#include "platform/defects/defect_model.h"
#include "platform/defects/sampled_wafer.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/table.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_folder.h"
#include "platform/host/presets.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using namespace wafer_yield;
using results::Fields;
namespace schema = results::schema;

struct YieldOptions {
  std::string file, maps;
  std::vector<std::string> overrides;
  std::uint32_t count = 100;
  bool json = false;
};

const Table<PartRow>& parts_table() {
  static const Table<PartRow> table([](Table<PartRow>& t) {
    t.column("part", "part", shown::text(), [](const PartRow& of) { return to_string(of.kind); });
    t.column("count", "count", shown::whole(), &PartRow::count);
    t.column("area_mm2", "area, mm²", shown::number("{:.5g}"), &PartRow::area_mm2);
    t.column("defects", "defects", shown::number("{:.4g}"), &PartRow::defects);
    t.column("yield", "yield of one", shown::number("{:.6f}"), &PartRow::yield);
  });
  return table;
}

const Table<ComparedRow>& compared_table() {
  static const Table<ComparedRow> table([](Table<ComparedRow>& t) {
    t.column("value", "", shown::text(), &ComparedRow::value);
    t.column("formula", "formula", shown::number("{:.5g}"), &ComparedRow::formula);
    t.column("drawn", "drawn", shown::number("{:.5g}"), &ComparedRow::drawn);
    t.column("error", "std. error", shown::number("{:.2g}"), &ComparedRow::error);
    t.column("sigmas", "sigmas", shown::number("{:.2f}"), [](const ComparedRow& of) { return of.sigmas(); });
  });
  return table;
}

const Table<RepairRow>& repairs_table() {
  static const Table<RepairRow> table([](Table<RepairRow>& t) {
    t.column("spares", "spares", shown::text(), &RepairRow::spares);
    t.column("yield", "yield", shown::percent(), &RepairRow::yield);
    t.add("low", schema::fraction("Of 95 %"), &RepairRow::low);
    t.add("high", schema::fraction("Of 95 %"), &RepairRow::high);
    t.cell("95 %", shown::text(), [](const RepairRow& of) {
      return fmt::format("{:.2f} to {:.2f} %", 100 * of.low, 100 * of.high);
    });
    const auto formula = [](const RepairRow& of) {
      return of.formula ? results::Json(*of.formula) : results::Json();
    };
    t.add("formula", schema::or_null(schema::fraction(), "Null: there is no closed form"), formula);
    t.cell("formula", shown::percent(), formula);
    t.column("area_cost", "area", shown::percent(), &RepairRow::area_cost);
    const auto gain = [](const RepairRow& of) { return of.gain ? results::Json(*of.gain) : results::Json(); };
    t.add("gain", schema::or_null(schema::number(), "Null: a grid without a dead part is too unlikely"),
          gain);
    t.cell("gain", shown::number("{:.3g}"), gain);
  });
  return table;
}

struct YieldReport {
  std::string name;
  const YieldSpec& spec;
  YieldStudy study;
};

const Fields<YieldReport>& yield_fields() {
  static const Fields<YieldReport> fields([](Fields<YieldReport>& f) {
    using R = YieldReport;
    f.add("yield", schema::text(), &R::name);
    f.add("wafers", schema::count("Drawn"), [](const R& of) { return of.spec.wafers; });
    f.add("seed", schema::count(), [](const R& of) { return of.spec.seed; });
    f.add("npus", schema::count(), [](const R& of) { return of.study.npus; });
    f.add("edge_npus", schema::count("Near the wafer's edge"),
          [](const R& of) { return of.study.edge_npus; });
    f.add("area_mm2", schema::number(), [](const R& of) { return of.study.area_mm2; });
    f.add("defects", schema::number("Expected killer defects"), [](const R& of) { return of.study.defects; });
    f.add("perfect_wafers", schema::fraction("Without a defect"), [](const R& of) { return of.study.yield; });
    f.add("working_npus", schema::number("Expected"), [](const R& of) { return of.study.working_npus; });
    f.add_list("parts", parts_table(), [](const R& of) { return of.study.parts; });
    f.add_list("compared", compared_table(), [](const R& of) { return of.study.compared; });
    f.add_list("repairs", repairs_table(), [](const R& of) { return of.study.repairs; });
  });
  return fields;
}

std::string yield_text(const YieldReport& report) {
  const YieldSpec& spec = report.spec;
  const YieldStudy& study = report.study;
  const std::string clusters =
      spec.law == Law::poisson ? "Poisson" : fmt::format("negative binomial, alpha {:g}", spec.alpha);
  std::string text = fmt::format(
      "{}: {} x {} NPUs, {:.5g} mm², {}\nKiller defects {:.4g} expected; P(no defect) {:.3g}; working NPUs "
      "{:.6g} of {} ({:.2f} %)\n",
      report.name, spec.columns, spec.rows, study.area_mm2, clusters, study.defects, study.yield,
      study.working_npus, study.npus, 100 * study.working_npus / study.npus);
  if (spec.edge_mm > 0 && spec.edge_factor != 1)
    text += fmt::format("{} within {:g} mm of the edge: density {:g} times\n",
                        counted(study.edge_npus, "NPU"), spec.edge_mm, spec.edge_factor);
  return text + "\n" + parts_table().text(study.parts) +
         fmt::format("\nFormulas beside {} wafers, seed {}\n", spec.wafers, spec.seed) +
         compared_table().text(study.compared) + "\nSpares\n" + repairs_table().text(study.repairs) +
         "\nyield: wafers that are whole with the spares; area: of the spares over the rest; gain: yield per "
         "area\nover that of a grid that must be whole. Rows and columns take the place of lines with a dead "
         "NPU,\nrouter or link (which counts where it begins); NPUs: so many may be dead, and routes go "
         "around.\n";
}

void write_maps(const YieldOptions& options, const Sampler& sampler, std::uint32_t wafers) {
  OutputFolder folder(options.maps, "wafertlm yield --maps");
  for (std::uint32_t wafer = 0; wafer < std::min(options.count, wafers); ++wafer)
    folder.write(fmt::format("wafer_{:06}.csv", wafer), defect_map(sampler.wafer(wafer)));
  folder.commit();
}

int run_yield(const YieldOptions& options) {
  const YieldSpec spec = load_yield(options.file, options.overrides);
  const Sampler sampler(spec);
  if (!options.maps.empty()) write_maps(options, sampler, spec.wafers);
  const YieldReport report{spec.name, spec, yield_study(spec, sampler)};
  fmt::print("{}", options.json ? yield_fields().json(report).dump(1) + "\n" : yield_text(report));
  return 0;
}

}  // namespace

std::function<int()> add_yield_command(CLI::App& app) {
  auto options = std::make_shared<YieldOptions>();
  CLI::App* command =
      app.add_subcommand("yield", "Defects of a wafer, what spares repair of them, and maps of defects");
  add_file(*command, "FILE", options->file, "Parts, defects and spares", "yield", "FILE.yaml");
  add_set_option(*command, options->overrides, [] { return yield_file_kind().type->all_paths(); });
  command
      ->add_option("--maps", options->maps,
                   "Write maps of defects of the first wafers into this folder, as CSV")
      ->type_name("DIR");
  command->add_option("--map-count", options->count, "So many of them at most; 100 if not given")
      ->check(CLI::Range(1U, 1'000'000U));
  add_json_flag(*command, options->json, [] { return yield_fields().schema(); });
  command->footer("Example:\n  wafertlm yield wafer_20x20 --maps maps");
  return [options] { return run_yield(*options); };
}

}  // namespace wafertlm
