// SPDX-License-Identifier: Apache-2.0
// What a rank of a transformer's training holds, moves and computes, from the transformer's numbers and the
// literature alone: nothing of it comes from Plan, TrainingGenerator or memory_need(). Counts as large as
// these divide without a rest for the cases of random_case().
//
// Parameters and products: Narayanan et al., SC 2021; who holds them: Rajbhandari et al., SC 2020; experts:
// Fedus et al. 2022; activations: Korthikanti et al. 2022; bytes of rings: n - 1 of n parts.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "workloads/models/transformer.h"
#include "workloads/training/strategy.h"

namespace wafertlm::training::independent {

using U = std::uint64_t;

inline U exact(U number, U by) {
  EXPECT_EQ(number % by, 0U) << number << " does not divide by " << by;
  return number / by;
}

/// Of one rank in an iteration; bytes leave it.
struct Account {
  U parameters = 0, gradients = 0, optimizer = 0, gathered = 0, activations = 0, offloaded = 0;
  U loaded = 0, stored = 0;
  U mp = 0, dp = 0, pp = 0, ep = 0;
  U operations = 0;
};

class Rank {
 public:
  Rank(const model::TransformerSpec& model, const Strategy& strategy, U stage)
      : t(model), s(strategy), stage_(stage) {}

  Account account() const {
    Account a;
    hold(a);
    reduce(a);
    messages(a);
    a.operations += microbatches() * samples() * products();
    a.activations = in_flight() * kept() + (full() ? most_of_a_block() : 0);
    return a;
  }

 private:
  /// Parameters that a rank computes with: dense ones, and of its experts.
  struct Parameters {
    U dense = 0, experts = 0;
  };
  static Parameters sum(Parameters a, Parameters b) { return {a.dense + b.dense, a.experts + b.experts}; }

  // The transformer.
  U h() const { return t.hidden; }
  U bias(U n) const { return t.biases ? n : 0; }
  U norm() const { return t.norm == model::Norm::layer ? 2 * h() : h(); }
  U f() const { return t.mlp_hidden != 0 ? t.mlp_hidden : 4 * h(); }
  U matrices() const { return t.gated_mlp ? 3 : 2; }
  U qkv() const { return h() + 2 * (t.kv_heads != 0 ? t.kv_heads : t.heads) * (h() / t.heads); }
  bool has_experts(U layer) const { return t.experts != 0 && (layer + 1) % t.moe_every == 0; }
  // The division of work.
  U mp() const { return s.degrees.mp; }
  U dp() const { return s.degrees.dp; }
  U pp() const { return s.degrees.pp; }
  U ep() const { return s.expert_parallel; }
  U mp_of_vocabulary() const { return s.split_vocabulary ? mp() : 1; }
  U mp_of_norms() const { return s.sequence_parallel ? mp() : 1; }
  U microbatches() const { return s.microbatches; }
  U samples() const { return exact(s.minibatch, dp() * microbatches()); }
  U layers() const { return exact(t.layers, pp()); }
  U first_layer() const { return stage_ * layers(); }
  bool is_first() const { return stage_ == 0; }
  bool is_last() const { return stage_ + 1 == pp(); }
  bool full() const { return s.recompute == model::Recompute::full; }

  Parameters of_layer(U layer) const {
    const U attention = exact(h() * qkv() + h() * h() + bias(qkv()), mp()) + bias(h()) + norm();
    const U products = matrices() * h() * f() + bias((matrices() - 1) * f());
    if (!has_experts(layer)) return {attention + exact(products, mp()) + bias(h()) + norm(), 0};
    return {attention + norm() + h() * t.experts, exact(t.experts * (products + bias(h())), mp() * ep())};
  }
  Parameters of_embedding() const {
    return {exact(t.vocabulary * h(), mp_of_vocabulary()) + (t.learned_positions ? t.sequence * h() : 0), 0};
  }
  /// The last stage of a pipeline has a copy of tied embeddings (Megatron-LM).
  Parameters of_head() const {
    const bool borrows = t.tied_embeddings && pp() == 1;
    return {norm() + (borrows ? 0 : exact(t.vocabulary * h(), mp_of_vocabulary())), 0};
  }
  bool has_copied_matrix() const { return t.tied_embeddings && pp() > 1 && (is_first() || is_last()); }
  /// Of them the ones that the first and the last stage have.
  Parameters tied() const {
    return {has_copied_matrix() ? exact(t.vocabulary * h(), mp_of_vocabulary()) : 0, 0};
  }
  template <typename Visit>
  void units(const Visit& visit) const {
    if (is_first()) visit(of_embedding());
    for (U i = 0; i < layers(); ++i) visit(of_layer(first_layer() + i));
    if (is_last()) visit(of_head());
  }
  Parameters all() const {
    Parameters total;
    units([&](Parameters unit) { total = sum(total, unit); });
    return total;
  }

  // Who holds them. Experts have dp / ep copies.
  U share(Parameters of, bool is_divided) const {
    return is_divided ? exact(of.dense, dp()) + exact(of.experts, dp() / ep()) : of.dense + of.experts;
  }
  bool updates_a_share() const {
    return s.zero_stage >= 1 || s.dp_collective == DpCollective::reduce_scatter_all_gather;
  }
  /// That others or the remote memory bring.
  U comes_in(Parameters of) const {
    if (s.offload.weights) return of.dense + of.experts;
    if (s.zero_stage < 3) return 0;
    return (dp() > 1 ? of.dense : 0) + (dp() > ep() ? of.experts : 0);
  }

  void hold(Account& a) const {
    const U element = s.element_bytes, state = s.optimizer_bytes_per_parameter;
    const Offload& o = s.offload;
    const U held = share(all(), s.zero_stage == 3), updated = share(all(), updates_a_share());
    a.parameters = o.weights ? 0 : held * element;
    const U tied_gradients = share(tied(), s.zero_stage >= 2) * element;
    a.gradients = share(all(), s.zero_stage >= 2) * element;
    a.optimizer = updated * state;
    if (o.weights) a.offloaded += updated * element;
    if (o.gradients) a.offloaded += updated * element;
    if (o.optimizer) a.offloaded += updated * state;
    if (o.gradients)
      a.gradients = std::min(a.gradients - tied_gradients, 2 * s.bucket_bytes) + tied_gradients;
    if (o.optimizer) a.optimizer = std::min(a.optimizer, 2 * s.offload_portion_bytes);
    U largest = 0;
    units([&](Parameters unit) { largest = std::max(largest, comes_in(unit) * element); });
    const U whole = comes_in(all()) * element;
    a.gathered = microbatches() > 1 && rounds() == 1
                     ? whole
                     : std::min(whole, s.overlap_dp ? (1 + s.prefetch) * largest : largest);
    // Weights come in forward and backward and leave once, as do gradients and the optimizer's state. Sums of
    // gradients in the remote memory come and go for every further microbatch.
    const U added = o.gradients ? (rounds() - 1) * (updated - share(tied(), updates_a_share())) : 0;
    a.loaded = (o.weights ? 2 * rounds() * held * element : 0) + (o.gradients ? updated * element : 0) +
               (o.optimizer ? updated * state : 0) + added * element;
    a.stored =
        (o.weights + o.gradients) * updated * element + (o.optimizer ? updated * state : 0) + added * element;
    a.operations += updated * s.optimizer_operations_per_parameter + added;
  }

  /// Over DP: gradients n - 1 of n parts to reduce, as much to give what was changed (or the sums) to all;
  /// ZeRO-3 gathers for both directions in place of that.
  void reduce(Account& a) const {
    const U parts = (s.dp_collective == DpCollective::none ? 0 : 1) + after_reduction();
    const auto ring = [&](U parameters, U n) {
      return exact(parameters * s.element_bytes, n) * (n - 1) * parts;
    };
    a.dp = rounds() * (ring(all().dense, dp()) + ring(all().experts, dp() / ep()));
  }
  /// How often an iteration gathers parameters for each direction and reduces gradients.
  U rounds() const { return s.gather == Gather::microbatch ? microbatches() : 1; }
  U after_reduction() const {
    if (s.zero_stage == 3) return 2;
    if (s.dp_collective == DpCollective::none) return 0;
    const bool sums = s.dp_collective ? *s.dp_collective == DpCollective::all_reduce : s.zero_stage == 0;
    return sums || !s.offload.weights ? 1 : 0;
  }

  void messages(Account& a) const {
    const U message = samples() * t.sequence * h() * s.element_bytes;
    // Forward and backward; again forward with full recomputation. An all-reduce is 2 (n - 1) of n parts.
    const U per_layer = 2 * (full() ? 3 : 2);
    const U of_vocabulary = mp_of_vocabulary() > 1 ? (is_first() ? 1 : 0) + (is_last() ? 1 : 0) : 0;
    a.mp = microbatches() * (per_layer * layers() + of_vocabulary) * 2 * (mp() - 1) * exact(message, mp());
    const U neighbours = (is_first() ? 0 : 1) + (is_last() ? 0 : 1);
    // Two ranks sum the gradients that they have reduced: each sends as much as it has.
    a.pp = microbatches() * neighbours * exact(message, mp_of_norms()) +
           share(tied(), updates_a_share()) * s.element_bytes;
    U with_experts = 0;
    for (U i = 0; i < layers(); ++i) with_experts += has_experts(first_layer() + i) ? 1 : 0;
    // To the experts and back, in each pass.
    const U tokens = exact(message * t.experts_per_token, mp_of_norms());
    a.ep = microbatches() * with_experts * 2 * (full() ? 3 : 2) * exact(tokens, ep()) * (ep() - 1);
  }

  /// Operations of a sample: 2 per multiply-add, and twice as many backward.
  U products() const {
    const U n = t.sequence;
    const auto layer = [&](U number) {
      const U scores = exact(2 * 2 * n * n * h(), mp());
      U weights = exact(2 * n * h() * (qkv() + h()), mp());
      const U mlp = exact(matrices() * 2 * n * h() * f(), mp());
      weights += has_experts(number) ? 2 * n * h() * t.experts + t.experts_per_token * mlp : mlp;
      const U again = full() ? weights + scores : s.recompute == model::Recompute::selective ? scores : 0;
      return 3 * (weights + scores) + again;
    };
    U total = is_last() ? 3 * exact(2 * n * h() * t.vocabulary, mp_of_vocabulary()) : 0;
    for (U i = 0; i < layers(); ++i) total += layer(first_layer() + i);
    return total;
  }

  /// Bytes that a sample leaves of a layer.
  U kept_of_layer(U number, bool with_scores) const {
    const U n = t.sequence, e = s.element_bytes, drop = t.dropout ? 1 : 0;
    U split = e * n * (qkv() + h()), shared = 2 * (2 * e * n * h() + drop * n * h());
    if (with_scores) split += t.heads * n * n * (e * (1 + drop) + drop);
    const U tokens = has_experts(number) ? t.experts_per_token : 1;
    split += e * n * f() * matrices() * tokens;
    if (has_experts(number)) shared += e * n * h() * (tokens - 1);
    return exact(split, mp()) + exact(shared, mp_of_norms());
  }
  U kept() const {
    const U n = t.sequence, e = s.element_bytes;
    U total = 0;
    // Masks of a layer that is not split stay whole.
    const U norms_of_vocabulary = s.sequence_parallel ? mp_of_vocabulary() : 1;
    if (is_first()) total += t.dropout ? exact(n * h(), norms_of_vocabulary) : 0;
    if (is_last())
      total +=
          exact(e * 2 * n * t.vocabulary, mp_of_vocabulary()) + exact(e * 2 * n * h(), norms_of_vocabulary);
    for (U i = 0; i < layers(); ++i)
      total += full() ? exact(e * n * h(), mp_of_norms())
                      : kept_of_layer(first_layer() + i, s.recompute == model::Recompute::none);
    return total * samples();
  }
  U most_of_a_block() const {
    U most = 0;
    for (U i = 0; i < layers(); ++i) most = std::max(most, kept_of_layer(first_layer() + i, true));
    return most * samples();
  }
  /// 1F1B: as many microbatches as there are stages from this one on; zero-bubble: as all stages.
  U in_flight() const {
    if (s.schedule == Schedule::gpipe) return microbatches();
    return std::min(microbatches(), s.schedule == Schedule::zero_bubble ? pp() : pp() - stage_);
  }

  const model::TransformerSpec& t;
  const Strategy& s;
  U stage_;
};

}  // namespace wafertlm::training::independent
