// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/collective/collective_setup.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <stdexcept>

#include "platform/machine/wafer.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/ranges.h"
#include "platform/spec/tuned.h"
#include "platform/text/quantity.h"
#include "platform/text/suggest.h"
#include "workloads/collectives/algorithm/shared_links.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/custom/algorithm.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm {
namespace {

CollectiveType type_of(const std::string& name) {
  if (name == "weight_load") return CollectiveType::broadcast;
  if (name == "gradient_store") return CollectiveType::reduce;
  for (const CollectiveType type : kCollectiveTypes)
    if (name == to_string(type)) return type;
  throw std::invalid_argument("no collective '" + name + "'");  // the option's check refuses it before
}

std::uint64_t seed_of(const std::string& text, std::uint64_t otherwise) {
  if (text.empty()) return otherwise;
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("--seed " + text + ": expected a whole number");
  return seed;
}

/// "7:10us,12:1us".
std::map<NpuId, TimePs> parse_late(const std::string& text, std::uint32_t npus) {
  std::map<NpuId, TimePs> late;
  std::istringstream list(text);
  for (std::string entry; std::getline(list, entry, ',');) {
    const std::size_t colon = entry.find(':');
    const auto fail = [&](const std::string& why) {
      throw std::invalid_argument("--late " + text + ": '" + entry + "' " + why +
                                  "; expected NPU:TIME, for instance 7:10us");
    };
    std::uint32_t npu = 0;
    const auto [end, error] =
        std::from_chars(entry.data(), entry.data() + std::min(colon, entry.size()), npu);
    if (colon == std::string::npos || error != std::errc() || end != entry.data() + colon)
      fail("names no NPU and time");
    if (npu >= npus) fail("is not on the wafer, which has NPUs 0 to " + std::to_string(npus - 1));
    TimePs by = 0;
    try {
      by = config::parse_time(entry.substr(colon + 1));
    } catch (const config::QuantityError& error_of) {
      fail(std::string("has no time: ") + error_of.what());
    }
    if (!late.emplace(static_cast<NpuId>(npu), by).second) fail("names an NPU twice");
  }
  return late;
}

void require_unused(const std::string& value, const std::string& option, const std::string& why) {
  if (!value.empty()) throw std::invalid_argument(option + " " + value + ": " + why + "; leave it out");
}

void require_class(const config::PlatformSpec& spec, const std::string& name,
                   const CollectiveOptions& options) {
  std::vector<std::string> names;
  for (const config::TrafficClassSpec& entry : spec.wafer.fabric.classes) names.push_back(entry.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  std::string text = "no traffic class '" + name + "'" + config::suggestion(name, names, "the platform has");
  if (!options.parallelism.empty())
    text += "; --parallelism needs classes of the names of its groups (wafer.fabric.classes)";
  else if (options.traffic_class.empty())
    text += "; it is taken when no --class is given: choose one";
  else if (name == "all")
    text += "; all workers as a group need --parallelism";
  throw std::invalid_argument(text);
}

}  // namespace

CollectiveSetup::CollectiveSetup(const config::PlatformSpec& spec, const CollectiveOptions& options)
    : streams_(options.type == "weight_load" || options.type == "gradient_store"),
      functional_(spec.run.functional),
      stream_chunk_bytes_(spec.wafer.io.chunk_bytes) {
  request_.type = type_of(options.type);
  request_.chunks = spec.collectives.requested_chunks();
  request_.root = options.root.value_or(0);
  request_.data_type = spec.run.data_type;
  request_.split_percent = spec.collectives.split_percent;
  if (options.parallelism.empty() && options.placement != "paper")
    throw std::invalid_argument("--placement " + options.placement +
                                " places the workers of a --parallelism; give one, or leave it out");
  if (options.root && (streams_ || !has_root(request_.type)))
    throw std::invalid_argument("--root " + std::to_string(*options.root) + ": " + options.type +
                                " has no root; leave it out");
  if (options.placement != "random")
    require_unused(options.seed, "--seed", "only --placement random has a seed");
  late_ = parse_late(options.late, spec.wafer.npu_count());
  if (streams_) {
    const std::string why = options.type + " goes to all NPUs along its own trees";
    require_unused(options.parallelism, "--parallelism", why);
    require_unused(options.npus, "--npus", why);
    require_unused(options.algorithm, "--algorithm", why);
    stream_class_ = options.traffic_class.empty() ? "weights" : options.traffic_class;
    require_class(spec, stream_class_, options);
    if (const auto table = tuned_choice(spec.collectives)) table->refuse_unused();
    return;
  }
  const bool is_table = config::names_tuning_table(options.algorithm);
  if (is_table) tuned_ = std::make_shared<const TunedChoice>(options.algorithm);
  const std::string custom = is_table                                 ? ""
                             : is_custom_algorithm(options.algorithm) ? options.algorithm
                             : options.algorithm.empty() ? spec.collectives.custom.of(request_.type)
                                                         : "";
  if (!custom.empty())
    request_.custom = read_custom_algorithms(custom, request_.type);
  else if (options.algorithm.empty())
    request_.algorithm = platform_algorithm(spec.collectives, request_.type);
  else if (!is_table && !is_paper_policy(options.algorithm))
    request_.algorithm = options.algorithm;
  if (options.algorithm.empty()) {
    tuned_ = tuned_choice(spec.collectives);
    if (tuned_ && (request_.custom || !request_.algorithm.empty())) tuned_->refuse_unused();
  }
  if (options.parallelism.empty())
    lanes_.push_back({options.traffic_class.empty() ? "dp" : options.traffic_class,
                      {parse_npus(options.npus, spec.wafer.npu_count(),
                                  fabric_kind(spec.wafer).failed_npus(spec.wafer.fabric))}});
  else
    lanes_ = parallel_lanes(spec, options);
  for (const CollectiveLane& lane : lanes_) require_class(spec, lane.traffic_class, options);
}

std::vector<CollectiveLane> CollectiveSetup::parallel_lanes(const config::PlatformSpec& spec,
                                                            const CollectiveOptions& options) const {
  require_unused(options.npus, "--npus", "the groups come from --parallelism");
  const Parallelism parallelism = parse_parallelism(options.parallelism, spec.wafer.npu_count());
  const Placement placement =
      place_workers(options.placement, parallelism, fabric_kind(spec.wafer).grid(spec.wafer),
                    seed_of(options.seed, spec.run.seed));
  if (options.traffic_class.empty())
    throw std::invalid_argument("--parallelism needs --class mp, dp, pp or all, or several: --class mp,dp");
  std::vector<CollectiveLane> lanes;
  std::set<std::string> seen;
  std::istringstream names(options.traffic_class + ",");
  for (std::string name; std::getline(names, name, ',');) {
    const ParallelClass parallel_class = parse_parallel_class(name);
    if (!seen.insert(name).second) throw std::invalid_argument("--class: " + name + " is listed twice");
    // All workers together are one group of the gradients' class.
    CollectiveLane lane{parallel_class == ParallelClass::all ? "dp" : name, {}};
    const bool multicast = request_.type == CollectiveType::broadcast && parallel_class == ParallelClass::pp;
    for (const WorkerGroup& group :
         multicast ? stage_multicasts(parallelism) : groups_of(parallelism, parallel_class))
      lane.groups.push_back(npus_of(group, placement));
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

CollectiveRequest CollectiveSetup::request(const Group& group, std::uint64_t bytes) const {
  CollectiveRequest request = request_;
  request.group = group;
  request.bytes = bytes;
  if (tuned_) request.algorithm = tuned_->algorithm(request.type, group, bytes);
  return request;
}

CollectiveRequest CollectiveSetup::first_request() const {
  if (streams_) throw std::invalid_argument("--choices: a stream over the I/O controllers has one algorithm");
  CollectiveRequest first = request_;
  first.group = lanes_.front().groups.front();
  return first;
}

CollectiveRequest CollectiveSetup::first_request(std::uint64_t bytes) const {
  const CollectiveRequest first = first_request();
  return request(first.group, bytes);
}

IoStream CollectiveSetup::plan_stream(std::uint64_t bytes, const FabricTraits& fabric) const {
  return plan_io_stream({request_.type, bytes, stream_chunk_bytes_, request_.data_type}, fabric);
}

/// Collectives that share links are not done before the busiest one is.
void CollectiveSetup::share(CollectivePlan& plan, std::uint64_t bytes, const FabricTraits& fabric) const {
  std::vector<const CollectiveProgram*> programs;
  std::vector<CollectiveRequest> requests;
  for (const CollectiveLane& lane : lanes_)
    for (const Group& group : lane.groups) {
      programs.push_back(plan.collectives[programs.size()].program.get());
      requests.push_back(request(group, bytes));
    }
  plan.together = {shared_links_ps(programs, fabric), joint_bound_ps(requests, fabric)};
  // Of a class whose groups share links only among themselves.
  auto program = programs.cbegin();
  auto asked = requests.cbegin();
  for (const CollectiveLane& lane : lanes_) {
    const auto groups = static_cast<std::ptrdiff_t>(lane.groups.size());
    plan.lanes.push_back({shared_links_ps({program, program + groups}, fabric),
                          joint_bound_ps({asked, asked + groups}, fabric)});
    program += groups;
    asked += groups;
  }
}

CollectivePlan CollectiveSetup::plan(std::uint64_t bytes, const FabricTraits& fabric) const {
  CollectivePlan plan;
  plan.late = late_;
  if (const std::uint32_t value = bytes_of(request_.data_type); functional_ && bytes % value != 0)
    throw std::invalid_argument(fmt::format(
        "--size {}B: functional mode carries {} values (run.data_type), so sizes are multiples of {} B",
        bytes, to_string(request_.data_type), value));
  if (streams_) {
    const IoStream stream = plan_stream(bytes, fabric);
    for (const auto& channel : stream.channels) plan.collectives.push_back({channel, stream_class_, {}});
    plan.together = stream.cost;
    return plan;
  }
  for (const CollectiveLane& lane : lanes_)
    for (const Group& group : lane.groups) {
      const CollectiveRequest asked = request(group, bytes);
      const auto program = plan_collective(asked, fabric);
      plan.collectives.push_back({program, lane.traffic_class, cost_of(*program, asked, fabric)});
      if (!program->decomposed) continue;
      CollectiveRequest steps = asked;
      steps.chunks = program->decomposed->chunks;
      plan.collectives.back().decomposed_cost = cost_of(*program->decomposed, steps, fabric);
    }
  for (const auto& [npu, by] : late_)
    if (std::none_of(plan.collectives.begin(), plan.collectives.end(),
                     [id = npu](const PlannedCollective& each) {
                       const Group& group = each.program->group;
                       return std::find(group.begin(), group.end(), id) != group.end();
                     }))
      throw std::invalid_argument("--late: NPU " + std::to_string(index_of(npu)) + " is in no group");
  if (plan.collectives.size() > 1) share(plan, bytes, fabric);
  return plan;
}

}  // namespace wafertlm
