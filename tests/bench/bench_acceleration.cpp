// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/bench_acceleration.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <regex>
#include <stdexcept>

#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm {
namespace {

using Words = std::vector<std::string>;

struct AccelerationCase {
  std::string name;
  Words command;               // of the program
  bool gains_nothing = false;  // exact may cost 5 % more, and does not count in the mean
};

/// Every rank sends a packet to any other, time and again, and receives all that come.
std::string write_uniform_job(const std::string& platform, const std::string& folder) {
  constexpr std::uint32_t kRanks = 20, kMessages = 2000;
  std::filesystem::create_directories(folder);
  std::mt19937_64 random(1);
  std::vector<std::vector<chakra::Node>> nodes(kRanks);
  const auto add = [&](std::uint32_t rank, chakra::NodeType type) -> chakra::Node& {
    chakra::Node& node = nodes[rank].emplace_back();
    node.id = nodes[rank].size();
    node.name = "n";
    node.type = type;
    node.comm_size = 4096;
    return node;
  };
  std::vector<std::uint64_t> before(kRanks);  // computation of a rank
  for (std::uint32_t k = 0; k < kMessages * kRanks; ++k) {
    const std::uint32_t from = k % kRanks;
    const auto to = static_cast<std::uint32_t>((from + 1 + random() % (kRanks - 1)) % kRanks);
    chakra::Node& compute = add(from, chakra::NodeType::Comp);
    compute.duration_ps = random() % 100'000;
    if (before[from] != 0) compute.data_deps = {before[from]};
    before[from] = compute.id;
    chakra::Node& send = add(from, chakra::NodeType::CommSend);
    send.data_deps = {before[from]};
    send.comm_dst = to;
    send.comm_tag = k;
    chakra::Node& receive = add(to, chakra::NodeType::CommRecv);
    receive.comm_src = from;
    receive.comm_tag = k;
  }
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    chakra::VectorSource source("rank", nodes[rank]);
    chakra::write_trace(source, folder + "/job." + std::to_string(rank) + ".et");
  }
  const std::string path = folder + "/experiment.yaml";
  std::ofstream(path) << "experiment: uniform\nplatform: " << platform
                      << "\nworkload: {workload: uniform, chakra: job}\n";
  return path;
}

std::vector<AccelerationCase> acceleration_cases(const std::string& out) {
  const std::string configs = std::string(WAFERTLM_SOURCE_DIR) + "/configs/";
  const Words small = {"--set", "wafer.fabric.packet_bytes=4KiB"};
  const auto collective = [&](const char* platform, const char* size) {
    Words words = {"collective", configs + "platforms/" + platform, "--type", "all_reduce", "--size", size};
    words.insert(words.end(), small.begin(), small.end());
    return words;
  };
  const auto experiment = [&](const std::string& path, const Words& more) {
    Words words = {"run", path, "--out", out, "--force"};
    words.insert(words.end(), small.begin(), small.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  std::vector<AccelerationCase> cases = {
      {"all-reduce of 1 GiB, 5x4", collective("wafer_mesh_5x4.yaml", "1GiB")},
      {"all-reduce of 64 MiB, 32x32", collective("wafer_mesh_32x32.yaml", "64MiB")}};
  std::vector<std::string> presets;
  for (const auto& file : std::filesystem::directory_iterator(configs + "experiments"))
    presets.push_back(file.path());
  std::sort(presets.begin(), presets.end());
  for (const std::string& path : presets)
    cases.push_back({std::filesystem::path(path).stem(), experiment(path, {})});
  // Nothing repeats here.
  cases.push_back({"single packets, uniform, 5x4",
                   experiment(write_uniform_job(configs + "platforms/wafer_mesh_5x4.yaml", out + ".job"), {}),
                   true});
  cases.push_back(
      {"jitter, resnet50_dp20_mesh_5x4",
       experiment(configs + "experiments/resnet50_dp20_mesh_5x4.yaml",
                  {"--set", "npu.compute.jitter=uniform", "--set", "npu.compute.jitter_percent=20"}),
       true});
  return cases;
}

/// Processor seconds of the program, user and system; none if they passed the limit.
std::optional<double> processor_seconds(Words command, const char* acceleration, rlim_t limit_s) {
  command.insert(command.begin(), WAFERTLM_EXECUTABLE);
  command.insert(command.end(), {"--set", std::string("run.acceleration=") + acceleration});
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{limit_s, limit_s + 1};
    setrlimit(RLIMIT_CPU, &limit);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) throw std::runtime_error("a program could not be run");
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) return {};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(command[1] + " " + command[2] + " failed");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Of the packets of the run whose results lie in `folder`, in per cent: skipped in periods, played in
/// episodes, simulated in short messages, and the other ones that were simulated; empty without results.
std::string shares_of_packets(const std::string& folder) {
  std::ifstream file(folder + "/results.json");
  if (!file) return {};
  const auto accelerated = nlohmann::json::parse(file)["host"]["accelerated"];
  const auto packets = accelerated.find("packets");
  if (packets == accelerated.end()) return "  " + accelerated.value("off_because", std::string());
  const auto count = [&](const char* name) { return packets->at(name).get<double>(); };
  const double all = count("simulated") + count("in_periods") + count("in_episodes"),
               of_short = std::min(count("of_short_messages"), count("simulated"));
  if (all == 0) return {};
  return fmt::format(" {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}", 100 * count("in_periods") / all,
                     100 * count("in_episodes") / all, 100 * of_short / all,
                     100 * (count("simulated") - of_short) / all);
}

/// Of a case in one mode.
struct Times {
  const char* acceleration;
  std::vector<double> seconds = {};
  bool is_over = false;  // the limit

  void run(const Words& command, unsigned long limit_s) {
    const std::optional<double> time_s = processor_seconds(command, acceleration, limit_s);
    is_over = !time_s;
    seconds.push_back(time_s.value_or(static_cast<double>(limit_s)));
  }
  double time_s() const { return is_over ? seconds.back() : median_of(seconds); }
  std::string text(unsigned long limit_s) const {
    return is_over ? fmt::format("> {}", limit_s) : fmt::format("{:.2f}", time_s());
  }
};

double ratio(const Times& off, const Times& mode) { return off.time_s() / mode.time_s(); }

/// Its time, and how many times faster it is.
std::string column(const Times& off, const Times& mode, unsigned long limit_s) {
  return fmt::format(
      " {:>10} {:>9}", mode.text(limit_s),
      mode.is_over ? std::string("-") : fmt::format("{}{:.2f}", off.is_over ? "> " : "", ratio(off, mode)));
}

/// Geometric, of ratios that are known.
struct Mean {
  double sum = 0;
  int counted = 0;

  void add(const Times& off, const Times& mode) {
    if (mode.is_over) return;
    sum += std::log(ratio(off, mode));
    ++counted;
  }
  std::string text() const {
    return counted == 0 ? "-" : fmt::format("{:.2f} of {} ratios", std::exp(sum / counted), counted);
  }
};

}  // namespace

void print_acceleration(const std::vector<std::string>& arguments) {
  std::regex which("");
  unsigned long repetitions = 3, limit_s = 600;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const bool has_value = k + 1 < arguments.size();
    if (arguments[k] == "--repetitions" && has_value)
      repetitions = std::max(1UL, std::stoul(arguments[++k]));
    else if (arguments[k] == "--limit" && has_value)
      limit_s = std::stoul(arguments[++k]);
    else
      which = arguments[k];
  }
  const std::string out =
      (std::filesystem::temp_directory_path() / ("wafertlm_bench_" + std::to_string(getpid()))).string();
  fmt::print("{:<40} {:>10} {:>10} {:>9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "run.acceleration", "off s",
             "exact s", "ratio", "sampled s", "ratio", "periods %", "played %", "short %", "other %");
  Mean exact_mean, sampled_mean;
  for (const AccelerationCase& each : acceleration_cases(out)) {
    if (!std::regex_search(each.name, which)) continue;
    std::filesystem::remove(out + "/results.json");
    Times off{"off"}, exact{"exact"}, sampled{"sampled"};
    std::vector<Times*> modes = {&off, &exact};
    if (each.command.front() == "run") modes.push_back(&sampled);
    std::string shares;  // of exact
    for (unsigned long k = 0; k < repetitions; ++k)
      for (Times* const mode : modes) {
        if (!mode->is_over) mode->run(each.command, limit_s);
        if (mode == &exact && !mode->is_over) shares = shares_of_packets(out);
      }
    fmt::print("{:<40} {:>10}{}", each.name, off.text(limit_s), column(off, exact, limit_s));
    fmt::print("{}{}", modes.size() == 3 ? column(off, sampled, limit_s) : std::string(21, ' '), shares);
    const bool is_slower = each.gains_nothing && ratio(off, exact) < 1 / 1.05;
    fmt::print("{}\n", is_slower ? " (!)" : "");
    std::fflush(stdout);
    if (each.gains_nothing) continue;
    exact_mean.add(off, exact);
    if (modes.size() == 3) sampled_mean.add(off, sampled);
  }
  fmt::print("geometric means: exact {}, sampled {}\n", exact_mean.text(), sampled_mean.text());
  std::filesystem::remove_all(out);
  std::filesystem::remove_all(out + ".job");
}

}  // namespace wafertlm
