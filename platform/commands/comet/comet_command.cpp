// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "platform/commands/comet/cluster.h"

namespace wafertlm {
namespace {

using namespace comet;
using nlohmann::ordered_json;

struct CometOptions {
  std::string file, point;
  std::vector<std::string> overrides;
  std::optional<int> zero_stage;  // none: each the fastest one
  bool json = false;
};

std::string name_of(const PointOfCluster& point) { return fmt::format("MP{}_DP{}", point.mp, point.dp); }

ordered_json row_json(const ClusterSpec& spec, const PointOfCluster& point) {
  const Estimate each = estimate(spec, point);
  return {{"point", name_of(point)},
          {"mp", point.mp},
          {"dp", point.dp},
          {"zero_stage", point.zero_stage},
          {"fits", each.fits()},
          {"missing_bytes", each.missing},
          {"footprint_bytes", each.footprint},
          {"state_bytes", footprint(spec.model.parameters(), point.mp, point.dp, point.zero_stage).all},
          {"activation_bytes", each.activations},
          {"time_s", each.time_s()},
          {"compute_s", each.compute_s},
          {"exposed_mp_s", each.mp_s},
          {"exposed_dp_s", each.dp_s},
          {"optimizer_s", each.optimizer_s},
          {"memory_bound", each.memory_bound},
          {"bandwidth_bytes_per_s", each.bandwidth},
          {"energy_j", each.energy_j}};
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
    const DlrmEstimate each = estimate_dlrm(spec, npus);
    fmt::print("{}\n", ordered_json{{"point", options.point},
                                    {"npus", npus},
                                    {"fits", each.fits()},
                                    {"missing_bytes", each.missing},
                                    {"footprint_bytes", each.footprint},
                                    {"time_s", each.time_s()},
                                    {"lookup_s", each.lookup_s},
                                    {"mlp_s", each.mlp_s},
                                    {"all_to_all_s", each.all_to_all_s},
                                    {"all_reduce_s", each.all_reduce_s},
                                    {"bandwidth_bytes_per_s", each.bandwidth},
                                    {"energy_j", each.energy_j},
                                    {"samples_per_s_and_npu",
                                     static_cast<double>(spec.dlrm->batch) / npus / each.time_s()}}
                           .dump(1));
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
  fmt::print("{}\n", row_json(spec, best_stage(spec, mp, options.zero_stage)).dump(1));
  return 0;
}

/// Instances of a DLRM on ever more NPUs, with and without expanded memory.
std::string dlrm_text(const ClusterSpec& spec) {
  std::string text = fmt::format(
      "{}: {:.1f} GB of tables, {:.3g} M parameters of perceptrons; the {} NPUs run NPUs/n instances of n\n"
      "  {:<8}{:<12}{:>12}{:>16}{:>12}{:>10}{:>10}{:>12}{:>12}{:>14}{:>10}\n",
      spec.name, spec.dlrm->table_bytes() / 1e9, static_cast<double>(spec.dlrm->mlp_parameters()) / 1e6,
      spec.npus, "NPUs", "memory", "footprint", "fits", "time", "lookup", "MLP", "all-to-all", "all-reduce",
      "samples/s/NPU", "energy");
  double best[2] = {0, 0};
  for (std::uint32_t npus = 1; npus <= spec.npus; npus *= 2)
    for (const bool is_expanded : {false, true}) {
      ClusterSpec each = spec;
      if (!is_expanded) each.expanded_capacity = 0;
      const DlrmEstimate of = estimate_dlrm(each, npus);
      if (is_expanded && of.footprint <= spec.local_capacity) continue;  // the same
      text += fmt::format("  {:<8}{:<12}{:>9.1f} GB", npus, is_expanded ? "expanded" : "local",
                          of.footprint / 1e9);
      if (!of.fits()) {
        text += fmt::format("{:>16}\n", fmt::format("{:.1f} GB less", of.missing / 1e9));
        continue;
      }
      const double rate = static_cast<double>(spec.dlrm->batch) / npus / of.time_s();
      best[1] = std::max(best[1], rate);
      if (!is_expanded) best[0] = std::max(best[0], rate);
      text +=
          fmt::format("{:>16}{:>9.2f} ms{:>7.2f} ms{:>7.2f} ms{:>9.2f} ms{:>9.2f} ms{:>14.1f}{:>8.2f} J\n",
                      "yes", of.time_s() * 1e3, of.lookup_s * 1e3, of.mlp_s * 1e3, of.all_to_all_s * 1e3,
                      of.all_reduce_s * 1e3, rate, of.energy_j);
    }
  if (best[0] > 0)
    text += fmt::format("Expanded memory gains {:.2f} x in samples per second.\n", best[1] / best[0]);
  return text;
}

/// A cluster divided in every way.
std::string sweep_text(const std::string& title, const ClusterSpec& spec, std::optional<int> zero_stage) {
  std::string text =
      fmt::format("\n{}\n  {:<12}{:>6}{:>11}{:>16}{:>10}{:>10}{:>10}{:>10}{:>10}{:>9}{:>11}\n", title, "",
                  "ZeRO", "footprint", "fits", "time", "compute", "MP", "DP", "optimizer", "memory", "GB/s");
  const PointOfCluster best = best_point(spec, zero_stage);
  for (const std::uint32_t mp : degrees_of_mp(spec)) {
    const PointOfCluster point = best_stage(spec, mp, zero_stage);
    const Estimate each = estimate(spec, point);
    text += fmt::format("  {:<12}{:>6}{:>8.1f} GB", name_of(point), point.zero_stage, each.footprint / 1e9);
    if (!each.fits()) {
      text += fmt::format("{:>16}\n", fmt::format("{:.1f} GB less", each.missing / 1e9));
      continue;
    }
    text += fmt::format("{:>16}{:>8.2f} s{:>8.2f} s{:>8.2f} s{:>8.2f} s{:>8.2f} s{:>7.0f} %{:>11.1f}{}\n",
                        "yes", each.time_s(), each.compute_s, each.mp_s, each.dp_s, each.optimizer_s,
                        100 * each.memory_bound, each.bandwidth / 1e9,
                        best.mp == mp ? "  <- fastest that fits" : "");
  }
  return text;
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

/// What expanded memory gains with each ZeRO stage, and with the fastest on both sides.
std::string stages_text(const ClusterSpec& spec, ordered_json& json) {
  const ClusterSpec local = without_expansion(spec);
  std::string text =
      fmt::format("\nWhat expanded memory gains (COMET: up to 1.4 x)\n  {:<9}{:>21}{:>21}{:>8}{:>22}\n",
                  "ZeRO", "without", "with", "gain", "MP8 as fast from");
  for (const std::optional<int> stage : std::initializer_list<std::optional<int>>{0, 1, 2, 3, {}}) {
    const double limit = best_time(local, stage), time = best_time(spec, stage);
    const double even =
        limit != 0 && stage ? break_even_bandwidth(spec, {8, spec.npus / 8, *stage}, limit, 1e9, 1e14) : -1;
    text += fmt::format("  {:<9}{:>21}{:>21}{:>8}{:>22}\n", stage ? std::to_string(*stage) : "fastest",
                        best_text(local, stage), best_text(spec, stage),
                        limit * time == 0 ? "" : fmt::format("{:.2f}", limit / time),
                        even < 0 ? "" : fmt::format("{:.4g} GB/s", even / 1e9));
    ordered_json row{{"without_s", limit}, {"with_s", time}};
    if (stage) row["zero_stage"] = *stage;
    if (limit * time != 0) row["gain"] = limit / time;
    if (even >= 0) row["break_even_bytes_per_s"] = even;
    json.push_back(row);
  }
  return text;
}

/// What doubling the peak gains, by expanded bandwidth.
std::string compute_text(const ClusterSpec& spec, std::optional<int> zero_stage, ordered_json& json) {
  std::string text =
      "\nWhat twice the peak gains with MP8\n"
      "  expanded bandwidth   ZeRO       time   with twice the peak     gain   of 2 possible\n";
  for (const double bandwidth : {50e9, 100e9, 200e9, 500e9, 1000e9, 2000e9}) {
    ClusterSpec each = spec;
    each.expanded_bandwidth = bandwidth;
    const PointOfCluster point = best_stage(each, 8, zero_stage);
    const double once = estimate(each, point).time_s();
    each.peak *= 2;
    const double twice = estimate(each, best_stage(each, 8, zero_stage)).time_s();
    text += fmt::format("  {:>13.0f} GB/s{:>7}{:>9.2f} s{:>20.2f} s{:>9.3f}\n", bandwidth / 1e9,
                        point.zero_stage, once, twice, once / twice);
    json.push_back(
        {{"expanded_bandwidth_bytes_per_s", bandwidth}, {"time_s", once}, {"twice_the_peak_s", twice}});
  }
  return text;
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
  ordered_json json{{"comet", spec.name}, {"parameters", spec.model.parameters()}};
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
        json[each == &local ? "local" : "expanded"].push_back(row_json(*each, {mp, spec.npus / mp, stage}));
  text += stages_text(spec, json["expansion"]);
  text += compute_text(spec, zero, json["compute"]);
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
  command->add_option("FILE", options->file, "Cluster and model")->required()->type_name("FILE.yaml");
  command
      ->add_option("--zero-stage", options->zero_stage,
                   "0 to 3; left out: of each division the fastest that fits. JSON has all")
      ->check(CLI::Range(0, 3));
  command->add_option("--set", options->overrides, "Change a key")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--point", options->point, "One point alone, as JSON: MP8_DP128; of a DLRM N64");
  command->add_flag("--json", options->json, "Print JSON instead");
  command->footer(
      "Example:\n  wafertlm comet configs/studies/comet_transformer_1t.yaml\n"
      "  wafertlm study configs/studies/comet_network.yaml");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
