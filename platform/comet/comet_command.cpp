// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/comet/cluster.h"
#include "platform/commands.h"

namespace wafertlm {
namespace {

using namespace comet;
using nlohmann::ordered_json;

struct CometOptions {
  std::string file;
  int zero_stage = 2;
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
          {"bandwidth_bytes_per_s", each.bandwidth}};
}

/// A table of named clusters, each divided in every way.
struct Sweep {
  std::string title;
  ClusterSpec spec;
};

std::string sweep_text(const Sweep& sweep, int zero_stage) {
  std::string text =
      fmt::format("\n{}\n  {:<12}{:>11}{:>16}{:>10}{:>10}{:>10}{:>10}{:>10}{:>9}{:>11}\n", sweep.title, "",
                  "footprint", "fits", "time", "compute", "MP", "DP", "optimizer", "memory", "GB/s");
  const PointOfCluster best = best_point(sweep.spec, zero_stage);
  for (std::uint32_t mp = 1; mp <= sweep.spec.npus; mp *= 2) {
    const PointOfCluster point{mp, sweep.spec.npus / mp, zero_stage};
    const Estimate each = estimate(sweep.spec, point);
    text += fmt::format("  {:<12}{:>8.1f} GB", name_of(point), each.footprint / 1e9);
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

double best_time(const ClusterSpec& spec, int zero_stage) {
  const PointOfCluster best = best_point(spec, zero_stage);
  return best.mp == 0 ? 0 : estimate(spec, best).time_s();
}

ClusterSpec without_expansion(ClusterSpec spec) {
  spec.expanded_capacity = 0;
  return spec;
}

/// What doubling the peak gains, by expanded bandwidth.
std::string compute_text(const ClusterSpec& spec, int zero_stage, ordered_json& json) {
  std::string text =
      "\nMore compute pays only with memory bandwidth: MP8, twice the peak\n"
      "  expanded bandwidth        time   with twice the peak     gain   of 2 possible\n";
  const PointOfCluster point{8, spec.npus / 8, zero_stage};
  for (const double bandwidth : {50e9, 100e9, 200e9, 500e9, 1000e9, 2000e9}) {
    ClusterSpec each = spec;
    each.expanded_bandwidth = bandwidth;
    const double once = estimate(each, point).time_s();
    each.peak *= 2;
    const double twice = estimate(each, point).time_s();
    text += fmt::format("  {:>13.0f} GB/s{:>11.2f} s{:>20.2f} s{:>9.3f}\n", bandwidth / 1e9, once, twice,
                        once / twice);
    json.push_back(
        {{"expanded_bandwidth_bytes_per_s", bandwidth}, {"time_s", once}, {"twice_the_peak_s", twice}});
  }
  return text;
}

int run(const CometOptions& options) {
  const ClusterSpec spec = load_cluster(options.file);
  if (spec.npus < 8) throw std::invalid_argument("the study needs 8 NPUs or more");
  if (spec.expanded_capacity == 0)
    throw std::invalid_argument("give expanded_capacity: the study compares with and without it");
  const int zero = options.zero_stage;
  const ClusterSpec local = without_expansion(spec);
  const PointOfCluster best_local = best_point(local, zero), small{8, spec.npus / 8, zero};
  ordered_json json{{"comet", spec.name}, {"parameters", spec.model.parameters()}, {"zero_stage", zero}};
  std::string text = fmt::format("{}: {} parameters, {} NPUs, ZeRO-{}\n", spec.name, spec.model.parameters(),
                                 spec.npus, zero);
  text += sweep_text({"Without expanded memory", local}, zero);
  text += sweep_text(
      {fmt::format("With {:.0f} GB more at {:.0f} GB/s, {} streams", spec.expanded_capacity / 1e9,
                   spec.expanded_bandwidth / 1e9, spec.streams == Streams::serial ? "serial" : "parallel"),
       spec},
      zero);
  for (const ClusterSpec* each : {&local, &spec})
    for (std::uint32_t mp = 1; mp <= spec.npus; mp *= 2)
      for (int stage = 0; stage <= 3; ++stage)
        json[each == &local ? "local" : "expanded"].push_back(row_json(*each, {mp, spec.npus / mp, stage}));
  text += compute_text(spec, zero, json["compute"]);
  if (best_local.mp != 0) {
    const double limit = estimate(local, best_local).time_s();
    const double even = break_even_bandwidth(spec, small, limit, 1e9, 1e14);
    const double gain = limit / best_time(spec, zero);
    text += fmt::format("\nBreak-even: {} with expanded memory is as fast as {} without ({:.2f} s) {}\n",
                        name_of(small), name_of(best_local), limit,
                        even < 0 ? "at no bandwidth" : fmt::format("from {:.4g} GB/s on", even / 1e9));
    text += fmt::format("Expanded memory gains {:.2f} x (COMET: up to 1.4 x).\n", gain);
    json["best_without"] = name_of(best_local);
    json["break_even_bytes_per_s"] = even;
    json["expansion_gain"] = gain;
  }
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
  command->add_option("--zero-stage", options->zero_stage, "Of the tables; JSON has all")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON instead");
  command->footer("Example:\n  wafertlm comet configs/studies/comet_transformer_1t.yaml");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
