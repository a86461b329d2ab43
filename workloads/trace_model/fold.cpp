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
      folded.push_back(
          loop({begin, begin + static_cast<std::ptrdiff_t>(period)}, static_cast<std::uint32_t>(times)));
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

/// One of the steps that are loops.
struct Loop {
  Step* step;
  std::uint32_t count;  // with repetitions beside it
  double covered;       // nodes, on all ranks
  std::uint64_t nodes;  // of a repetition
};

/// The kinds of the nodes, one after the other.
void expand_kinds(const Behaviour& of, const std::vector<Step>& steps, std::vector<std::uint32_t>& kinds) {
  for (const Step& step : steps)
    for (std::uint32_t i = 0; i < step.times; ++i)
      if (step.body.empty())
        kinds.push_back(of.slots[step.slot].kind);
      else
        expand_kinds(of, step.body, kinds);
}

/// Repetitions beside a loop of `times` times `size` nodes from `begin` on: what is before and behind it goes
/// on as the loop does.
std::uint32_t repetitions_beside(const std::vector<std::uint32_t>& kinds, std::size_t begin, std::size_t size,
                                 std::size_t times) {
  std::size_t before = 0, behind = 0;
  const std::size_t end = begin + size * times;
  while (before < begin && before < size && kinds[begin - 1 - before] == kinds[begin - 1 - before + size])
    ++before;
  while (end + behind < kinds.size() && behind < size && kinds[end + behind] == kinds[end + behind - size])
    ++behind;
  return static_cast<std::uint32_t>((before + behind) / size);
}

/// Messages between pipeline stages come once for a microbatch.
bool has_messages(const Behaviour& of, const Step& step, const std::vector<Kind>& kinds) {
  if (!step.body.empty())
    return std::any_of(step.body.begin(), step.body.end(),
                       [&](const Step& each) { return has_messages(of, each, kinds); });
  const chakra::NodeType type = kinds[of.slots[step.slot].kind].type;
  return type == chakra::NodeType::CommSend || type == chakra::NodeType::CommRecv;
}

/// Unmarks loops around loops over layers. Returns whether there is one.
bool keep_inner(std::vector<Step>& steps) {
  bool found = false;
  for (Step& step : steps) {
    if (keep_inner(step.body)) {
      step.layers = 0;
      found = true;
    }
    found = found || step.layers != 0;
  }
  return found;
}

/// Finds the loops of a behaviour, and where they are.
class LoopFinder {
 public:
  LoopFinder(Behaviour& of, const std::vector<Kind>& kinds, std::vector<Loop>& found)
      : of_(of), kinds_(kinds), found_(found) {
    expand_kinds(of, of.steps, expanded_);
    find(of.steps, 0, static_cast<double>(of.ranks.size()));
  }

 private:
  void find(std::vector<Step>& steps, std::size_t at, double times) {
    for (Step& step : steps) {
      if (step.body.empty()) {
        ++at;
        continue;
      }
      const auto size = static_cast<std::size_t>(length(step.body));
      if (!has_messages(of_, step, kinds_))
        found_.push_back({&step, step.times + repetitions_beside(expanded_, at, size, step.times),
                          times * step.times * static_cast<double>(size), size});
      find(step.body, at, times * step.times);
      at += step.times * size;
    }
  }

  const Behaviour& of_;
  const std::vector<Kind>& kinds_;
  std::vector<Loop>& found_;
  std::vector<std::uint32_t> expanded_;
};

/// How many layers a repetition count stands for, in whole multiples of all layers; 0: for none.
std::uint32_t multiple(std::uint32_t count, std::uint32_t layers) {
  if (layers == 0) return 0;
  const std::uint32_t of = (count + layers / 2) / layers;
  const std::uint32_t nearest = of * layers, tolerance = layers < 8 ? 0 : 1;
  return std::max(count, nearest) - std::min(count, nearest) <= tolerance ? of : 0;
}

}  // namespace

std::vector<Step> fold(const std::vector<std::uint32_t>& tokens) {
  return tokens.empty() ? std::vector<Step>() : Folding(tokens).steps();
}

Layers mark_layers(std::vector<Behaviour>& behaviours, const std::vector<Kind>& kinds) {
  constexpr double kEnough = 0.6;
  std::vector<Loop> loops;
  for (Behaviour& each : behaviours) LoopFinder(each, kinds, loops);
  struct Of {
    double covered = 0, most = 0;
    std::uint64_t nodes = 0;
  };
  std::map<std::uint32_t, Of> by_count;
  double most = 0;
  for (const Loop& loop : loops) {
    Of& of = by_count[loop.count];
    of.covered += loop.covered;
    if (loop.covered > of.most) of.nodes = loop.nodes;
    of.most = std::max(of.most, loop.covered);
  }
  const auto covered = [&](std::uint32_t count) {  // also by numbers that are taken for this one
    double sum = 0;
    for (const auto& [other, of] : by_count)
      if (multiple(other, count) == 1) sum += of.covered;
    return sum;
  };
  for (const auto& [count, of] : by_count) most = std::max(most, covered(count));
  Layers layers;
  for (const auto& [count, of] : by_count)
    if (covered(count) >= kEnough * most && (layers.count == 0 || of.nodes < layers.nodes))
      layers = {count, static_cast<std::uint32_t>(of.nodes)};
  const std::uint32_t found = layers.count;
  for (const auto& [count, of] : by_count)  // one more, if the first or last layer is often beside the loop
    if (multiple(count, found) == 1 && 10 * of.covered >= covered(found))
      layers.count = std::max(layers.count, count);
  for (const Loop& loop : loops)
    loop.step->layers =
        std::max(multiple(loop.count, layers.count), multiple(loop.step->times, layers.count));
  for (Behaviour& each : behaviours) keep_inner(each.steps);
  layers.nodes = 0;
  for (const Loop& loop : loops)
    if (loop.step->layers != 0) layers.nodes = std::max(layers.nodes, static_cast<std::uint32_t>(loop.nodes));
  return layers;
}

}  // namespace wafertlm::trace_model
