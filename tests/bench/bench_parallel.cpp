// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/bench_parallel.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>

#include "platform/host/shell.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Meshes of width × height, each with as much work, whatever their number.
struct WeakScaling {
  std::uint32_t width, height;
  std::vector<std::uint32_t> wafers;
  std::uint32_t tensor_parallel;  // of the NPUs of a wafer
  const char* transformer;
  std::uint32_t samples;  // per replica
  std::uint32_t iterations;
};

const WeakScaling kSmall{
    5, 4, {1, 2, 4, 8}, 4, "{layers: 4, hidden: 1024, heads: 16, sequence: 512, vocabulary: 1000}", 4, 4};
const WeakScaling kLarge{
    32, 32, {1, 2, 4}, 32, "{layers: 1, hidden: 1024, heads: 32, sequence: 256, vocabulary: 1000}", 1, 1};

void write_experiment(const WeakScaling& scaling, std::uint32_t wafers, const std::string& path) {
  const std::string outer = wafers == 1 ? "" : fmt::format(", outer: {{wafers: {}}}", wafers);
  std::ofstream(path) << fmt::format(
      "experiment: weak scaling\n"
      "platform: {{extends: {}, platform: wafers, wafer: {{width: {}, height: {}{}}}, run: {{checkers: "
      "false}}}}\n"
      "workload:\n"
      "  workload: a transformer\n"
      "  model: {{model: a transformer, transformer: {}}}\n"
      "  parallelism: MP({})-DP({})-PP(1)\n"
      "  element_bytes: 2\n"
      "  samples_per_replica: {}\n"
      "  microbatches: 1\n"
      "  effective_flops: 200 TFLOPS\n"
      "iterations: {}\n",
      wafers == 1 ? "wafer_mesh_5x4" : "wafers_4_mesh_5x4", scaling.width, scaling.height, outer,
      scaling.transformer, scaling.tensor_parallel,
      scaling.width * scaling.height * wafers / scaling.tensor_parallel, scaling.samples, scaling.iterations);
}

/// Processor time of the programs that were run.
double children_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The fastest run of one kind.
struct Fastest {
  std::string options;
  double wall_s = std::numeric_limits<double>::infinity();  // of the command
  double cpu_s = wall_s;                                    // of the processors, waiting included
  Json host = {};                                           // of its results

  void run(const std::string& experiment, const std::string& out) {
    fs::remove_all(out);
    const auto start = std::chrono::steady_clock::now();
    const double start_cpu_s = children_cpu_s();
    const Answer answer = ask_shell(fmt::format("{} run {} --out {} {}", shell_quoted(WAFERTLM_EXECUTABLE),
                                                shell_quoted(experiment), shell_quoted(out), options));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    cpu_s = std::min(cpu_s, children_cpu_s() - start_cpu_s);
    if (answer.exit_code != 0) throw std::runtime_error(options + ": " + answer.text);
    std::ifstream results(out + "/results.json");
    if (seconds < wall_s) host = Json::parse(results)["host"];
    wall_s = std::min(wall_s, seconds);
  }
  double get(const char* field) const { return host["processes"][field].get<double>(); }
  /// Of the process that was in its windows longest.
  double windows_wall_s() const {
    double most = 0;
    for (const Json& each : host["processes"]["each"])
      most = std::max(most, each["windows_wall_s"].get<double>());
    return most;
  }
  /// Of the first process, before and after its windows.
  double around_s() const { return host["processes"]["each"][0]["around_s"].get<double>(); }
  /// With a processor for each process, nobody else, and exchanges that take no time.
  double least_s() const { return around_s() + get("critical_work_s"); }
  /// What a window takes beyond the work of the process that works longest.
  double window_s() const {
    return std::max(0.0, windows_wall_s() - get("critical_work_s")) / get("windows");
  }
};

/// Of `processes` with a wafer each, from a run with as many processes as wafers: as much work in a window,
/// as many windows, what is done before and after them by process 0 in proportion to the wafers. A window
/// costs as `growth` says of the number of processes; null: nothing.
double predicted_s(const Fastest& run, std::uint32_t wafers, std::uint32_t processes,
                   double (*growth)(double)) {
  const double around_s = run.around_s() * processes / wafers;
  return around_s + run.get("critical_work_s") +
         (growth ? run.get("windows") * run.window_s() * growth(processes) / growth(wafers) : 0);
}

void print_prediction(const Fastest& alone, const Fastest& run, std::uint32_t wafers) {
  // What one process got of its processor while it was measured in turn with the others.
  const double share = alone.cpu_s / alone.wall_s;
  for (const std::uint32_t processes : {64U, 1024U}) {
    const double one_s = alone.cpu_s * processes / wafers;
    const auto row = [&](const char* window, double (*growth)(double)) {
      const double together_s = predicted_s(run, wafers, processes, growth);
      fmt::print(
          "  predicted, {:>4} wafers by as many processes: {:.1f} s, {:.1f} times as fast as one, {}\n",
          processes, together_s, one_s / together_s, window);
    };
    if (share < 0.9) {
      row("if exchanges took no time (the processors are too busy to measure them)", nullptr);
      continue;
    }
    row("if a window costs as log2 of the processes", [](double count) { return std::log2(count); });
    row("if a window costs as one less than the processes", [](double count) { return count - 1; });
  }
}

void print_parallel_row(const Fastest& alone, const Fastest& exact, const Fastest& run, std::uint32_t wafers,
                        std::uint32_t npus, std::uint32_t processes) {
  const double peak_mb = run.host["peak_rss_bytes"].get<double>() / 1e6;
  fmt::print("{:>6} {:>5} {:>9} {:>8.2f} {:>8.2f} {:>8.0f}", wafers, npus, processes, run.wall_s, run.cpu_s,
             peak_mb);
  if (processes == 1) {
    fmt::print("  {:.2f} s, {:.2f} s of the processor with run.acceleration=exact\n", exact.wall_s,
               exact.cpu_s);
    return;
  }
  const double speed_up = alone.wall_s / run.wall_s;
  fmt::print(" {:>8.2f} {:>5.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.0f} {:>9.0f} {:>8.2f} {:>6.0f}\n",
             speed_up, speed_up / processes, run.get("work_s") / run.get("critical_work_s"),
             run.get("critical_work_s"), run.around_s(), alone.cpu_s / run.least_s(), run.get("windows"),
             run.get("windows") / run.windows_wall_s(), run.get("bytes_exchanged") / 1e6,
             1e6 * run.window_s());
}

void print_wafers(const WeakScaling& scaling, std::uint32_t wafers, unsigned long repetitions,
                  const std::string& folder) {
  const std::string experiment = folder + "/experiment.yaml";
  write_experiment(scaling, wafers, experiment);
  Fastest exact{"--set run.acceleration=exact"};
  std::map<std::uint32_t, Fastest> runs = {{1, {"--set run.acceleration=off"}}};
  for (const std::uint32_t processes : {2U, 4U})
    if (processes <= wafers) runs[processes].options = "--processes " + std::to_string(processes);
  for (unsigned long k = 0; k < repetitions; ++k) {
    for (auto& each : runs) each.second.run(experiment, folder + "/out");
    exact.run(experiment, folder + "/out");
  }
  for (const auto& [processes, run] : runs) {
    print_parallel_row(runs[1], exact, run, wafers, wafers * scaling.width * scaling.height, processes);
    if (processes == wafers && processes > 1) print_prediction(runs[1], run, wafers);
  }
  std::fflush(stdout);
}

double load_average() {
  double of_a_minute = 0;
  getloadavg(&of_a_minute, 1);
  return of_a_minute;
}

}  // namespace

void print_parallel(const std::vector<std::string>& arguments) {
  unsigned long repetitions = 3, wafers = 0;
  bool is_large = false;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (arguments[k] == "--repetitions" && k + 1 < arguments.size())
      repetitions = std::max(1UL, std::stoul(arguments[++k]));
    else if (arguments[k] == "--wafers" && k + 1 < arguments.size())
      wafers = std::stoul(arguments[++k]);
    else if (arguments[k] == "--large")
      is_large = true;
    else
      throw std::invalid_argument(arguments[k] + ": only --large, --wafers N, --repetitions N");
  const std::string folder =
      (fs::temp_directory_path() / ("wafertlm_bench_" + std::to_string(getpid()))).string();
  fs::create_directories(folder);
  fmt::print("{} processors, a load of {:.1f} before\n", std::thread::hardware_concurrency(), load_average());
  fmt::print(
      "{:>6} {:>5} {:>9} {:>8} {:>8} {:>8} {:>8} {:>5} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>8} {:>6}\n",
      "wafers", "NPUs", "processes", "s", "cpu s", "MB each", "speed-up", "eff.", "by work", "crit. s",
      "around s", "by cpu", "windows", "windows/s", "MB sent", "us w.");
  for (const WeakScaling* scaling : {&kSmall, &kLarge})
    for (const std::uint32_t count : scaling->wafers)
      if ((wafers == 0 || wafers == count) && (is_large || scaling == &kSmall))
        print_wafers(*scaling, count, repetitions, folder);
  fmt::print(
      "Every packet is simulated, but for exact. by work: work of all processes / crit. s, the work of the "
      "one "
      "that works longest in each window. around s: of the first process, before and after windows. by cpu: "
      "cpu "
      "s of one process / (crit. s + around s). us w.: of a window beyond its work. s, speed-up and us w. "
      "mean "
      "something only with a processor for each process and nobody else. A load of {:.1f} after.\n",
      load_average());
  fs::remove_all(folder);
}

}  // namespace wafertlm
