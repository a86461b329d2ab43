// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/partition/simulated.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace wafertlm::partition {
namespace {

constexpr double kPs = 1e12;

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

/// The nodes of one worker, in the order of its work.
class Worker {
 public:
  Worker(const PartitionSpec& spec, std::uint32_t number) : spec_(spec), number_(number) {}

  /// Values to the others, theirs from them, then so many operations. @param sent by [from · workers + to];
  /// in reverse from `to` to `from`. Empty: none.
  void step(const std::string& name, std::uint32_t tag, const std::vector<std::uint64_t>& sent, bool reverse,
            double operations) {
    std::vector<std::uint64_t> before;
    if (last_ != 0) before = {last_};
    std::vector<std::uint64_t> needed = before;
    const std::size_t workers = spec_.workers;
    for (std::uint32_t other = 0; !sent.empty() && other < workers; ++other) {
      std::uint64_t out = sent[number_ * workers + other], in = sent[other * workers + number_];
      if (reverse) std::swap(out, in);
      if (out != 0) message(chakra::NodeType::CommSend, name, tag, other, out).data_deps = before;
      if (in == 0) continue;
      chakra::Node& node = message(chakra::NodeType::CommRecv, name, tag, other, in);
      node.data_deps = before;
      needed.push_back(node.id);
    }
    chakra::Node& node = add(chakra::NodeType::Comp, name);
    node.duration_ps =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(operations / spec_.speed * kPs)));
    node.data_deps = std::move(needed);
    last_ = node.id;
  }
  std::vector<chakra::Node> take() { return std::move(nodes_); }

 private:
  chakra::Node& add(chakra::NodeType type, const std::string& name) {
    nodes_.emplace_back();
    nodes_.back().id = nodes_.size();
    nodes_.back().name = name;
    nodes_.back().type = type;
    return nodes_.back();
  }
  chakra::Node& message(chakra::NodeType type, const std::string& name, std::uint32_t tag, std::uint32_t peer,
                        std::uint64_t values) {
    chakra::Node& node = add(type, name);
    node.comm_size = values * spec_.batch * spec_.bytes_per_value;
    node.comm_tag = tag;
    (type == chakra::NodeType::CommSend ? node.comm_dst : node.comm_src) = peer;
    return node;
  }

  const PartitionSpec& spec_;
  const std::uint32_t number_;
  std::vector<chakra::Node> nodes_;
  std::uint64_t last_ = 0;  ///< computation; 0: none yet
};

double forward_operations(const PartitionSpec& spec, std::uint64_t weights) {
  return 2.0 * static_cast<double>(weights) * static_cast<double>(spec.batch);
}

/// In parts of the forward pass.
double backward_factor(std::size_t layer) { return layer == 0 ? 1 : 2; }

}  // namespace

double operations_of(const PartitionSpec& spec, const std::vector<Pruned>& layers) {
  double operations = 0;
  for (std::size_t k = 0; k < layers.size(); ++k)
    operations +=
        forward_operations(spec, layers[k].kept) * (spec.pass == Pass::training ? 1 + backward_factor(k) : 1);
  return operations;
}

std::uint64_t bytes_of(const PartitionSpec& spec, const std::vector<Pruned>& layers) {
  std::uint64_t values = 0;
  for (std::size_t k = 0; k < layers.size(); ++k)
    values += sum(layers[k].sent) * (spec.pass == Pass::training && k > 0 ? 2 : 1);
  return values * spec.batch * spec.bytes_per_value;
}

std::vector<std::vector<chakra::Node>> nodes_of(const PartitionSpec& spec,
                                                const std::vector<Pruned>& layers) {
  std::vector<std::vector<chakra::Node>> ranks;
  const auto count = static_cast<std::uint32_t>(layers.size());
  for (std::uint32_t p = 0; p < spec.workers; ++p) {
    Worker worker(spec, p);
    for (std::uint32_t k = 0; k < count; ++k)
      worker.step(spec.chain[k].name, k, layers[k].sent, false,
                  forward_operations(spec, layers[k].kept_by[p]));
    for (std::uint32_t k = count; spec.pass == Pass::training && k > 0; --k) {
      // The gradients of a layer's outputs come from the layer behind it, which has computed its part.
      const std::vector<std::uint64_t> none;
      worker.step("gradients of " + spec.chain[k - 1].name, 2 * count - k, k < count ? layers[k].sent : none,
                  true, backward_factor(k - 1) * forward_operations(spec, layers[k - 1].kept_by[p]));
    }
    ranks.push_back(worker.take());
  }
  return ranks;
}

SimulatedJob simulate(const PartitionSpec& spec, const std::vector<Pruned>& layers) {
  return simulate_job(*spec.platform, spec.placement(), nodes_of(spec, layers));
}

}  // namespace wafertlm::partition
