// SPDX-License-Identifier: Apache-2.0
#include "platform/run/job_work.h"

#include <algorithm>
#include <cmath>

namespace wafertlm {
namespace {

/// Numbers below `count`, at most `most` of them, spread without a period; each stands for weight() of them.
class Sample {
 public:
  Sample(std::size_t count, std::size_t most) : count_(count), size_(std::min(count, most)) {}
  std::size_t size() const { return size_; }
  std::uint32_t operator[](std::size_t index) const {
    if (size_ == count_) return static_cast<std::uint32_t>(index);
    constexpr double kGoldenRatio = 0.6180339887498949;
    double whole = 0;
    const double part = std::modf((static_cast<double>(index) + 0.5) * kGoldenRatio, &whole);
    return static_cast<std::uint32_t>(part * static_cast<double>(count_));
  }
  double weight() const { return size_ == 0 ? 0 : static_cast<double>(count_) / static_cast<double>(size_); }

 private:
  std::size_t count_, size_;
};

constexpr std::size_t kRanks = 8, kThreadblocks = 8, kSteps = 64, kPairs = 64;
/// To the switch and on, of a piece of an in-network flow.
constexpr double kFlowHops = 2;

// Of collectives that are alike so many are new, and a part of the others (FabricAbilities).
constexpr double kNewCourses = 8;
constexpr double kNewOfStreams = 0.5;

/// Packets pass the routers of their way, one more than it has links between them; messages its links.
double passed(const FabricTraits& fabric, bool packets, NpuId from, NpuId to) {
  return fabric.topology->hops(from, to) + (packets ? 1.0 : 0.0);
}

}  // namespace

double WorkCounter::pieces(std::uint64_t bytes) const {
  const WireFormat& format = fabric_.format;
  return static_cast<double>(format.by_flit ? format.message_wire_bytes(bytes) / format.flit_bytes
                                            : format.packets(bytes));
}

WorkCounter::Hops& WorkCounter::Hops::add(double times, double pieces, const Repeats& repeats) {
  all += times * pieces;
  fresh += times * (repeats.periods ? std::min(pieces, repeats.new_packets) : pieces);
  return *this;
}

/// So many of a kind in an iteration.
void WorkCounter::count(const Hops& each, double number, const Repeats& repeats) {
  const double all = number * iterations_;
  const double others = repeats.episodes ? std::max(0.0, all - kNewCourses) : 0;
  const double courses = all - others * (1 - repeats.new_courses);
  work_.hops += all * each.all;
  work_.new_hops += courses * each.fresh;
}

WorkCounter::Hops WorkCounter::hops_of(const CollectiveProgram& program) const {
  Hops hops;
  const Sample ranks(program.ranks.size(), kRanks);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const StepSource& source = *program.ranks[ranks[r]];
    const Sample threadblocks(source.threadblocks(), kThreadblocks);
    for (std::size_t t = 0; t < threadblocks.size(); ++t) {
      const Sample steps(source.steps(threadblocks[t]), kSteps);
      const double weight = ranks.weight() * threadblocks.weight() * steps.weight();
      for (std::size_t s = 0; s < steps.size(); ++s) {
        const Step step = source.step(threadblocks[t], steps[s]);
        if (step.bytes == 0 || (step.kind != Step::Kind::send && step.kind != Step::Kind::flow_send))
          continue;
        const double way = step.kind == Step::Kind::flow_send
                               ? kFlowHops
                               : passed(fabric_, packets_, program.group[ranks[r]], program.group[step.peer]);
        hops.add(weight * way, pieces(step.bytes), repeats_);
      }
    }
  }
  return hops;
}

void WorkCounter::add(const std::vector<std::shared_ptr<const CollectiveProgram>>& programs,
                      std::uint64_t count, bool streams) {
  const bool repeat = repeats_.periods || repeats_.episodes;
  for (const auto& program : programs) {
    const auto [known, is_new] =
        known_.emplace(std::tuple(program->type, program->bytes, program->group.size()), Hops{});
    if (is_new) known->second = hops_of(*program);
    const double all = known->second.all;
    if (streams)
      this->count({all, repeat ? kNewOfStreams * all : all}, static_cast<double>(count), {});
    else
      this->count(known->second, static_cast<double>(count), repeats_);
  }
}

double WorkCounter::mean_hops() const {
  const std::uint32_t npus = fabric_.topology->npus();
  const Sample from(npus, kPairs);
  double hops = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    hops += passed(fabric_, packets_, static_cast<NpuId>(from[i]),
                   static_cast<NpuId>(from[(i + 1) % from.size()]));
  return hops / static_cast<double>(from.size());
}

void WorkCounter::add(const chakra::TraceSummary& rank) {
  work_.nodes += iterations_ * static_cast<double>(rank.nodes);
  work_.loaded_bytes += iterations_ * rank.loaded_bytes;
  if (rank.message_bytes == 0) return;
  const auto sends = rank.by_type[static_cast<std::size_t>(chakra::NodeType::CommSend)],
             receives = rank.by_type[static_cast<std::size_t>(chakra::NodeType::CommRecv)];
  count(Hops().add(mean_hops(), pieces(rank.message_bytes / (sends + receives)), repeats_),
        static_cast<double>(sends), repeats_);
}

}  // namespace wafertlm
