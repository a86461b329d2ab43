// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/training.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::training {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;

TrainingGenerator::TrainingGenerator(std::shared_ptr<const Plan> plan, std::uint32_t rank,
                                     std::optional<std::uint64_t> memory_bytes)
    : plan_(std::move(plan)),
      rank_(rank),
      memory_bytes_(memory_bytes),
      at_(plan_->coordinates(rank)),
      name_(fmt::format("{}, rank {}", plan_->model().name, rank)),
      passes_(plan_->passes(at_.pp)),
      nodes_(name_, strategy().effective_rate) {
  if (rank >= plan_->ranks())
    throw chakra::TraceError(fmt::format("{}: the parallelism has {} ranks", name_, plan_->ranks()));
  TrainingGenerator::rewind();
}

void TrainingGenerator::rewind() {
  step_ = 0;
  nodes_ = {name_, strategy().effective_rate};
  streams_.emplace(*plan_, rank_, passes_, nodes_);
  gradients_.emplace(*plan_, rank_, nodes_);
  lending_.emplace(*plan_, rank_, passes_, nodes_);
  tensor_ = tensor_schedule(*plan_, rank_, nodes_);
}

bool TrainingGenerator::next(Node& node) {
  while (nodes_.empty()) {
    if (step_ > passes_.size()) return false;
    make_more();
    ++step_;
  }
  node = nodes_.take();
  return true;
}

void TrainingGenerator::make_more() {
  if (step_ == passes_.size()) {
    nodes_.set_label("");
    // Streamed gradients leave behind every visit of a chunk, and nobody needs to wait.
    if (!strategy().streams_weights()) gradients_->finish();
    return;
  }
  const Pass& pass = passes_[step_];
  streams_->before_pass(step_);
  std::string label = fmt::format(" {}", pass.microbatch);
  if (strategy().chunks_per_stage > 1) label += fmt::format(".{}", pass.chunk);
  nodes_.set_label(label);
  lending_->before_pass(step_);
  pass.is_forward ? forward(pass) : backward(pass);
  lending_->after_pass(step_);
  if (!pass.is_forward) gradients_->end_pass();
  streams_->after_pass(step_);
}

namespace {

/// Whether the chunk has a pass in the same direction among those from `begin` to `end`.
bool has_another(const std::vector<Pass>& passes, const Pass& pass, std::size_t begin, std::size_t end) {
  const auto first = passes.begin();
  return std::any_of(
      first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end),
      [&](const Pass& other) { return other.chunk == pass.chunk && other.is_forward == pass.is_forward; });
}

}  // namespace

class TrainingGenerator::Prefetch {
 public:
  /// @param order of the units; none: nothing comes in.
  Prefetch(TrainingGenerator& of, const std::vector<Piece>& pieces, std::vector<std::uint32_t> order)
      : of_(of), pieces_(pieces), order_(std::move(order)) {
    up_to(1);
  }
  /// What is computed next waits for its parameters; those of later units come in beside it.
  void before_unit() {
    if (order_.empty()) return;
    of_.wait_for(came_[done_]);
    if (of_.strategy().overlap_dp) up_to(done_ + 1 + of_.strategy().prefetch);
  }
  void after_unit() {
    ++done_;
    if (!of_.strategy().overlap_dp) up_to(done_ + 1);
  }

 private:
  void up_to(std::size_t units) {
    while (came_.size() < std::min(units, order_.size()))
      came_.push_back(of_.gather_parameters(pieces_, order_[came_.size()]));
  }

  TrainingGenerator& of_;
  const std::vector<Piece>& pieces_;
  std::vector<std::uint32_t> order_;
  std::vector<NodeIds> came_;
  std::size_t done_ = 0;
};

void TrainingGenerator::forward(const Pass& pass) {
  const std::uint32_t stages = strategy().degrees.pp, number = number_of(pass);
  if (number > 0) receive_from((at_.pp + stages - 1) % stages, pass);
  if (number == 0 && strategy().input == Input::streamed) streams_->load_input(pass);
  const std::vector<Piece> pieces = plan_->pieces(at_.pp, pass.chunk);
  const std::uint32_t units = pieces.back().unit + 1;
  std::vector<std::uint32_t> order(units);
  std::iota(order.begin(), order.end(), 0U);
  Prefetch prefetch(*this, pieces, fetches_for(pass) ? order : std::vector<std::uint32_t>());
  std::size_t i = 0;
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    prefetch.before_unit();
    for (; i < pieces.size() && pieces[i].unit == unit; ++i) forward_layer(pieces[i], Plan::Work::forward);
    prefetch.after_unit();
  }
  if (number + 1 < strategy().chunks()) send_to((at_.pp + 1) % stages, pass);
}

void TrainingGenerator::forward_layer(const Piece& piece, Plan::Work work) {
  if (tensor_) return tensor_->forward(piece, work);
  const std::string& layer = piece.layer->name;
  const std::string what = (work == Plan::Work::forward ? "forward " : "recompute ") + layer;
  if (plan_->input_gradient_bytes(piece) != 0) mp_all_gather(piece, plan_->input_gradient_bytes(piece));
  if (piece.layer->exchanges == 2) exchange(piece);
  compute(what, piece, work);
  if (piece.layer->exchanges >= 1) exchange(piece);
  mp_reduce(layer, plan_->output_bytes(piece));
}

void TrainingGenerator::backward(const Pass& pass) {
  const std::vector<Piece> pieces = plan_->pieces(at_.pp, pass.chunk);
  if (pass.part == Pass::Part::weights) {
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) weight_gradient(*piece, pass);
    return;
  }
  const std::uint32_t stages = strategy().degrees.pp, number = number_of(pass);
  if (number + 1 < strategy().chunks()) receive_from((at_.pp + 1) % stages, pass);
  std::vector<std::uint32_t> order(pieces.back().unit + 1);
  std::iota(order.rbegin(), order.rend(), 0U);
  Prefetch prefetch(*this, pieces, fetches_for(pass) ? order : std::vector<std::uint32_t>());
  std::size_t end = pieces.size();
  for (const std::uint32_t unit : order) {
    prefetch.before_unit();
    std::size_t begin = end;
    while (begin > 0 && pieces[begin - 1].unit == unit) --begin;
    if (strategy().recompute_in(at_.pp) == model::Recompute::full && pieces[begin].of_a_block)
      for (std::size_t i = begin; i < end; ++i) forward_layer(pieces[i], Plan::Work::recomputation);
    for (; end > begin; --end) backward_layer(pieces[end - 1], pass);
    prefetch.after_unit();
  }
  if (number > 0) send_to((at_.pp + stages - 1) % stages, pass);
}

void TrainingGenerator::backward_layer(const Piece& piece, const Pass& pass) {
  const std::string& layer = piece.layer->name;
  if (tensor_) {
    if (strategy().recompute_in(at_.pp) == model::Recompute::selective)
      tensor_->forward(piece, Plan::Work::recomputation);
    tensor_->backward(piece);
    return collect_gradients(piece, pass);
  }
  if (strategy().recompute_in(at_.pp) == model::Recompute::selective)
    compute("recompute " + layer, piece, Plan::Work::recomputation);
  if (const std::uint64_t bytes = plan_->output_gradient_bytes(piece); bytes != 0)
    mp_all_gather(piece, bytes);
  if (piece.layer->exchanges == 2) exchange(piece);
  compute("input_gradient " + layer, piece, Plan::Work::input_gradient);
  if (piece.layer->exchanges >= 1) exchange(piece);
  const NodeIds before = nodes_.waits();
  mp_reduce(layer + " input gradient", plan_->input_gradient_bytes(piece));
  if (pass.part == Pass::Part::inputs) return;
  if (strategy().overlap_mp) {  // the weight gradient does not need the sum
    const NodeIds reduced = std::exchange(nodes_.waits(), before);
    weight_gradient(piece, pass);
    nodes_.waits() = reduced;
  } else {
    weight_gradient(piece, pass);
  }
}

/// With the last one of an iteration, or each, its gradients are reduced.
void TrainingGenerator::weight_gradient(const Piece& piece, const Pass& pass) {
  compute("weight_gradient " + piece.layer->name, piece, Plan::Work::weight_gradient);
  collect_gradients(piece, pass);
}

void TrainingGenerator::collect_gradients(const Piece& piece, const Pass& pass) {
  if (strategy().streams_weights()) return;
  const bool last = is_last(pass);
  if (last || strategy().gather == Gather::microbatch) gradients_->collect(piece, pass.chunk, last);
}

bool TrainingGenerator::is_last(const Pass& pass) const {
  return !has_another(passes_, pass, step_ + 1, passes_.size());
}

/// The parameters of a unit's layers: offloaded ones from the remote memory, those of ZeRO-3 from all that
/// hold a part; starts now.
NodeIds TrainingGenerator::gather_parameters(const std::vector<Piece>& pieces, std::uint32_t unit) {
  NodeIds ids;
  for (const Kind kind : kKinds) {
    std::uint64_t held = 0;
    for (const Piece& piece : pieces)
      if (piece.unit == unit) held += plan_->held(piece, Part::parameters, kind);
    if (held == 0 || !fetches(strategy(), kind)) continue;
    constexpr std::array<const char*, kKinds.size()> kNames = {"parameters", "experts", "tied embeddings"};
    const std::string what = fmt::format("{} of unit {}", kNames[static_cast<std::size_t>(kind)], unit);
    const std::uint64_t bytes = held * strategy().element_bytes;
    NodeIds here = nodes_.last();
    if (strategy().offload.weights) here = {nodes_.access(true, what, bytes, nodes_.last())};
    if (holders(strategy(), Part::parameters, kind) > 1)
      here = {nodes_.collective(CollectiveType::AllGather, "all_gather " + what, "dp",
                                plan_->copies_group(rank_, kind), bytes, here)};
    ids.insert(ids.end(), here.begin(), here.end());
  }
  return ids;
}

void TrainingGenerator::exchange(const Piece& piece) {
  const std::uint64_t bytes = plan_->exchange_bytes(piece);
  if (bytes == 0) return;
  nodes_.wait_for(nodes_.collective(CollectiveType::AllToAll, "all_to_all " + piece.layer->name, "ep",
                                    plan_->ep_group(rank_), bytes, nodes_.everything()));
}

/// Sequence parallelism, stationary activations: `bytes` in all, every rank has its part.
void TrainingGenerator::mp_all_gather(const Piece& piece, std::uint64_t bytes) {
  if (!strategy().divides_activations()) return;
  mp_collective(CollectiveType::AllGather, "all_gather " + piece.layer->name,
                Fraction{1, strategy().degrees.mp}.of(bytes), strategy().degrees.mp);
}

/// Stationary activations are gathered where they are used, and sums leave as they come to be: no rank ever
/// has all of them. One after the other they take as long as all at once.
void TrainingGenerator::mp_collective(CollectiveType type, const std::string& what, std::uint64_t bytes,
                                      std::uint32_t copies) {
  constexpr std::uint64_t kMost = std::uint64_t{256} << 20;
  const std::uint64_t parts = strategy().keeps_activations() ? (bytes * copies + kMost - 1) / kMost : 1;
  for (std::uint64_t part = 0; part < parts; ++part)
    nodes_.wait_for(nodes_.collective(type, what, "mp", plan_->mp_group(rank_), Fraction{1, parts}.of(bytes),
                                      nodes_.everything()));
}

void TrainingGenerator::mp_reduce(const std::string& what, std::uint64_t bytes) {
  if (bytes == 0) return;
  const bool scatters = strategy().divides_activations();
  mp_collective(scatters ? CollectiveType::ReduceScatter : CollectiveType::AllReduce,
                (scatters ? "reduce_scatter " : "all_reduce ") + what, bytes, 1);
}

/// Parameters that lie elsewhere come for the first of a chunk's passes in a direction, or for each.
bool TrainingGenerator::fetches_for(const Pass& pass) const {
  return fetches(strategy(), Kind::dense) &&
         (strategy().gather == Gather::microbatch || !has_another(passes_, pass, 0, step_));
}

void TrainingGenerator::receive_from(std::uint32_t stage, const Pass& pass) {
  transfer(stage, at_.pp, number_of(pass) - (pass.is_forward ? 1 : 0), pass, false);
}

void TrainingGenerator::send_to(std::uint32_t stage, const Pass& pass) {
  transfer(at_.pp, stage, number_of(pass) - (pass.is_forward ? 0 : 1), pass, true);
}

/// `boundary`: behind the chunk of the model with this number.
void TrainingGenerator::transfer(std::uint32_t from_stage, std::uint32_t to_stage, std::uint32_t boundary,
                                 const Pass& pass, bool sends) {
  if (from_stage == to_stage) return;
  const Parallelism& degrees = strategy().degrees;
  const std::string what = pass.is_forward ? "activations" : "gradients";
  const Fraction share{1, strategy().divides_activations() ? degrees.mp : 1};
  const std::uint64_t bytes = share.of(plan_->boundary_bytes(boundary % degrees.pp, boundary / degrees.pp));
  // What is sent needs what the last computation still waits for. Nothing is asked for before the pass that
  // needs it: a rank works on one operation of a class at a time, so it could not send meanwhile.
  NodeIds after = nodes_.last();
  if (sends) after.insert(after.end(), nodes_.waits().begin(), nodes_.waits().end());
  if (strategy().stage_transfer == StageTransfer::multicast) {
    if (sends && at_.mp != 0) return;
    const std::uint64_t id =
        nodes_.collective(CollectiveType::Broadcast, "broadcast " + what, "pp",
                          plan_->multicast_group(from_stage, at_.dp, pass.is_forward), bytes, after);
    if (!sends || !strategy().overlap_pp) nodes_.wait_for(id);
    return;
  }
  Node& node = nodes_.communication(sends ? NodeType::CommSend : NodeType::CommRecv,
                                    (sends ? "send " : "receive ") + what, "pp", bytes, after);
  node.comm_src = degrees.worker(at_.mp, from_stage, at_.dp);
  node.comm_dst = degrees.worker(at_.mp, to_stage, at_.dp);
  node.comm_tag = 2 * (boundary * strategy().microbatches + pass.microbatch) + (pass.is_forward ? 0 : 1);
  if (!sends || !strategy().overlap_pp) nodes_.wait_for(node.id);
}

void TrainingGenerator::compute(const std::string& what, const Piece& piece, Plan::Work work) {
  nodes_.compute(what, plan_->operations(piece, work), plan_->products(piece, work));
}

}  // namespace wafertlm::training
