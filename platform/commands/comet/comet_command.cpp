// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "platform/commands/comet/cluster.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/table.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/presets.h"

namespace wafertlm {
namespace {

using namespace comet;
using results::Json;
namespace schema = results::schema;

struct CometOptions {
  std::string file, point;
  std::vector<std::string> overrides;
  std::optional<int> zero_stage;
  bool json = false;
};

std::string name_of(const PointOfCluster& point) { return fmt::format("MP{}_DP{}", point.mp, point.dp); }

/// One division of a cluster.
struct PointRow : Estimate {
  PointOfCluster point;
  double state_bytes = 0;
  std::string note;
};

PointRow row_of(const ClusterSpec& spec, const PointOfCluster& point, const std::string& note = "") {
  return {estimate(spec, point), point,
          footprint(spec.model.parameters(), point.mp, point.dp, point.zero_stage).all, note};
}

/// "yes", or by how much it does not fit.
Json fits_text(const Estimate& of) {
  return of.fits() ? "yes" : fmt::format("{:.1f} GB less", of.missing / 1e9);
}

Format in_seconds() {
  Format format = shown::number("{:.2f} s");
  format.schema = schema::seconds();
  return format;
}

const Table<PointRow>& points_table() {
  static const Table<PointRow> table([](Table<PointRow>& t) {
    using R = const PointRow&;
    t.column("point", "", shown::text(), [](R of) { return name_of(of.point); });
    t.add("mp", schema::positive(), [](R of) { return of.point.mp; });
    t.add("dp", schema::positive(), [](R of) { return of.point.dp; });
    t.column("zero_stage", "ZeRO", shown::whole(), [](R of) { return of.point.zero_stage; });
    t.add("fits", schema::boolean(), &PointRow::fits);
    t.add("missing_bytes", schema::number(), &PointRow::missing);
    t.add("footprint_bytes", schema::number(), &PointRow::footprint);
    t.cell("footprint", shown::number("{:.1f} GB"), [](R of) { return of.footprint / 1e9; });
    t.cell("fits", shown::text(), fits_text);
    t.add("state_bytes", schema::number(), &PointRow::state_bytes);
    t.add("activation_bytes", schema::number(), &PointRow::activations);
    const auto if_fits = [&t](const char* name, const char* heading, const Format& format, auto value,
                              double unit = 1) {
      t.add(name, format.schema, value);
      t.cell(heading, format,
             [value, unit](R of) { return of.fits() ? Json(std::invoke(value, of) * unit) : Json(""); });
    };
    if_fits("time_s", "time", in_seconds(), &PointRow::time_s);
    if_fits("compute_s", "compute", in_seconds(), &PointRow::compute_s);
    if_fits("exposed_mp_s", "MP", in_seconds(), &PointRow::mp_s);
    if_fits("exposed_dp_s", "DP", in_seconds(), &PointRow::dp_s);
    if_fits("optimizer_s", "optimizer", in_seconds(), &PointRow::optimizer_s);
    if_fits("memory_bound", "memory", shown::percent(0), &PointRow::memory_bound);
    if_fits("bandwidth_bytes_per_s", "GB/s", shown::number("{:.1f}"), &PointRow::bandwidth, 1e-9);
    t.add("energy_j", schema::number(), &PointRow::energy_j);
    t.cell("", shown::text(), &PointRow::note);
  });
  return table;
}

/// An instance of a DLRM.
struct DlrmRow : DlrmEstimate {
  std::uint32_t npus = 0;
  double samples_per_s = 0;  ///< and NPU
  bool is_expanded = true;
};

DlrmRow dlrm_row(const ClusterSpec& spec, std::uint32_t npus, bool is_expanded = true) {
  DlrmRow row{estimate_dlrm(spec, npus), npus, 0, is_expanded};
  row.samples_per_s = static_cast<double>(spec.dlrm->batch) / npus / row.time_s();
  return row;
}

const Table<DlrmRow>& dlrm_table() {
  static const Table<DlrmRow> table([](Table<DlrmRow>& t) {
    using R = const DlrmRow&;
    const Format ms = shown::number("{:.2f} ms");
    t.add("point", schema::text(), [](R of) { return fmt::format("N{}", of.npus); });
    t.column("npus", "NPUs", shown::whole(), &DlrmRow::npus);
    t.cell("memory", shown::text(), [](R of) { return of.is_expanded ? "expanded" : "local"; });
    t.add("fits", schema::boolean(), &DlrmRow::fits);
    t.add("missing_bytes", schema::number(), &DlrmRow::missing);
    t.add("footprint_bytes", schema::number(), &DlrmRow::footprint);
    t.cell("footprint", shown::number("{:.1f} GB"), [](R of) { return of.footprint / 1e9; });
    t.cell("fits", shown::text(),
           [](R of) -> Json { return of.fits() ? "yes" : fmt::format("{:.1f} GB less", of.missing / 1e9); });
    const auto time = [&](const char* name, const char* heading, auto value) {
      t.add(name, schema::seconds(), value);
      t.cell(heading, ms,
             [value](R of) { return of.fits() ? Json(std::invoke(value, of) * 1e3) : Json(""); });
    };
    time("time_s", "time", &DlrmRow::time_s);
    time("lookup_s", "lookup", &DlrmRow::lookup_s);
    time("mlp_s", "MLP", &DlrmRow::mlp_s);
    time("all_to_all_s", "all-to-all", &DlrmRow::all_to_all_s);
    time("all_reduce_s", "all-reduce", &DlrmRow::all_reduce_s);
    t.add("bandwidth_bytes_per_s", schema::number(), &DlrmRow::bandwidth);
    t.add("energy_j", schema::number(), &DlrmRow::energy_j);
    t.add("samples_per_s_and_npu", schema::number(), &DlrmRow::samples_per_s);
    t.cell("samples/s/NPU", shown::number("{:.1f}"),
           [](R of) { return of.fits() ? Json(of.samples_per_s) : Json(""); });
    t.cell("energy", shown::number("{:.2f} J"),
           [](R of) { return of.fits() ? Json(of.energy_j) : Json(""); });
  });
  return table;
}

/// "MP8_DP128" of a transformer, "N64" (NPUs of an instance) of a DLRM: one point as JSON.
int print_point(const ClusterSpec& spec, const CometOptions& options) {
  unsigned mp = 0, dp = 0, npus = 0;
  int read = 0;
  const auto whole = [&] { return static_cast<std::size_t>(read) == options.point.size(); };
  const auto is_power = [](unsigned value) { return value > 0 && (value & (value - 1)) == 0; };
  if (spec.dlrm) {
    if (std::sscanf(options.point.c_str(), "N%u%n", &npus, &read) != 1 || !whole() || !is_power(npus))
      throw std::invalid_argument("--point " + options.point + ": expected NPUs of an instance such as N64");
    fmt::print("{}\n", dlrm_table().json(dlrm_row(spec, npus)).dump(1));
    return 0;
  }
  if (std::sscanf(options.point.c_str(), "MP%u_DP%u%n", &mp, &dp, &read) != 2 || !whole() || !is_power(mp) ||
      static_cast<std::uint64_t>(mp) * dp != spec.npus)
    throw std::invalid_argument(fmt::format("--point {}: expected MPm_DPd with m a power of two and m·d = {}",
                                            options.point, spec.npus));
  if (spec.model.heads % mp != 0)
    throw std::invalid_argument(
        fmt::format("--point {}: MP{} does not divide the {} heads of {}; MP1 to MP{} do", options.point, mp,
                    spec.model.heads, options.file, degrees_of_mp(spec).back()));
  fmt::print("{}\n", points_table().json(row_of(spec, best_stage(spec, mp, options.zero_stage))).dump(1));
  return 0;
}

/// Instances of a DLRM on ever more NPUs, with and without expanded memory.
std::string dlrm_text(const ClusterSpec& spec) {
  std::vector<DlrmRow> rows;
  double local = 0, best = 0;
  for (std::uint32_t npus = 1; npus <= spec.npus; npus *= 2)
    for (const bool is_expanded : {false, true}) {
      ClusterSpec each = spec;
      if (!is_expanded) each.expanded_capacity = 0;
      const DlrmRow row = dlrm_row(each, npus, is_expanded);
      if (is_expanded && row.footprint <= spec.local_capacity) continue;  // the same
      rows.push_back(row);
      if (!row.fits()) continue;
      best = std::max(best, row.samples_per_s);
      if (!is_expanded) local = std::max(local, row.samples_per_s);
    }
  return fmt::format(
             "{}: {:.1f} GB of tables, {:.3g} M parameters of perceptrons; the {} NPUs run NPUs/n instances "
             "of "
             "n\n",
             spec.name, spec.dlrm->table_bytes() / 1e9,
             static_cast<double>(spec.dlrm->mlp_parameters()) / 1e6, spec.npus) +
         dlrm_table().text(rows) +
         (local > 0 ? fmt::format("Expanded memory gains {:.2f} x in samples per second.\n", best / local)
                    : "");
}

/// A cluster divided in every way.
std::string sweep_text(const std::string& title, const ClusterSpec& spec, std::optional<int> zero_stage) {
  const PointOfCluster best = best_point(spec, zero_stage);
  std::vector<PointRow> rows;
  for (const std::uint32_t mp : degrees_of_mp(spec))
    rows.push_back(
        row_of(spec, best_stage(spec, mp, zero_stage), best.mp == mp ? "<- fastest that fits" : ""));
  return fmt::format("\n{}\n{}", title, points_table().text(rows));
}

double best_time(const ClusterSpec& spec, std::optional<int> zero_stage) {
  const PointOfCluster best = best_point(spec, zero_stage);
  return best.mp == 0 ? 0 : estimate(spec, best).time_s();
}

std::string best_text(const ClusterSpec& spec, std::optional<int> zero_stage) {
  const PointOfCluster best = best_point(spec, zero_stage);
  if (best.mp == 0) return "none fits";
  return fmt::format("{} {:.2f} s", name_of(best), estimate(spec, best).time_s());
}

ClusterSpec without_expansion(ClusterSpec spec) {
  spec.expanded_capacity = 0;
  return spec;
}

/// What expanded memory gains with a ZeRO stage; without one: with the fastest on both sides.
struct ExpansionRow {
  std::optional<int> stage;
  std::string without, with;
  double without_s, with_s;
  double even;  ///< bandwidth from which on MP8 with it is as fast; negative: none

  std::optional<double> gain() const {
    return without_s * with_s == 0 ? std::nullopt : std::optional(without_s / with_s);
  }
};

const Table<ExpansionRow>& expansion_table() {
  static const Table<ExpansionRow> table([](Table<ExpansionRow>& t) {
    using R = const ExpansionRow&;
    t.cell("ZeRO", shown::text(),
           [](R of) -> Json { return of.stage ? std::to_string(*of.stage) : "fastest"; });
    t.cell("without", shown::text(), &ExpansionRow::without);
    t.cell("with", shown::text(), &ExpansionRow::with);
    t.add("without_s", schema::seconds(), &ExpansionRow::without_s);
    t.add("with_s", schema::seconds(), &ExpansionRow::with_s);
    t.add_if([](R of) { return of.stage.has_value(); }, "zero_stage", schema::count(),
             [](R of) { return *of.stage; });
    t.add_if([](R of) { return of.gain().has_value(); }, "gain", schema::number(),
             [](R of) { return *of.gain(); });
    t.cell("gain", shown::number("{:.2f}"), [](R of) { return of.gain() ? Json(*of.gain()) : Json(""); });
    t.add_if([](R of) { return of.even >= 0; }, "break_even_bytes_per_s", schema::number(),
             &ExpansionRow::even);
    t.cell("MP8 as fast from", shown::number("{:.4g} GB/s"),
           [](R of) { return of.even < 0 ? Json("") : Json(of.even / 1e9); });
  });
  return table;
}

std::vector<ExpansionRow> expansion_rows(const ClusterSpec& spec) {
  const ClusterSpec local = without_expansion(spec);
  std::vector<ExpansionRow> rows;
  for (const std::optional<int> stage : std::initializer_list<std::optional<int>>{0, 1, 2, 3, {}}) {
    const double limit = best_time(local, stage);
    const double even =
        limit != 0 && stage ? break_even_bandwidth(spec, {8, spec.npus / 8, *stage}, limit, 1e9, 1e14) : -1;
    rows.push_back(
        {stage, best_text(local, stage), best_text(spec, stage), limit, best_time(spec, stage), even});
  }
  return rows;
}

/// What doubling the peak gains at an expanded bandwidth.
struct ComputeRow {
  double bandwidth, once_s, twice_s;
  int zero_stage;
};

const Table<ComputeRow>& compute_table() {
  static const Table<ComputeRow> table([](Table<ComputeRow>& t) {
    t.add("expanded_bandwidth_bytes_per_s", schema::number(), &ComputeRow::bandwidth);
    t.cell("expanded bandwidth", shown::number("{:.0f} GB/s"),
           [](const ComputeRow& of) { return of.bandwidth / 1e9; });
    t.cell("ZeRO", shown::whole(), &ComputeRow::zero_stage);
    t.column("time_s", "time", in_seconds(), &ComputeRow::once_s);
    t.column("twice_the_peak_s", "with twice the peak", in_seconds(), &ComputeRow::twice_s);
    t.cell("gain of 2 possible", shown::number("{:.3f}"),
           [](const ComputeRow& of) { return of.once_s / of.twice_s; });
  });
  return table;
}

std::vector<ComputeRow> compute_rows(const ClusterSpec& spec, std::optional<int> zero_stage) {
  std::vector<ComputeRow> rows;
  for (const double bandwidth : {50e9, 100e9, 200e9, 500e9, 1000e9, 2000e9}) {
    ClusterSpec each = spec;
    each.expanded_bandwidth = bandwidth;
    const PointOfCluster point = best_stage(each, 8, zero_stage);
    const double once = estimate(each, point).time_s();
    each.peak *= 2;
    rows.push_back(
        {bandwidth, once, estimate(each, best_stage(each, 8, zero_stage)).time_s(), point.zero_stage});
  }
  return rows;
}

/// Of the study, or of one --point.
Json comet_schema() {
  const Json study = schema::object(
      {{"comet", schema::text()},
       {"parameters", schema::number()},
       {"local", points_table().list_schema("Without expanded memory, every division and ZeRO stage")},
       {"expanded", points_table().list_schema("With it")},
       {"expansion",
        expansion_table().list_schema("What it gains, by ZeRO stage; the last row: the fastest")},
       {"compute", compute_table().list_schema("MP8, by bandwidth of the expanded memory")},
       {"clusters_differ", schema::number("Slowest over fastest")}});
  return {{"oneOf", {study, points_table().schema(), dlrm_table().schema()}}};
}

int run(const CometOptions& options) {
  const ClusterSpec spec = load_cluster(options.file, options.overrides);
  if (!options.point.empty()) return print_point(spec, options);
  if (spec.dlrm) {
    if (options.json) throw std::invalid_argument("--json of a DLRM needs a --point such as N64");
    fmt::print("{}", dlrm_text(spec));
    return 0;
  }
  if (spec.npus < 8) throw std::invalid_argument("the study needs 8 NPUs or more");
  if (spec.expanded_capacity == 0)
    throw std::invalid_argument("give expanded_capacity: the study compares with and without it");
  if (spec.model.heads % 8 != 0)
    throw std::invalid_argument(fmt::format(
        "the study compares MP8, which does not divide the {} heads of {}", spec.model.heads, options.file));
  const std::optional<int> zero = options.zero_stage;
  const ClusterSpec local = without_expansion(spec);
  Json json{{"comet", spec.name}, {"parameters", spec.model.parameters()}};
  std::string text =
      fmt::format("{}: {} parameters, {} NPUs, {}\n", spec.name, spec.model.parameters(), spec.npus,
                  zero ? fmt::format("ZeRO-{}", *zero) : "of each division the fastest ZeRO stage that fits");
  text += sweep_text("Without expanded memory", local, zero);
  text += sweep_text(
      fmt::format("With {:.0f} GB more at {:.0f} GB/s, {} streams", spec.expanded_capacity / 1e9,
                  spec.expanded_bandwidth / 1e9, spec.streams == Streams::serial ? "serial" : "parallel"),
      spec, zero);
  for (const ClusterSpec* each : {&local, &spec})
    for (const std::uint32_t mp : degrees_of_mp(spec))
      for (int stage = 0; stage <= 3; ++stage)
        json[each == &local ? "local" : "expanded"].push_back(
            points_table().json(row_of(*each, {mp, spec.npus / mp, stage})));
  const std::vector<ExpansionRow> expansion = expansion_rows(spec);
  json["expansion"] = expansion_table().list(expansion);
  text += "\nWhat expanded memory gains (COMET: up to 1.4 x)\n" + expansion_table().text(expansion);
  const std::vector<ComputeRow> compute = compute_rows(spec, zero);
  json["compute"] = compute_table().list(compute);
  text += "\nWhat twice the peak gains with MP8\n" + compute_table().text(compute);
  double fastest = 0, slowest = 0;
  for (const double peak : {spec.peak, 2 * spec.peak})
    for (const double network : {spec.network_bandwidth, 4 * spec.network_bandwidth})
      for (const bool expanded : {false, true}) {
        ClusterSpec each = expanded ? spec : local;
        each.peak = peak;
        each.network_bandwidth = network;
        const double time = best_time(each, zero);
        if (time == 0) continue;
        fastest = fastest == 0 ? time : std::min(fastest, time);
        slowest = std::max(slowest, time);
      }
  json["clusters_differ"] = slowest / fastest;
  text += fmt::format(
      "Clusters (peak and network once and twice or four times, with and without expansion), each at its\n"
      "fastest division, differ by {:.2f} x (COMET: up to 7.7 x, over clusters whose parameters its text "
      "alone has).\n"
      "Calibrated: gemm_efficiency, batch, microbatch, recompute, dp_overlap, placement. Left out: latency,\n"
      "contention, normalisation and activation functions, embeddings' products, pipeline parallelism.\n",
      slowest / fastest);
  fmt::print("{}", options.json ? json.dump(1) + "\n" : text);
  return 0;
}

}  // namespace

std::function<int()> add_comet_command(CLI::App& app) {
  auto options = std::make_shared<CometOptions>();
  CLI::App* command = app.add_subcommand(
      "comet", "Memory, network, compute and parallelism of a transformer together (COMET's closed forms)");
  add_file(*command, "FILE", options->file, "Cluster and model", "studies", "FILE.yaml");
  command
      ->add_option("--zero-stage", options->zero_stage,
                   "0 to 3; left out: of each division the fastest that fits. JSON has all")
      ->check(CLI::Range(0, 3));
  add_set_option(*command, options->overrides, [] { return comet::cluster_file_kind().type->all_paths(); });
  command->add_option("--point", options->point, "One point alone, as JSON: MP8_DP128; of a DLRM N64");
  add_json_flag(*command, options->json, comet_schema);
  command->footer(
      "Example:\n  wafertlm comet configs/studies/comet_transformer_1t.yaml\n"
      "  wafertlm study configs/studies/comet_network.yaml");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
