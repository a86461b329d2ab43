// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/pipeline/simulated.h"

#include <algorithm>
#include <cmath>

#include "platform/run/simulated_job.h"

namespace wafertlm::pipelines {
namespace {

constexpr std::uint64_t kMeasured = 6;  ///< inputs
constexpr std::uint64_t kBuffers = 2;   ///< inputs that a stage has room for
constexpr std::uint32_t kDataTag = 0, kRoomTag = 1;
constexpr double kPs = 1e12;

/// Four nodes per input, numbered by what they are.
enum class Part : std::uint8_t { receive, compute, send, room };

std::uint64_t id_of(std::uint64_t input, Part part) {
  return 8 * input + static_cast<std::uint64_t>(part) + 1;
}
/// `room`: waits for it; giving it is number 5 of an input.
std::uint64_t id_of_giving(std::uint64_t input) { return 8 * input + 6; }

class StageNodes {
 public:
  StageNodes(std::uint32_t stage, std::uint32_t stages, std::uint64_t inputs)
      : stage_(stage), is_last_(stage + 1 == stages), inputs_(inputs) {}

  /// @param in, out bytes of one input
  std::vector<chakra::Node> make(std::uint64_t duration_ps, std::uint64_t in, std::uint64_t out) {
    for (std::uint64_t input = 0; input < inputs_; ++input) {
      if (stage_ > 0) receive(input, in);
      compute(input, duration_ps);
      if (stage_ > 0 && input + kBuffers < inputs_) give_room(input);
      if (!is_last_) send(input, out);
    }
    return std::move(nodes_);
  }

 private:
  chakra::Node& add(std::uint64_t id, const char* name, std::uint64_t input, chakra::NodeType type) {
    chakra::Node node;
    node.id = id;
    node.name = std::string(name) + " " + std::to_string(input);
    node.type = type;
    nodes_.push_back(std::move(node));
    return nodes_.back();
  }
  void message(chakra::Node& node, std::uint64_t bytes, std::uint32_t peer, std::uint32_t tag) const {
    node.comm_size = bytes;
    node.comm_tag = tag;
    (node.type == chakra::NodeType::CommSend ? node.comm_dst : node.comm_src) = peer;
  }
  void receive(std::uint64_t input, std::uint64_t bytes) {
    chakra::Node& node = add(id_of(input, Part::receive), "input", input, chakra::NodeType::CommRecv);
    message(node, bytes, stage_ - 1, kDataTag);
    if (input > 0) node.data_deps = {id_of(input - 1, Part::receive)};
  }
  void compute(std::uint64_t input, std::uint64_t duration_ps) {
    chakra::Node& node = add(id_of(input, Part::compute), "stage", input, chakra::NodeType::Comp);
    node.duration_ps = duration_ps;
    if (stage_ > 0) node.data_deps.push_back(id_of(input, Part::receive));
    if (input > 0) node.data_deps.push_back(id_of(input - 1, is_last_ ? Part::compute : Part::send));
  }
  /// To the stage before: another input may come.
  void give_room(std::uint64_t input) {
    chakra::Node& node = add(id_of_giving(input), "room for", input + kBuffers, chakra::NodeType::CommSend);
    message(node, 0, stage_ - 1, kRoomTag);
    node.data_deps = {id_of(input, Part::compute)};
  }
  void send(std::uint64_t input, std::uint64_t bytes) {
    if (input >= kBuffers) {
      chakra::Node& room =
          add(id_of(input, Part::room), "room at the next", input, chakra::NodeType::CommRecv);
      message(room, 0, stage_ + 1, kRoomTag);
      if (input > kBuffers) room.data_deps = {id_of(input - 1, Part::room)};
    }
    chakra::Node& node = add(id_of(input, Part::send), "output", input, chakra::NodeType::CommSend);
    message(node, bytes, stage_ + 1, kDataTag);
    node.data_deps = {id_of(input, Part::compute)};
    if (input >= kBuffers) node.data_deps.push_back(id_of(input, Part::room));
  }

  const std::uint32_t stage_;
  const bool is_last_;
  const std::uint64_t inputs_;
  std::vector<chakra::Node> nodes_;
};

/// Adds up how long stages compute and send, and when the last one is done.
class StageWatch final : public RunObserver {
 public:
  StageWatch(std::size_t stages, std::uint64_t first) : busy_ps_(stages), first_(first) {}
  void operation_ended(std::uint32_t rank, const Task& task, TimePs start_ps, TimePs end_ps) override {
    const bool is_output = task.kind == Task::Kind::send && task.tag == kDataTag;
    if (task.kind != Task::Kind::compute && !is_output) return;
    const std::uint64_t input = (task.id - 1) / 8;
    if (input >= first_ && input < first_ + kMeasured) busy_ps_[rank] += end_ps - start_ps;
    if (task.kind == Task::Kind::compute && rank + 1 == busy_ps_.size()) {
      if (input + 1 == first_) begin_ps_ = end_ps;
      if (input + 1 == first_ + kMeasured) end_ps_ = end_ps;
    }
  }
  Measured measured() const {
    constexpr double kAll = kPs * static_cast<double>(kMeasured);
    Measured measured;
    for (const TimePs busy : busy_ps_) measured.stages.push_back(static_cast<double>(busy) / kAll);
    measured.period = static_cast<double>(end_ps_ - begin_ps_) / kAll;
    return measured;
  }

 private:
  std::vector<TimePs> busy_ps_;
  std::uint64_t first_;  ///< measured input
  TimePs begin_ps_ = 0, end_ps_ = 0;
};

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

/// One message.
TimePs message_ps(const config::PlatformSpec& platform, const Placement& npus, std::uint64_t bytes) {
  std::vector<std::vector<chakra::Node>> ranks(2, std::vector<chakra::Node>(1));
  chakra::Node &send = ranks[0][0], &receive = ranks[1][0];
  send.type = chakra::NodeType::CommSend;
  receive.type = chakra::NodeType::CommRecv;
  send.comm_size = receive.comm_size = bytes;
  send.comm_dst = 1;
  receive.comm_src = 0;
  return simulate_job(platform, npus, std::move(ranks)).end_ps;
}

}  // namespace

SimulatedPipeline::SimulatedPipeline(const config::PlatformSpec& platform, const Problem& problem,
                                     Placement npus)
    : platform_(platform), problem_(problem), npus_(std::move(npus)) {}

Measured SimulatedPipeline::measure(const Schedule& schedule) {
  std::vector<std::pair<std::size_t, std::size_t>> key;
  for (const Stage& stage : schedule) key.emplace_back(stage.end, stage.place);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(std::move(key), simulate(schedule)).first->second;
}

Measured SimulatedPipeline::simulate(const Schedule& schedule) const {
  Problem without_links{problem_.layers, problem_.places};
  for (Place& place : without_links.places) place.link = 0;
  const std::vector<double> seconds = StageTimes(without_links).of(schedule);
  const auto stages = static_cast<std::uint32_t>(schedule.size());
  // By the first one the pipeline is full; as many behind the last one keep it full.
  const std::uint64_t first = kBuffers * stages, inputs = first + kMeasured + kBuffers * stages;
  std::vector<std::vector<chakra::Node>> ranks;
  Placement npus;
  const auto output = [&](std::size_t stage) {
    return whole(problem_.layers[schedule[stage].end - 1].output_bytes);
  };
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    npus.push_back(npus_.at(schedule[stage].place));
    ranks.push_back(StageNodes(stage, stages, inputs)
                        .make(std::max<std::uint64_t>(whole(seconds[stage] * kPs), 1),
                              stage == 0 ? 0 : output(stage - 1), output(stage)));
  }
  StageWatch watch(stages, first);
  simulate_job(platform_, npus, std::move(ranks), &watch);
  return watch.measured();
}

double transfer_rate(const config::PlatformSpec& platform, NpuId from, NpuId to) {
  constexpr std::uint64_t kBytes = std::uint64_t{16} << 20;
  const Placement npus{from, to};
  const TimePs one = message_ps(platform, npus, kBytes), two = message_ps(platform, npus, 2 * kBytes);
  return static_cast<double>(kBytes) * kPs / static_cast<double>(two - one);
}

}  // namespace wafertlm::pipelines
