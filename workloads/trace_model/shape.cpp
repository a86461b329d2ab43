// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/shape.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "workloads/trace_model/fold.h"

namespace wafertlm::trace_model {
namespace {

using chakra::Node;
using chakra::NodeType;

/// By which nodes of a kind are told apart; averages over the jobs.
constexpr std::size_t kFields = 4;
using Fields = std::array<double, kFields>;

const Node& node_at(const Jobs& jobs, std::size_t job, std::size_t rank, std::size_t at) {
  const statistics::TraceGraph& graph = jobs[job][rank];
  return graph.nodes[graph.order[at]];
}

Fields fields_of(const Jobs& jobs, std::size_t rank, std::size_t at, bool with_values) {
  Fields fields{};
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const Node& node = node_at(jobs, job, rank, at);
    const bool computes = node.type == NodeType::Comp || node.is_launch();
    if (!with_values) continue;
    if (computes) fields[0] += static_cast<double>(node.duration_ps);
    fields[1] += static_cast<double>(bytes_of(node));
    fields[2] += operations_of(node);
    if (computes) fields[3] += static_cast<double>(node.tensor_size.value_or(0));
  }
  return fields;
}

/// The values at which a new neighbourhood begins.
std::vector<double> cuts(std::vector<double> values) {
  constexpr double kGap = 1.25, kWidth = 1.5, kSmallGap = 1.02;
  std::sort(values.begin(), values.end());
  std::vector<double> found;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double first = found.empty() ? values.front() : found.back();
    if (values[i] > kGap * values[i - 1] ||
        (values[i] > kWidth * first && values[i] > kSmallGap * values[i - 1]))
      found.push_back(values[i]);
  }
  return found;
}

class Neighbourhoods {
 public:
  Neighbourhoods(const Sequences& sequences, const Jobs& jobs, bool with_values) {
    std::vector<std::array<std::vector<double>, kFields>> values(sequences.kinds.size());
    for (std::size_t rank = 0; rank < sequences.ranks.size(); ++rank)
      for (std::size_t at = 0; at < sequences.ranks[rank].kinds.size(); ++at) {
        const Fields fields = fields_of(jobs, rank, at, with_values);
        for (std::size_t i = 0; i < kFields; ++i)
          values[sequences.ranks[rank].kinds[at]][i].push_back(fields[i]);
      }
    cuts_.resize(values.size());
    for (std::size_t kind = 0; kind < values.size(); ++kind)
      for (std::size_t i = 0; i < kFields; ++i) cuts_[kind][i] = cuts(std::move(values[kind][i]));
  }

  std::array<std::uint32_t, kFields> of(std::uint32_t kind, const Fields& fields) const {
    std::array<std::uint32_t, kFields> found{};
    for (std::size_t i = 0; i < kFields; ++i) {
      const std::vector<double>& all = cuts_[kind][i];
      found[i] =
          static_cast<std::uint32_t>(std::upper_bound(all.begin(), all.end(), fields[i]) - all.begin());
    }
    return found;
  }

 private:
  std::vector<std::array<std::vector<double>, kFields>> cuts_;
};

/// What a rank does, in tokens.
struct Tokens {
  std::vector<std::uint32_t> main;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sides;  // main nodes before it, token
  friend bool operator<(const Tokens& a, const Tokens& b) {
    return std::tie(a.main, a.sides) < std::tie(b.main, b.sides);
  }
};

using Token = std::tuple<std::uint32_t, std::vector<Reference>, std::array<std::uint32_t, kFields>>;

/// The number of each leaf's token, and of each node its leaf.
void place_slots(const std::vector<Step>& steps, std::vector<std::uint32_t>& slots) {
  for (const Step& step : steps)
    for (std::uint32_t i = 0; i < step.times; ++i)
      if (step.body.empty())
        slots.push_back(step.slot);
      else
        place_slots(step.body, slots);
}

Shape shape_of(const Sequences& sequences, const std::vector<bool>& is_side, std::vector<std::uint32_t> ranks,
               const Tokens& tokens, const std::vector<Token>& known) {
  Shape shape;
  Behaviour& behaviour = shape.behaviour;
  behaviour.ranks = std::move(ranks);
  behaviour.steps = fold(tokens.main);
  std::vector<std::uint32_t> slots;
  place_slots(behaviour.steps, slots);
  const auto slot = [&](std::uint32_t token) {
    Slot made;
    made.kind = std::get<0>(known[token]);
    made.after = std::get<1>(known[token]);
    return made;
  };
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i] == behaviour.slots.size()) behaviour.slots.push_back(slot(tokens.main[i]));
  std::map<std::uint32_t, std::uint32_t> side_slots;
  std::vector<std::uint32_t> side_of;
  std::uint32_t before = 0;
  for (const auto& [at, token] : tokens.sides) {
    const auto number = static_cast<std::uint32_t>(behaviour.side_slots.size());
    const auto [found, is_new] = side_slots.emplace(token, number);
    if (is_new) behaviour.side_slots.push_back(slot(token));
    side_of.push_back(found->second);
    const std::uint32_t skip = at - std::exchange(before, at);
    if (!behaviour.sides.empty() && behaviour.sides.back().skip == skip &&
        behaviour.sides.back().slot == found->second)
      ++behaviour.sides.back().times;
    else
      behaviour.sides.push_back({skip, found->second, 1});
  }
  std::size_t main = 0, side = 0;
  for (const std::uint32_t kind : sequences.ranks[behaviour.ranks.front()].kinds)
    shape.slot_of.push_back(
        is_side[kind] ? static_cast<std::uint32_t>(behaviour.slots.size()) + side_of[side++] : slots[main++]);
  return shape;
}

}  // namespace

std::uint64_t bytes_of(const Node& node) {
  const bool is_memory = node.type == NodeType::MemLoad || node.type == NodeType::MemStore;
  return (is_memory ? node.tensor_size : node.comm_size).value_or(0);
}

double operations_of(const Node& node) {
  if (node.num_ops) return static_cast<double>(*node.num_ops);
  double sum = 0;
  for (const MatrixProduct& p : node.products)
    sum += 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
           static_cast<double>(p.count);
  return sum;
}

std::vector<Shape> shapes_of(const Sequences& sequences, const Jobs& jobs, const ShapeOptions& options) {
  const bool with_values = options.with_values;
  const std::vector<bool> is_side =
      options.with_sides ? sequences.is_side : std::vector<bool>(sequences.kinds.size());
  const Neighbourhoods neighbourhoods(sequences, jobs, with_values);
  std::map<Token, std::uint32_t> numbers;
  std::vector<Token> known;
  std::map<Tokens, std::vector<std::uint32_t>> behaviours;
  for (std::uint32_t rank = 0; rank < sequences.ranks.size(); ++rank) {
    const Sequence& sequence = sequences.ranks[rank];
    Tokens tokens;
    for (std::size_t at = 0; at < sequence.kinds.size(); ++at) {
      const std::uint32_t kind = sequence.kinds[at];
      Token token{kind, sequence.after[at], neighbourhoods.of(kind, fields_of(jobs, rank, at, with_values))};
      const auto [found, is_new] =
          numbers.emplace(std::move(token), static_cast<std::uint32_t>(known.size()));
      if (is_new) known.push_back(found->first);
      if (is_side[kind])
        tokens.sides.emplace_back(static_cast<std::uint32_t>(tokens.main.size()), found->second);
      else
        tokens.main.push_back(found->second);
    }
    behaviours[std::move(tokens)].push_back(rank);
  }
  std::vector<Shape> shapes;
  for (auto& [tokens, ranks] : behaviours)
    shapes.push_back(shape_of(sequences, is_side, std::move(ranks), tokens, known));
  std::sort(shapes.begin(), shapes.end(), [](const Shape& a, const Shape& b) {
    return a.behaviour.ranks.front() < b.behaviour.ranks.front();
  });
  return shapes;
}

}  // namespace wafertlm::trace_model
