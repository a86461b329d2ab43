// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/fold.h"

#include <algorithm>
#include <map>
#include <utility>

namespace wafertlm::trace_model {
namespace {

/// A sequence of tokens, of which some stand for loops.
class Folding {
 public:
  explicit Folding(const std::vector<std::uint32_t>& tokens) : sequence_(tokens) {
    for (const std::uint32_t token : tokens) first_loop_ = std::max(first_loop_, token + 1);
  }

  std::vector<Step> steps() {
    fold_all(1, 3);
    fold_all(4, 2);
    std::uint32_t slots = 0;
    return steps(sequence_, slots);
  }

 private:
  using Sequence = std::vector<std::uint32_t>;

  /// Periods from `shortest` on that are repeated at least so often.
  void fold_all(std::size_t shortest, std::size_t least_times) {
    constexpr std::size_t kMostCompared = 200'000'000, kLongest = 4096;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t period = shortest; least_times * period <= sequence_.size(); ++period) {
        if (period > std::min(kLongest, kMostCompared / sequence_.size() + 1)) break;
        changed = fold(period, least_times) || changed;
      }
    }
  }

  /// Whether there was such a repetition with this period.
  bool fold(std::size_t period, std::size_t least_times) {
    const std::size_t size = sequence_.size();
    std::vector<std::uint32_t> equal(size - period + 1);  // tokens from here on that come again
    for (std::size_t i = size - period; i-- > 0;)
      equal[i] = sequence_[i] == sequence_[i + period] ? equal[i + 1] + 1 : 0;
    Sequence folded;
    for (std::size_t i = 0; i < size;) {
      const std::size_t times = i + period < size ? 1 + equal[i] / period : 1;
      if (times < least_times) {
        folded.push_back(sequence_[i++]);
        continue;
      }
      const auto begin = sequence_.begin() + static_cast<std::ptrdiff_t>(i);
      folded.push_back(loop({begin, begin + static_cast<std::ptrdiff_t>(period)},
                            static_cast<std::uint32_t>(times)));
      i += times * period;
    }
    const bool changed = folded.size() != size;
    sequence_ = std::move(folded);
    return changed;
  }

  std::uint32_t loop(const Sequence& body, std::uint32_t times) {
    const auto next = static_cast<std::uint32_t>(first_loop_ + loops_.size());
    const auto [found, is_new] = numbers_.emplace(std::pair(body, times), next);
    if (is_new) loops_.emplace_back(body, times);
    return found->second;
  }

  std::vector<Step> steps(const Sequence& sequence, std::uint32_t& slots) const {
    std::vector<Step> result;
    for (const std::uint32_t token : sequence) {
      Step& step = result.emplace_back();
      if (token < first_loop_) {
        step.slot = slots++;
        continue;
      }
      const auto& [body, times] = loops_[token - first_loop_];
      step.times = times;
      step.body = steps(body, slots);
    }
    return result;
  }

  Sequence sequence_;
  std::uint32_t first_loop_ = 0;
  std::vector<std::pair<Sequence, std::uint32_t>> loops_;
  std::map<std::pair<Sequence, std::uint32_t>, std::uint32_t> numbers_;
};

/// A loop without loops in it.
struct Loop {
  Step* step;
  std::uint32_t count;     // with repetitions beside it
  std::uint64_t covered;  // nodes
};

bool is_plain(const std::vector<Step>& steps) {
  return std::all_of(steps.begin(), steps.end(), [](const Step& step) { return step.body.empty(); });
}

/// Whether the steps from `at` on have the kinds of the body.
bool same_kinds(const Behaviour& of, const std::vector<Step>& steps, std::size_t at, const Step& loop) {
  for (std::size_t i = 0; i < loop.body.size(); ++i) {
    const Step& step = steps[at + i];
    if (!step.body.empty() || of.slots[step.slot].kind != of.slots[loop.body[i].slot].kind) return false;
  }
  return true;
}

void find_loops(Behaviour& of, std::vector<Step>& steps, std::uint64_t times, std::vector<Loop>& found) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    if (step.body.empty()) continue;
    if (!is_plain(step.body)) {
      find_loops(of, step.body, times * step.times, found);
      continue;
    }
    const std::size_t size = step.body.size();
    std::uint32_t count = step.times;
    if (i >= size && same_kinds(of, steps, i - size, step)) ++count;
    if (i + size < steps.size() && same_kinds(of, steps, i + 1, step)) ++count;
    found.push_back({&step, count, times * step.times * size});
  }
}

}  // namespace

std::vector<Step> fold(const std::vector<std::uint32_t>& tokens) {
  return tokens.empty() ? std::vector<Step>() : Folding(tokens).steps();
}

Layers mark_layers(std::vector<Behaviour>& behaviours) {
  std::vector<Loop> loops;
  for (Behaviour& each : behaviours) find_loops(each, each.steps, each.ranks.size(), loops);
  std::map<std::uint32_t, std::uint64_t> covered;
  for (const Loop& loop : loops) covered[loop.count] += loop.covered;
  Layers layers;
  std::uint64_t most = 0;
  for (const auto& [count, nodes] : covered)
    if (nodes > most) {
      most = nodes;
      layers.count = count;
    }
  for (const Loop& loop : loops) {
    loop.step->is_layer = loop.count == layers.count;
    if (loop.step->is_layer)
      layers.nodes = std::max(layers.nodes, static_cast<std::uint32_t>(loop.step->body.size()));
  }
  return layers;
}

}  // namespace wafertlm::trace_model
