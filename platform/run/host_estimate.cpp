// SPDX-License-Identifier: Apache-2.0
#include "platform/run/host_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "platform/spec/fabric_kinds.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

// Measured with ResNet-50 and Transformer-17B on meshes, FRED and fabrics of dimensions of 20 to 4096 NPUs,
// on a server's core of 2023. The more NPUs, the more often the caches miss: a packet's hop takes 0.12 us
// with 20 NPUs and 0.36 us with 1024.
constexpr double kSecondsPerFlitHop = 0.5e-6, kSecondsPerMessageHop = 3e-6, kSecondsPerNode = 2e-6;
double seconds_per_packet_hop(double npus) { return 0.1e-6 * std::max(1.0, std::log10(npus)); }
constexpr double kBytesAlways = 24e6, kBytesPerNpu = 25e3, kBytesPerNode = 300;
constexpr double kBytesPerPacketLink = 10e3, kBytesPerMessageLink = 4.5e3;

constexpr double kLongSeconds = 600, kMuchMemory = 0.8;

FabricAbilities abilities_of(const config::ExperimentSpec& experiment) {
  const config::WaferSpec& wafer = experiment.platform.wafer;
  return fabric_kind(wafer).abilities(wafer.fabric);
}

double seconds_per_hop(const config::ExperimentSpec& experiment) {
  const config::WaferSpec& wafer = experiment.platform.wafer;
  if (!abilities_of(experiment).packets) return kSecondsPerMessageHop;
  return wafer.fabric.format.by_flit ? kSecondsPerFlitHop : seconds_per_packet_hop(wafer.npu_count());
}

/// What of this platform and workload would make the run shorter and smaller.
std::string ways_out(const config::ExperimentSpec& experiment) {
  const config::WaferSpec& wafer = experiment.platform.wafer;
  const FabricAbilities abilities = abilities_of(experiment);
  std::vector<std::string> ways;
  if (!abilities.faster.empty()) ways.push_back(abilities.faster);
  if (abilities.packets && !wafer.fabric.format.by_flit) ways.push_back("a larger wafer.fabric.packet_bytes");
  if (experiment.iterations > 1) ways.push_back("iterations: 1");
  ways.push_back("fewer layers or samples");
  ways.push_back(fmt::format("fewer NPUs ({})", fmt::join(fabric_kind(wafer).size_keys(), ", ")));
  return fmt::format("less of it: {}", fmt::join(ways, "; "));
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

std::uint64_t estimated_bytes(const config::PlatformSpec& platform, const Job& job) {
  const FabricKind& kind = fabric_kind(platform.wafer);
  const double npus = platform.wafer.npu_count();
  const double links = static_cast<double>(kind.traits(platform.wafer).topology->links()) + 2 * npus;
  double nodes = 0;
  for (const chakra::TraceSummary& rank : job.summaries)
    nodes += static_cast<double>(std::min<std::uint64_t>(rank.nodes, platform.sequencer.look_ahead));
  const bool packets = kind.abilities(platform.wafer.fabric).packets;
  const double bytes = kBytesAlways + npus * kBytesPerNpu + nodes * kBytesPerNode +
                       links * (packets ? kBytesPerPacketLink : kBytesPerMessageLink);
  return static_cast<std::uint64_t>(std::llround(bytes / 1e6)) * 1'000'000;
}

HostEstimate host_estimate(const config::ExperimentSpec& experiment, const Job& job, const JobWork& work) {
  const double per_hop = seconds_per_hop(experiment);
  return {experiment.iterations * (work.hops * per_hop + work.nodes * kSecondsPerNode),
          estimated_bytes(experiment.platform, job)};
}

void require_host_memory(const config::ExperimentSpec& experiment, std::uint64_t bytes,
                         std::uint64_t available_bytes) {
  if (bytes <= available_bytes) return;
  throw std::invalid_argument(
      fmt::format("the run takes about {} of memory, and {} are available; {}. --force runs it all the same",
                  format_bytes(bytes), format_bytes(available_bytes), ways_out(experiment)));
}

std::string host_warning(const config::ExperimentSpec& experiment, const HostEstimate& estimate,
                         std::uint64_t available_bytes) {
  const bool is_large =
      static_cast<double>(estimate.bytes) > kMuchMemory * static_cast<double>(available_bytes);
  if (estimate.seconds <= kLongSeconds && !is_large) return "";
  return fmt::format("warning: the run takes {}, within a factor of 3 ({} are available); {}\n",
                     estimate.text(), format_bytes(available_bytes), ways_out(experiment));
}

}  // namespace wafertlm
