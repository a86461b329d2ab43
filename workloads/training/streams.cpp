// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/streams.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace wafertlm::training {

Streams::Streams(const Plan& plan, std::uint32_t rank, const std::vector<Pass>& passes, NodeBuilder& nodes)
    : plan_(plan), rank_(rank), stage_(plan.coordinates(rank).pp), passes_(passes), nodes_(nodes) {
  if (!strategy().streams_weights()) return;
  const auto goes_on = [&](std::size_t i) {
    return i > 0 && passes[i].chunk == passes[i - 1].chunk &&
           passes[i].is_forward == passes[i - 1].is_forward;
  };
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (!goes_on(i)) visits_.push_back({i, i});
    visits_.back().end = i + 1;
  }
}

void Streams::before_pass(std::size_t step) {
  if (visit_ < visits_.size() && visits_[visit_].begin == step) begin_visit(visit_);
}

void Streams::after_pass(std::size_t step) {
  if (visit_ < visits_.size() && visits_[visit_].end == step + 1) end_visit(visit_++);
}

void Streams::begin_visit(std::size_t visit) {
  const std::size_t buffers = strategy().buffers();
  nodes_.set_label("");
  const std::size_t last = std::min(visit + buffers, visits_.size());
  for (std::size_t next = visit == 0 ? 0 : visit + buffers - 1; next < last; ++next) move_chunk(next, true);
  const auto wait_for = [this](std::map<std::size_t, std::uint64_t>& from, std::size_t of) {
    const auto found = from.find(of);
    if (found == from.end()) return;
    nodes_.wait_for(found->second);
    from.erase(found);
  };
  wait_for(loads_, visit);
  if (visit >= buffers) wait_for(stores_, visit - buffers);
}

void Streams::end_visit(std::size_t visit) {
  if (passes_[visits_[visit].begin].is_forward) return;
  const std::size_t a_round = visits_.size() / strategy().weight_loads_per_pass;
  const bool is_last_round = visit + a_round >= visits_.size();
  nodes_.set_label("");
  if (strategy().gradient_store == GradientStore::every_load || is_last_round) move_chunk(visit, false);
}

/// The chunk of a visit, of all stages that this rank gets: weights in the order of the passes, gradients
/// too.
void Streams::move_chunk(std::size_t visit, bool comes_in) {
  const Pass& pass = passes_[visits_[visit].begin];
  const std::uint32_t stages = strategy().degrees.pp;
  const bool broadcast = strategy().weight_delivery == WeightDelivery::broadcast;
  for (std::uint32_t i = 0; i < stages; ++i) {
    const std::uint32_t stage = pass.is_forward ? i : stages - 1 - i;
    const bool is_own = stage == stage_;
    if (!is_own && !broadcast) continue;
    const std::uint64_t bytes =
        broadcast ? plan_.whole_bytes(stage, pass.chunk) : plan_.held_bytes(stage, pass.chunk);
    if (bytes == 0) continue;
    // One after the other in each direction, in the order in which they are wanted. There is room from the
    // start for as many chunks as there are buffers; what belongs to other stages only passes and needs none.
    std::optional<std::uint64_t>& before = comes_in ? last_load_ : last_store_;
    NodeIds after;
    if (is_own && !(comes_in && visit < strategy().buffers())) after = nodes_.last();
    if (before) after.push_back(*before);
    if (comes_in && is_own && !strategy().overlap_stores && !stores_.empty())
      after.push_back(stores_.rbegin()->second);
    const std::string what =
        fmt::format("{}{}{}", comes_in ? "weights of chunk " : "gradients of chunk ",
                    pass.chunk * stages + stage, pass.is_forward ? " forward" : " backward");
    before = nodes_.stream(comes_in, what, "weights", plan_.weights_group(rank_), bytes, after);
    if (is_own) (comes_in ? loads_ : stores_).emplace(visit, *before);
  }
}

void Streams::load_input(const Pass& pass) {
  const std::uint64_t bytes = plan_.input_bytes();
  const auto load = [&](std::uint32_t microbatch) {
    if (microbatch >= strategy().microbatches || inputs_.count(microbatch) != 0) return;
    inputs_[microbatch] =
        nodes_.stream(true, "samples", "input", plan_.mp_group(rank_), bytes, nodes_.last());
  };
  load(pass.microbatch);
  if (strategy().overlap_input) load(pass.microbatch + 1);
  nodes_.wait_for(inputs_.at(pass.microbatch));
  inputs_.erase(pass.microbatch);
}

}  // namespace wafertlm::training
