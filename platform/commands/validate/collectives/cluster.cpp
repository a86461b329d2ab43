// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/collectives/cluster.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "platform/commands/validate/row_text.h"
#include "platform/spec/load.h"

namespace wafertlm::validate {
namespace {

std::string library_of(const ValidationRow& row) {
  return says(row.operation, "dispatch|combine")                    ? "DeepEP"
         : says(row.operation + row.system, "MSCCL")                ? "MSCCL++"
         : says(row.operation + row.system, "RCCL|\\bMI[23]\\d\\d") ? "RCCL"
                                                                    : "NCCL";
}

/// By the system's name, with the row's GPUs and network interfaces.
std::string preset_of(const ValidationRow& row, Cluster& cluster, std::vector<std::string>& changes) {
  const MeasuredSystem& system = system_of(row);
  const std::uint32_t gpus = std::min(system.gpus, cluster.ranks), servers = cluster.ranks / gpus;
  if (servers * gpus != cluster.ranks)
    throw CannotSay(fmt::format("{} GPUs are no whole number of servers of {}", cluster.ranks, gpus));
  const std::string preset = servers == 1 ? system.server : system.cluster;
  if (preset.empty()) throw CannotSay("no preset of several servers of this system");
  cluster.name = std::filesystem::path(preset).stem().string();
  // A preset of one size stands for that alone.
  if (servers != 1 || gpus != system.gpus)
    changes.push_back(fmt::format("wafer.fabric.dimensions[0].size={}", gpus));
  if (servers == 1) {
    cluster.name += fmt::format(" of {}", gpus);
    return preset;
  }
  const double nic =
      nic_rate(row.topology, system.gpus).value_or(static_cast<double>(system.nic_bytes_per_s));
  if (nic <= 0) throw CannotSay("neither the row nor the preset says the network interfaces");
  changes.push_back(fmt::format("wafer.fabric.dimensions[1].size={}", servers));
  changes.push_back(
      fmt::format("wafer.fabric.dimensions[1].bandwidth={} MB/s", static_cast<std::uint64_t>(nic / 1e6)));
  cluster.name += fmt::format(" of {}x{}, {} each", servers, gpus, format_bandwidth(nic));
  return preset;
}

}  // namespace

Cluster cluster_of(const ValidationRow& row) {
  const auto ranks = leading_count(row.ranks);
  if (!ranks || *ranks < 2) throw CannotSay("ranks say no number of GPUs above 1");
  Cluster cluster;
  cluster.ranks = *ranks;
  std::string preset = row.preset;
  std::vector<std::string> changes = row.changes;
  if (preset.empty())
    preset = preset_of(row, cluster, changes);
  else
    cluster.name = std::filesystem::path(preset).stem().string();
  const std::string library = library_of(row);
  if (library == "MSCCL++") {
    changes.insert(changes.end(), {"npu.endpoint=mscclpp", "collectives.choice=planner"});
    cluster.name += ", " + library;
  }
  if (const Intercept* const known = intercept_of(row, library)) {
    changes.push_back(fmt::format("npu.endpoint.launch_cost={} ps", known->launch_cost_ps));
    cluster.calibrated_by = known->row;
  }
  cluster.spec = config::load_platform(preset, changes);
  cluster.pipelines = library != "MSCCL++";
  return cluster;
}

}  // namespace wafertlm::validate
