// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/bench_peers.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr char kAstraSim[] = "AstraSim_Analytical_Congestion_Aware";

/// A collective of all NPUs, or a workload file whose traces are generated.
struct PeerCase {
  const char* name;
  std::vector<const char*> topology;
  std::vector<std::uint32_t> npus;
  const char* implementation;
  chakra::CollectiveType type = chakra::CollectiveType::AllReduce;
  std::uint64_t bytes = 0;
  Words workload = {};  ///< in place of a collective: what `workload generate` gets, below configs/workloads
};

const PeerCase kPeerCases[] = {
    {"ring all-reduce, 1024", {"Ring"}, {1024}, "ring", chakra::CollectiveType::AllReduce, 64 << 20},
    {"Switch all-to-all, 1024", {"Switch"}, {1024}, "direct", chakra::CollectiveType::AllToAll, 64 << 20},
    {"halving-doubling, 1024",
     {"Switch"},
     {1024},
     "halvingDoubling",
     chakra::CollectiveType::AllReduce,
     64 << 20},
    {"torus 32x32", {"Ring", "Ring"}, {32, 32}, "ring", chakra::CollectiveType::AllReduce, 64 << 20},
    {"FullyConnected 64", {"FullyConnected"}, {64}, "direct", chakra::CollectiveType::AllReduce, 64 << 20},
    {"ring 64", {"Ring"}, {64}, "ring", chakra::CollectiveType::AllReduce, 64 << 20},
    {"ResNet-50, ring 64",
     {"Ring"},
     {64},
     "ring",
     {},
     0,
     {"resnet50_dp20.yaml", "--set", "data_parallel=64"}},
};

/// Of a run of a program.
struct Measured {
  double cpu_s = 0, peak_mb = 0, simulated_ns = 0;
};

/// Runs a program in a folder to its end and reads what it prints; none if it fails.
std::optional<Measured> measured(const Words& command, const std::string& folder,
                                 const std::function<double(const std::string&)>& simulated_ns) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) _exit(127);  // where it may leave a log
    dup2(ends[1], STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    close(ends[0]);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char block[4096];
  for (ssize_t bytes = 0; (bytes = read(ends[0], block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(bytes));
  close(ends[0]);
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) throw std::runtime_error("a program could not be run");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return Measured{seconds(usage.ru_utime) + seconds(usage.ru_stime),
                  static_cast<double>(usage.ru_maxrss) * 1024 / 1e6, simulated_ns(text)};
}

/// "… finished, 64440 cycles, …" of the rank that is last; a cycle is a nanosecond.
double last_cycle(const std::string& text) {
  static const std::regex finished("finished, ([0-9]+) cycles");
  double last = 0;
  for (std::sregex_iterator each(text.begin(), text.end(), finished), end; each != end; ++each)
    last = std::max(last, std::stod((*each)[1]));
  return last;
}

bool is_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

template <typename List>
std::string joined(const List& list) {
  std::string text;
  for (const auto& each : list) text += (text.empty() ? "" : ", ") + fmt::format("{}", each);
  return "[ " + text + " ]";
}

void write_traces(const PeerCase& c, const std::string& prefix) {
  std::uint32_t ranks = 1;
  for (const std::uint32_t size : c.npus) ranks *= size;
  chakra::Node node;
  node.id = 1;
  node.name = "collective";
  node.type = chakra::NodeType::CommColl;
  node.comm_type = c.type;
  node.comm_size = c.bytes;
  node.involved_dim.assign(c.npus.size(), true);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    chakra::VectorSource source("rank", {node});
    chakra::write_trace(source, prefix + "." + std::to_string(rank) + ".et");
  }
}

/// Files of ASTRA-sim, and its options for them: 50 GB/s and 500 ns a link, four chunks one after the other.
Words inputs(const PeerCase& c, const std::string& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::string prefix = folder + "/job";
  if (c.workload.empty()) {
    write_traces(c, prefix);
  } else {
    Words command = {WAFERTLM_EXECUTABLE, "workload", "generate"};
    command.insert(command.end(), c.workload.begin(), c.workload.end());
    command[3] = std::string(WAFERTLM_SOURCE_DIR) + "/configs/workloads/" + command[3];
    command.insert(command.end(), {"--out", folder});
    if (!measured(command, folder, [](const std::string&) { return 0; }))
      throw std::runtime_error("no traces");
    prefix = folder + "/" + fs::path(c.workload.front()).stem().string();
  }
  const std::vector<double> rates(c.npus.size(), 50), latencies(c.npus.size(), 500);
  std::ofstream(folder + "/network.yml")
      << fmt::format("topology: {}\nnpus_count: {}\nbandwidth: {}\nlatency: {}\n", joined(c.topology),
                     joined(c.npus), joined(rates), joined(latencies));
  const std::vector<std::string> all(c.npus.size(), c.implementation);
  std::ofstream(folder + "/system.json") << nlohmann::json{{"scheduling-policy", "LIFO"},
                                                           {"endpoint-delay", 10},
                                                           {"active-chunks-per-dimension", 1},
                                                           {"preferred-dataset-splits", 4},
                                                           {"all-reduce-implementation", all},
                                                           {"all-gather-implementation", all},
                                                           {"reduce-scatter-implementation", all},
                                                           {"all-to-all-implementation", all},
                                                           {"collective-optimization", "localBWAware"},
                                                           {"local-mem-bw", 1600},
                                                           {"boost-mode", 0}};
  std::ofstream(folder + "/memory.json") << R"({"memory-type": "NO_MEMORY_EXPANSION"})";
  return {"--workload-configuration=" + prefix, "--system-configuration=" + folder + "/system.json",
          "--network-configuration=" + folder + "/network.yml",
          "--remote-memory-configuration=" + folder + "/memory.json"};
}

/// The run with the median of the processor seconds; none if one failed.
struct Runs {
  std::vector<Measured> all = {};
  bool failed = false;

  void add(const std::optional<Measured>& run) {
    failed = failed || !run;
    if (run) all.push_back(*run);
  }
  std::optional<Measured> median() {
    if (failed || all.empty()) return {};
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cpu_s < b.cpu_s; });
    return all[all.size() / 2];
  }
};

std::string columns(const std::optional<Measured>& run) {
  return run ? fmt::format(" {:>9.3f} {:>8.1f} {:>14.0f}", run->cpu_s, run->peak_mb, run->simulated_ns)
             : fmt::format(" {:>9} {:>8} {:>14}", "-", "-", "-");
}

void print_row(const PeerCase& c, unsigned long repetitions, const std::string& folder) {
  const Words options = inputs(c, folder);
  Words theirs = options, ours = options;
  theirs.insert(theirs.begin(), kAstraSim);
  ours.insert(ours.begin(), {WAFERTLM_EXECUTABLE, "astra-sim"});
  ours.insert(ours.end(), {"--out", folder + "/out", "--force"});
  Runs their_runs, our_runs;
  for (unsigned long k = 0; k < repetitions; ++k) {
    if (!their_runs.failed) their_runs.add(measured(theirs, folder, last_cycle));
    fs::remove_all(folder + "/out");  // what is there would be checked before it is replaced
    our_runs.add(measured(ours, folder, [&](const std::string&) {
      std::ifstream results(folder + "/out/results.json");
      return nlohmann::json::parse(results).at("iteration_time_s").get<double>() * 1e9;
    }));
  }
  const std::optional<Measured> of_theirs = their_runs.median(), of_ours = our_runs.median();
  fmt::print("{:<26}{}{}", c.name, columns(of_theirs), columns(of_ours));
  if (of_theirs && of_ours)
    fmt::print(" {:>8.2f} {:>8.2f} {:>8.4f}", of_theirs->cpu_s / of_ours->cpu_s,
               of_theirs->peak_mb / of_ours->peak_mb, of_ours->simulated_ns / of_theirs->simulated_ns);
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

void print_peers(const std::vector<std::string>& arguments) {
  if (!is_on_path(kAstraSim)) {
    fmt::print("{} is not on the PATH: nothing to measure beside\n", kAstraSim);
    return;
  }
  std::regex which("");
  unsigned long repetitions = 3;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (arguments[k] == "--repetitions" && k + 1 < arguments.size())
      repetitions = std::max(1UL, std::stoul(arguments[++k]));
    else
      which = arguments[k];
  const std::string folder =
      (fs::temp_directory_path() / ("wafertlm_bench_" + std::to_string(getpid()))).string();
  fmt::print("{:<26} {:>9} {:>8} {:>14} {:>9} {:>8} {:>14} {:>8} {:>8} {:>8}\n", "beside ASTRA-sim", "its s",
             "MB", "simulated ns", "our s", "MB", "simulated ns", "faster", "smaller", "times");
  for (const PeerCase& c : kPeerCases)
    if (std::regex_search(c.name, which)) print_row(c, repetitions, folder);
  fs::remove_all(folder);
}

}  // namespace wafertlm
