// SPDX-License-Identifier: Apache-2.0
#include "platform/results/idle_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/npu/compute_engine.h"
#include "platform/spec/descriptions.h"

namespace wafertlm::results {
namespace {

/// What a run has looked at.
struct Looks {
  bool has_generation = false;
  bool memory = false;  ///< something was read or written, or a roofline has counted bytes
  bool rate = false;    ///< a computation took the time that a model tells
  bool operations = false;
  bool streams = false;  ///< an I/O controller has sent or received
  bool wafers = false;   ///< I/O controllers lead to other wafers
};

struct Group {
  std::vector<const char*> keys;  ///< below `platform`; with all keys below them
  std::vector<const char*> but = {};
  bool (*is_idle)(const Looks&);
  const char* why;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> rows = {
      {{"npu.hbm.read_bandwidth", "npu.hbm.write_bandwidth"},
       {},
       [](const Looks& looks) { return looks.has_generation && looks.memory; },
       "npu.hbm.generation tells the bandwidth"},
      {{"npu.hbm"},
       {"npu.hbm.capacity", "npu.hbm.rtl"},
       [](const Looks& looks) { return !looks.memory; },
       "nothing reads or writes the memory, and no computation takes the time that a model tells"},
      {{"wafer.io"},
       {"wafer.io.controllers"},
       [](const Looks& looks) { return !looks.streams && !looks.wafers; },
       "nothing passes an I/O controller"},
      {{"wafer.io.chunk"},
       {},
       [](const Looks& looks) { return looks.wafers; },
       "streams do not go over several wafers"},
      {{"npu.compute.precision", "npu.compute.fp64", "npu.compute.fp32", "npu.compute.tf32",
        "npu.compute.bf16", "npu.compute.fp16", "npu.compute.fp8", "npu.compute.int8", "npu.compute.systolic",
        "npu.compute.model"},
       {},
       [](const Looks& looks) { return !looks.rate; },
       "all durations are those of the workload"},
      {{"npu.peak"},
       {},
       [](const Looks& looks) { return !looks.rate && !looks.operations; },
       "all durations are those of the workload, which does not tell its operations"}};
  return rows;
}

Looks looks_of(const config::ExperimentSpec& experiment, const Job& job, const Measurements& measured) {
  Looks looks;
  looks.wafers = experiment.platform.wafer.outer.has_value();
  looks.streams = std::any_of(job.summaries.begin(), job.summaries.end(),
                              [](const chakra::TraceSummary& rank) { return rank.io_streams != 0; });
  looks.has_generation = !experiment.platform.npu.hbm.generation.empty();
  for (const MemoryMeasurements& memory : measured.memories)
    for (const MemoryUse& use : memory.uses) looks.memory = looks.memory || use.bytes != 0;
  const ComputeEngine engine(config::compute_params(experiment.platform, NpuId{0}));
  for (const NpuMeasurements& npu : measured.npus)
    for (std::size_t i = 0; i < npu.uses.size(); ++i)
      if (npu.uses[i].computations != 0 && engine.uses()[i].model->has_rate())
        looks.rate = looks.memory = true;
  return looks;
}

/// Keys of `map` whose values are not those of `plain`, with their paths.
void add_changed(const config::Node& map, const config::Node* plain, const std::string& above,
                 std::vector<std::string>& paths) {
  for (const config::Node::Entry& entry : map.entries) {
    const config::Node* const other = plain ? plain->find(entry.key) : nullptr;
    if (entry.value.kind == config::Node::Kind::map)
      add_changed(entry.value, other, above + entry.key + ".", paths);
    else if (!other || !config::same_values(entry.value, *other))
      paths.push_back(above + entry.key);
  }
}

/// Of NPUs and I/O controllers, what is not as it is by default: the same of a file and of all of its keys.
std::vector<std::string> changed_keys(const config::PlatformSpec& platform) {
  config::PlatformSpec plain = platform;
  plain.npu = {};
  plain.wafer.io = {};
  const auto type = config::platform_type();
  const config::Node by_default = type->write(plain);
  std::vector<std::string> paths;
  add_changed(type->write(platform), &by_default, "", paths);
  return paths;
}

bool is_below(const std::string& path, const char* key) {
  const std::string start(key);
  return path.compare(0, start.size(), start) == 0 &&
         (path.size() == start.size() || path[start.size()] == '.' || path[start.size()] == '[');
}

}  // namespace

std::vector<std::string> idle_keys(const config::ExperimentSpec& experiment, const Job& job,
                                   const Measurements& measured, const IterationWork& work) {
  Looks looks = looks_of(experiment, job, measured);
  looks.operations = work.operations.has_value();
  const std::vector<std::string> changed = changed_keys(experiment.platform);
  std::vector<std::string> lines;
  for (const Group& group : groups()) {
    if (!group.is_idle(looks)) continue;
    const auto is_any = [](const std::string& path, const std::vector<const char*>& keys) {
      return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return is_below(path, key); });
    };
    std::vector<std::string> given;
    for (const std::string& path : changed)
      if (is_any(path, group.keys) && !is_any(path, group.but)) given.push_back(path);
    if (!given.empty())
      lines.push_back(fmt::format("{} {} nothing here: {}", fmt::join(given, ", "),
                                  given.size() == 1 ? "changes" : "change", group.why));
  }
  return lines;
}

}  // namespace wafertlm::results
