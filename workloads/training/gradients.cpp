// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/gradients.h"

#include <fmt/core.h>

#include <algorithm>

#include "tlm/kernel/units.h"

namespace wafertlm::training {

using chakra::CollectiveType;

void Gradients::collect(const Piece& piece, std::uint32_t chunk, bool is_last) {
  if (adds_up()) place_.second = chunk;
  for (const Kind kind : kKinds) collect(piece, kind, is_last);
}

void Gradients::end_pass() {
  if (!adds_up()) return;
  for (Bucket& bucket : open_) close(bucket);
  place_.first = 0;
}

void Gradients::collect(const Piece& piece, Kind kind, bool is_last) {
  const std::uint64_t parameters = plan_.parameters(piece, kind);
  if (parameters == 0) return;
  const std::uint64_t updated = plan_.held(piece, Part::updated, kind);
  const NodeIds& ready = nodes_.last();
  if (is_last) updated_ += updated;
  if (is_last && kind == Kind::tied) tied_bytes_ += updated * strategy().element_bytes;
  Bucket& bucket = open_[static_cast<std::size_t>(kind)];
  bucket.kind = kind;
  bucket.bytes += parameters * strategy().element_bytes;
  bucket.updated_bytes += updated * strategy().element_bytes;
  if (bucket.gradients.empty() || bucket.gradients.back() != ready.back())
    bucket.gradients.insert(bucket.gradients.end(), ready.begin(), ready.end());
  if (bucket.bytes >= strategy().bucket_bytes) close(bucket);
}

void Gradients::close(Bucket& from) {
  Bucket bucket = std::exchange(from, {});
  if (bucket.bytes == 0) return;
  bucket.place = place_;
  ++place_.first;
  if (copies(strategy(), bucket.kind) == 1 || strategy().dp_collective == DpCollective::none)
    store(bucket, "gradients", bucket.gradients);
  else if (strategy().overlap_dp)
    reduce(bucket, bucket.gradients);
  else
    delayed_.push_back(std::move(bucket));
}

void Gradients::reduce(Bucket bucket, const NodeIds& ready) {
  const std::string what = fmt::format("gradients {}", reductions_.size());
  const bool scatters = strategy().scatters_gradients();
  reductions_.push_back(
      nodes_.collective(scatters ? CollectiveType::ReduceScatter : CollectiveType::AllReduce,
                        (scatters ? "reduce_scatter " : "all_reduce ") + what, "dp",
                        plan_.copies_group(rank_, bucket.kind), bucket.bytes, ready));
  store(bucket, what, {reductions_.back()});
  reduced_.push_back(std::move(bucket));
}

void Gradients::store(const Bucket& bucket, const std::string& what, NodeIds after) {
  if (!strategy().offload.gradients || bucket.kind == Kind::tied) return;  // these wait for sum_tied()
  if (const auto sum = stored_.find(bucket.place); sum != stored_.end()) {
    NodeIds both = after;
    both.push_back(nodes_.access(true, what, bucket.updated_bytes, {after.back(), sum->second}));
    after = {nodes_.aside("add " + what, bucket.updated_bytes / strategy().element_bytes, both)};
  }
  stored_[bucket.place] = nodes_.access(false, what, bucket.updated_bytes, after);
}

/// As Megatron-LM does, after the reductions over DP and before the optimizer; with ZeRO a rank's share.
void Gradients::sum_tied() {
  if (tied_bytes_ == 0) return;
  const std::string what = "tied embeddings";
  const std::uint64_t sum = nodes_.collective(CollectiveType::AllReduce, "all_reduce " + what, "pp",
                                              plan_.embedding_group(rank_), tied_bytes_, nodes_.everything());
  nodes_.wait_for(sum);
  const Place behind_all_chunks = {place_.first, strategy().chunks_per_stage};
  if (strategy().offload.gradients)
    stored_[behind_all_chunks] = nodes_.access(false, what, tied_bytes_, {sum});
}

void Gradients::finish() {
  for (Bucket& bucket : open_) close(bucket);
  for (const Bucket& bucket : delayed_) reduce(bucket, nodes_.last());
  for (const std::uint64_t reduction : reductions_) nodes_.wait_for(reduction);
  sum_tied();
  optimize();
  if (!strategy().scatters_gradients() || strategy().zero_stage == 3 || strategy().offload.weights) return;
  for (std::size_t i = 0; i < reduced_.size(); ++i)
    nodes_.collective(CollectiveType::AllGather, fmt::format("all_gather parameters {}", i), "dp",
                      plan_.copies_group(rank_, reduced_[i].kind), reduced_[i].updated_bytes, nodes_.last());
}

void Gradients::optimize() {
  const std::uint64_t operations = updated_ * strategy().optimizer_operations_per_parameter;
  if (strategy().offload.any())
    optimize_offloaded(operations);
  else
    nodes_.compute("optimizer", operations, {});
}

/// In portions: while one is worked on, the next comes in and the last goes.
void Gradients::optimize_offloaded(std::uint64_t operations) {
  const Offload& offload = strategy().offload;
  const std::uint64_t state = offload.optimizer ? updated_ * strategy().optimizer_bytes_per_parameter : 0;
  const std::uint64_t elements = updated_ * strategy().element_bytes;
  const std::uint64_t in = state + (offload.gradients ? elements : 0);
  const std::uint64_t out = state + (offload.weights ? elements : 0);
  const std::uint64_t portions = std::max<std::uint64_t>(
      1, (std::max(in, out) + strategy().offload_portion_bytes - 1) / strategy().offload_portion_bytes);
  const auto portion = [portions](std::uint64_t all, std::uint64_t k) {
    return static_cast<std::uint64_t>(Uint128{all} * (k + 1) / portions - Uint128{all} * k / portions);
  };
  const NodeIds backward = nodes_.last();
  std::vector<NodeIds> buffer_free;  // by portion: after what its buffer can be used again
  for (std::uint64_t k = 0; k < portions; ++k) {
    const std::string name = fmt::format("optimizer portion {}", k);
    NodeIds after = k < 2 ? backward : buffer_free[k - 2];
    for (const auto& [place, store] : stored_) after.push_back(store);
    if (const std::uint64_t bytes = portion(in, k)) nodes_.wait_for(nodes_.access(true, name, bytes, after));
    nodes_.compute(fmt::format("optimizer {}", k), portion(operations, k), {});
    buffer_free.push_back(nodes_.last());
    if (const std::uint64_t bytes = portion(out, k))
      buffer_free.back().push_back(nodes_.access(false, name, bytes, nodes_.last()));
  }
}

}  // namespace wafertlm::training
