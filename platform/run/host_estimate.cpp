// SPDX-License-Identifier: Apache-2.0
#include "platform/run/host_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "platform/host/host_memory.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/text/format.h"
#include "workloads/sequencer/listed_iterations.h"

namespace wafertlm {
namespace {

// Measured with ResNet-50 and Transformer-17B on meshes, FRED and fabrics of dimensions of 20 to 4096 NPUs,
// on a server's core of 2023. The more NPUs, the more often the caches miss: a packet's hop takes 0.12 us
// with 20 NPUs and 0.36 us with 1024.
constexpr double kSecondsPerFlitHop = 0.5e-6, kSecondsPerMessageHop = 3e-6, kSecondsPerNode = 2e-6;
constexpr double kSecondsPerMemoryRequest = 0.4e-6;
double seconds_per_packet_hop(double npus) { return 0.1e-6 * std::max(1.0, std::log10(npus)); }
constexpr double kBytesAlways = 24e6, kBytesPerNpu = 25e3, kBytesPerNode = 300;
constexpr double kBytesPerPacketLink = 10e3, kBytesPerMessageLink = 4.5e3;
constexpr double kBytesPerDramStack = 290e3, kBytesPerMemoryEngine = 50e3;
// Of results, while they are made: rows of JSON, and their text.
constexpr double kBytesPerIteration = 60, kBytesPerListedIteration = 12e3, kBytesPerRankRow = 1e3;
constexpr double kBytesPerCollective = 4e3, kBytesPerLinkRow = 2.5e3;
constexpr double kBytesPerCause = 40, kMostCauses = 1 << 19, kMostRows = 1e5;

constexpr double kLongSeconds = 600, kMuchMemory = 0.8;

FabricAbilities abilities_of(const config::ExperimentSpec& experiment) {
  const config::WaferSpec& wafer = experiment.platform.wafer;
  return fabric_kind(wafer).abilities(wafer.fabric);
}

double seconds_per_hop(const config::ExperimentSpec& experiment) {
  const config::WaferSpec& wafer = experiment.platform.wafer;
  const FabricAbilities abilities = abilities_of(experiment);
  if (abilities.hop_s != 0) return abilities.hop_s;
  if (!abilities.packets) return kSecondsPerMessageHop;
  return wafer.fabric.format.by_flit ? kSecondsPerFlitHop : seconds_per_packet_hop(wafer.npu_count());
}

/// What of this platform and workload would make the run shorter and smaller.
std::string ways_out(const config::PlatformSpec& platform, const std::vector<std::string>& of_the_workload) {
  const config::WaferSpec& wafer = platform.wafer;
  const FabricAbilities abilities = fabric_kind(wafer).abilities(wafer.fabric);
  std::vector<std::string> ways;
  if (!abilities.faster.empty()) ways.push_back(abilities.faster);
  if (platform.npu.hbm.level) ways.emplace_back("npu.hbm.level: flow");
  if (abilities.packets && !wafer.fabric.format.by_flit) ways.push_back("a larger wafer.fabric.packet_bytes");
  ways.insert(ways.end(), of_the_workload.begin(), of_the_workload.end());
  ways.push_back(fmt::format("fewer NPUs ({})", fmt::join(fabric_kind(wafer).size_keys(), ", ")));
  return fmt::format("less of it: {}", fmt::join(ways, "; "));
}

std::string ways_out(const config::ExperimentSpec& experiment) {
  std::vector<std::string> ways;
  if (experiment.list_all_iterations) ways.emplace_back("list_all_iterations: false");
  if (experiment.iterations > 1) ways.emplace_back("iterations: 1");
  ways.emplace_back("fewer layers or samples");
  return ways_out(experiment.platform, ways);
}

/// @throws std::invalid_argument: it is more than there is.
void require_room(const char* what, std::uint64_t bytes, std::uint64_t available_bytes,
                  const std::string& ways_out) {
  if (bytes > available_bytes)
    throw std::invalid_argument(
        fmt::format("{} takes about {} of memory, and {} are available; {}. --force runs it all the same",
                    what, format_bytes(bytes), format_bytes(available_bytes), ways_out));
}

bool is_much(std::uint64_t bytes, std::uint64_t available_bytes) {
  return static_cast<double>(bytes) > kMuchMemory * static_cast<double>(available_bytes);
}

std::uint64_t whole_megabytes(double bytes) {
  return static_cast<std::uint64_t>(std::llround(bytes / 1e6)) * 1'000'000;
}

double bytes_of(const config::PlatformSpec& platform, bool one_for_all) {
  const FabricKind& kind = fabric_kind(platform.wafer);
  const double npus = platform.wafer.npu_count();
  const double links = static_cast<double>(kind.traits(platform.wafer).topology->links()) + 2 * npus;
  const bool packets = kind.abilities(platform.wafer.fabric).packets;
  const config::HbmSpec& hbm = platform.npu.hbm;
  if (one_for_all) return kBytesAlways + links * kBytesPerLinkRow;
  return kBytesAlways + npus * kBytesPerNpu + links * (packets ? kBytesPerPacketLink : kBytesPerMessageLink) +
         npus * (hbm.level ? hbm.map.stacks * kBytesPerDramStack : 0) +
         npus * (platform.remote_memory && platform.remote_memory->engine ? kBytesPerMemoryEngine : 0);
}

/// What is kept of iterations until the end, and becomes results.
double bytes_of_iterations(const config::ExperimentSpec& experiment, const Job& job) {
  const ListedIterations listed(experiment.iterations, experiment.list_all_iterations);
  double collectives = 0, causes = 0;
  for (const chakra::TraceSummary& rank : job.summaries) {
    for (const auto& [kind, of_a_kind] : rank.collective_kinds)
      collectives += static_cast<double>(of_a_kind.count) /
                     static_cast<double>(job.groups.ranks(of_a_kind.first.pg_name).size());
    causes += static_cast<double>(rank.nodes) * experiment.iterations;
  }
  const double ranks = job.size(), rows = listed.size() * ranks;
  return experiment.iterations * kBytesPerIteration + listed.size() * kBytesPerListedIteration +
         (rows > kMostRows ? ranks : rows) * kBytesPerRankRow +
         listed.size() * collectives * kBytesPerCollective + std::min(causes, kMostCauses) * kBytesPerCause;
}

std::string duration_text(double seconds) {
  if (seconds < 1) return "less than 1 s";
  if (seconds < 120) return fmt::format("about {:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("about {:.0f} min", seconds / 60);
  return fmt::format("about {:.0f} h", seconds / 3600);
}

}  // namespace

std::string HostEstimate::text() const {
  return fmt::format("{} and {} of memory", duration_text(seconds), format_bytes(bytes));
}

std::uint64_t estimated_bytes(const config::PlatformSpec& platform) {
  return whole_megabytes(bytes_of(platform, false));
}

std::uint64_t estimated_bytes(const config::ExperimentSpec& experiment, const Job& job, bool one_for_all) {
  double nodes = 0;
  for (const chakra::TraceSummary& rank : job.summaries)
    nodes +=
        static_cast<double>(std::min<std::uint64_t>(rank.nodes, experiment.platform.sequencer.look_ahead));
  if (one_for_all) nodes /= job.size();
  return whole_megabytes(bytes_of(experiment.platform, one_for_all) + nodes * kBytesPerNode +
                         bytes_of_iterations(experiment, job));
}

HostEstimate host_estimate(const config::ExperimentSpec& experiment, const Job& job, const JobWork& work,
                           bool accelerated, bool one_for_all) {
  const double per_hop = seconds_per_hop(experiment), part = one_for_all ? 1.0 / job.size() : 1;
  const double hops = accelerated ? work.new_hops : work.hops;
  const double requests = work.loaded_bytes / experiment.platform.npu.hbm.requests.request_bytes;
  return {part * (hops * per_hop + work.nodes * kSecondsPerNode + requests * kSecondsPerMemoryRequest),
          estimated_bytes(experiment, job, one_for_all)};
}

void require_host_memory(const config::ExperimentSpec& experiment, std::uint64_t bytes,
                         std::uint64_t available_bytes) {
  require_room("the run", bytes, available_bytes, ways_out(experiment));
}

void require_host_memory(const config::PlatformSpec& platform, std::uint64_t side_by_side, bool force) {
  const std::uint64_t bytes = side_by_side * estimated_bytes(platform), available = available_memory_bytes();
  std::vector<std::string> ways;
  if (side_by_side > 1) ways.emplace_back("--jobs 1");
  if (!force) require_room("this", bytes, available, ways_out(platform, ways));
  if (is_much(bytes, available))
    fmt::print(stderr,
               "warning: this takes about {} of memory, within a factor of 3 ({} are available); {}\n",
               format_bytes(bytes), format_bytes(available), ways_out(platform, ways));
}

std::string host_warning(const config::ExperimentSpec& experiment, const HostEstimate& estimate,
                         std::uint64_t available_bytes) {
  if (estimate.seconds <= kLongSeconds && !is_much(estimate.bytes, available_bytes)) return "";
  return fmt::format("warning: the run takes {}, within a factor of 3 ({} are available); {}\n",
                     estimate.text(), format_bytes(available_bytes), ways_out(experiment));
}

}  // namespace wafertlm
