// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/rerun.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/commands/explain/recording.h"
#include "platform/host/child.h"
#include "platform/run/job.h"
#include "platform/text/format.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm {
namespace {

/// [[rank, iteration, node, own ps]] of all operations.
nlohmann::json own_times(const GraphRecorder::Recorded& recorded) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::uint32_t i = 0; i < recorded.graph.size(); ++i) {
    const auto& key = recorded.keys[i];
    if (key.node != GraphRecorder::Recorded::kEnd)
      rows.push_back({key.rank, key.iteration, key.node, recorded.graph.own_ps(i)});
  }
  return rows;
}

/// Of what a rerun can make instant: "compute", or the traffic class; else "".
std::string node_category(const chakra::Node& node) {
  using chakra::NodeType;
  if (node.type == NodeType::Comp && !node.is_cpu_op) return "compute";
  if (node.is_collective())
    return node.comm_class.empty() ? chakra::kDefaultCollectiveClass : node.comm_class;
  if (node.type == NodeType::CommSend || node.type == NodeType::CommRecv)
    return node.comm_class.empty() ? chakra::kDefaultMessageClass : node.comm_class;
  return "";
}

/// The nodes of another source, those of one category ("compute" or a traffic class) with next to nothing to
/// do: computations take no time, communications of a class move a byte. Latencies remain.
class InstantSource final : public chakra::ForwardingSource {
 public:
  InstantSource(std::unique_ptr<chakra::NodeSource> source, std::string category)
      : ForwardingSource(*source), owned_(std::move(source)), category_(std::move(category)) {}
  bool next(chakra::Node& node) override {
    if (!source().next(node)) return false;
    if (node_category(node) != category_) return true;
    if (node.type == chakra::NodeType::Comp) {
      node.duration_ps = 0;
      node.num_ops = 0;
      node.tensor_size = 0;
      node.products.clear();
    } else if (node.comm_size.value_or(0) != 0) {
      node.comm_size = 1;
    }
    return true;
  }

 private:
  std::unique_ptr<chakra::NodeSource> owned_;
  std::string category_;
};

}  // namespace

Rerun rerun(const config::ExperimentSpec& experiment, const std::string& category) {
  const nlohmann::json found = run_in_child([&]() -> nlohmann::json {
    Job job = load_job(experiment);
    for (auto& source : job.ranks) source = std::make_unique<InstantSource>(std::move(source), category);
    Recording recording(experiment, job);
    return {{"iteration_ps", iteration_ps(recording.run)}, {"own", own_times(recording.recorded)}};
  });
  Rerun made;
  made.iteration_ps = found["iteration_ps"].get<TimePs>();
  for (const nlohmann::json& row : found["own"])
    made.own_ps[{row[0].get<std::uint32_t>(), row[1].get<std::uint32_t>(), row[2].get<std::uint64_t>()}] =
        row[3].get<TimePs>();
  return made;
}

std::string signed_time(double ps) {
  return (ps < 0 ? "-" : "") + format_time(static_cast<TimePs>(std::llround(std::abs(ps))));
}

void print_rerun(const GraphRecorder::Recorded& recorded, const Gain& gain, TimePs iteration,
                 const Rerun& real) {
  const RecordedGraph& graph = recorded.graph;
  const auto own = [&](std::uint32_t i) {
    const auto found = real.own_ps.find(recorded.keys[i]);
    return found == real.own_ps.end() ? graph.own_ps(i) : found->second;
  };
  const auto time = static_cast<double>(iteration);
  const double stated = static_cast<double>(gain.gain_ps);
  const double saved = time - static_cast<double>(real.iteration_ps);
  const double with_times = time - static_cast<double>(recorded.iteration_ps(graph.retime(own)));
  const double instant =
      time - static_cast<double>(recorded.iteration_ps(graph.retime([&](std::uint32_t i) {
        return recorded.categories[graph.operation(i).category] == gain.what ? own(i) : graph.own_ps(i);
      })));
  fmt::print(
      "     a real run with it next to instant: {} ({} in the recorded order). The difference of {}: {} "
      "because its latencies remain, {} because others take another time beside it, {} because the order of "
      "service changes.\n",
      signed_time(saved), signed_time(stated), signed_time(saved - stated), signed_time(instant - stated),
      signed_time(with_times - instant), signed_time(saved - with_times));
}

}  // namespace wafertlm
