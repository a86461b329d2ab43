// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/training.h"

#include <algorithm>
#include <utility>

#include "tlm/units.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::training {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;

TrainingGenerator::TrainingGenerator(std::shared_ptr<const Plan> plan, std::uint32_t rank)
    : plan_(std::move(plan)),
      rank_(rank),
      at_(plan_->place(rank)),
      name_(plan_->model().name + ", rank " + std::to_string(rank)),
      passes_(plan_->passes(at_.pp)) {
  if (rank >= plan_->ranks())
    throw chakra::TraceError(name_ + ": the parallelism has " + std::to_string(plan_->ranks()) + " ranks");
  if (!strategy().streams_weights()) return;
  const auto goes_on = [this](std::size_t i) {
    return i > 0 && passes_[i].chunk == passes_[i - 1].chunk &&
           passes_[i].is_forward == passes_[i - 1].is_forward;
  };
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    if (!goes_on(i)) visits_.push_back({i, i});
    visits_.back().end = i + 1;
  }
}

void TrainingGenerator::rewind() {
  step_ = 0;
  made_.clear();
  next_id_ = 0;
  last_.clear();
  waits_.clear();
  bucket_ = {};
  expert_bucket_ = {};
  delayed_.clear();
  reduced_.clear();
  reductions_.clear();
  stored_gradients_.clear();
  parameters_ = 0;
  visit_ = 0;
  loads_.clear();
  stores_.clear();
  last_load_.reset();
  last_store_.reset();
  inputs_.clear();
}

bool TrainingGenerator::next(Node& node) {
  while (made_.empty()) {
    if (step_ > passes_.size()) return false;
    make_more();
    ++step_;
  }
  node = std::move(made_.front());
  made_.pop_front();
  return true;
}

void TrainingGenerator::make_more() {
  if (step_ == passes_.size()) return finish();
  const Pass& pass = passes_[step_];
  if (visit_ < visits_.size() && visits_[visit_].begin == step_) begin_visit(visit_);
  label_ = " " + std::to_string(pass.microbatch);
  if (strategy().chunks_per_stage > 1) label_ += "." + std::to_string(pass.chunk);
  pass.is_forward ? forward(pass) : backward(pass);
  if (visit_ < visits_.size() && visits_[visit_].end == step_ + 1) end_visit(visit_++);
}

/// Loads what may come in from now on, and waits for what the visit needs.
void TrainingGenerator::begin_visit(std::size_t visit) {
  const std::size_t buffers = strategy().buffers();
  label_.clear();
  const std::size_t last = std::min(visit + buffers, visits_.size());
  for (std::size_t next = visit == 0 ? 0 : visit + buffers - 1; next < last; ++next)
    stream_weights(next, true);
  const auto take = [this](std::map<std::size_t, std::uint64_t>& from, std::size_t of) {
    const auto found = from.find(of);
    if (found == from.end()) return;
    wait_for(found->second);
    from.erase(found);
  };
  take(loads_, visit);
  if (visit >= buffers) take(stores_, visit - buffers);
}

void TrainingGenerator::end_visit(std::size_t visit) {
  if (passes_[step_].is_forward) return;
  const std::size_t a_round = visits_.size() / strategy().weight_loads_per_pass;
  const bool is_last_round = visit + a_round >= visits_.size();
  label_.clear();
  if (strategy().gradient_store == GradientStore::every_load || is_last_round) stream_weights(visit, false);
}

/// The chunk of a visit, of all stages that this rank gets: weights in the order of the passes, gradients
/// too.
void TrainingGenerator::stream_weights(std::size_t visit, bool comes_in) {
  const Pass& pass = passes_[visits_[visit].begin];
  const std::uint32_t stages = strategy().degrees.pp;
  const bool broadcast = strategy().weight_delivery == WeightDelivery::broadcast;
  for (std::uint32_t i = 0; i < stages; ++i) {
    const std::uint32_t stage = pass.is_forward ? i : stages - 1 - i;
    const bool is_own = stage == at_.pp;
    if (!is_own && !broadcast) continue;
    const std::uint64_t bytes =
        broadcast ? plan_->whole_bytes(stage, pass.chunk) : plan_->held_bytes(stage, pass.chunk);
    if (bytes == 0) continue;
    // One after the other in each direction, in the order in which they are wanted. There is room from the
    // start for as many chunks as there are buffers; what belongs to other stages only passes and needs none.
    std::optional<std::uint64_t>& before = comes_in ? last_load_ : last_store_;
    Ids after;
    if (is_own && !(comes_in && visit < strategy().buffers())) after = last_;
    if (before) after.push_back(*before);
    if (comes_in && is_own && !strategy().overlap_stores && !stores_.empty())
      after.push_back(stores_.rbegin()->second);
    before =
        stream(comes_in,
               std::string(comes_in ? "weights of chunk " : "gradients of chunk ") +
                   std::to_string(pass.chunk * stages + stage) + (pass.is_forward ? " forward" : " backward"),
               "weights", plan_->weights_group(rank_), bytes, after);
    if (is_own) (comes_in ? loads_ : stores_).emplace(visit, *before);
  }
}

/// Waits for the samples of a pass; with overlap those of the next one come in meanwhile.
void TrainingGenerator::load_input(const Pass& pass) {
  const std::uint64_t bytes = plan_->input_bytes();
  const auto load = [&](std::uint32_t microbatch) {
    if (microbatch >= strategy().microbatches || inputs_.count(microbatch) != 0) return;
    inputs_[microbatch] = stream(true, "samples", "input", plan_->mp_group(rank_), bytes, last_);
  };
  load(pass.microbatch);
  if (strategy().overlap_input) load(pass.microbatch + 1);
  wait_for(inputs_.at(pass.microbatch));
  inputs_.erase(pass.microbatch);
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

void TrainingGenerator::forward(const Pass& pass) {
  const std::uint32_t stages = strategy().degrees.pp, number = number_of(pass);
  if (number > 0) receive_from((at_.pp + stages - 1) % stages, pass);
  if (number == 0 && strategy().input == Input::streamed) load_input(pass);
  const std::vector<Piece> pieces = plan_->pieces(at_.pp, pass.chunk);
  const bool gathers = fetches_for(pass);
  const std::uint32_t units = pieces.back().unit + 1;
  Ids gathered = gathers ? gather_parameters(pieces, 0) : Ids{};
  std::size_t i = 0;
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    waits_.insert(waits_.end(), gathered.begin(), gathered.end());
    if (gathers && unit + 1 < units && strategy().overlap_dp) gathered = gather_parameters(pieces, unit + 1);
    for (; i < pieces.size() && pieces[i].unit == unit; ++i) forward_layer(pieces[i], Plan::Work::forward);
    if (gathers && unit + 1 < units && !strategy().overlap_dp) gathered = gather_parameters(pieces, unit + 1);
  }
  if (number + 1 < strategy().chunks()) send_to((at_.pp + 1) % stages, pass);
}

void TrainingGenerator::forward_layer(const Piece& piece, Plan::Work work) {
  const std::string& layer = piece.layer->name;
  const std::string what = (work == Plan::Work::forward ? "forward " : "recompute ") + layer;
  if (plan_->input_gradient_bytes(piece) != 0) mp_all_gather(piece, plan_->input_gradient_bytes(piece));
  if (piece.layer->exchanges == 2) exchange(piece);
  compute(what, piece, work);
  if (piece.layer->exchanges >= 1) exchange(piece);
  mp_reduce(layer, plan_->output_bytes(piece));
}

void TrainingGenerator::backward(const Pass& pass) {
  const std::uint32_t stages = strategy().degrees.pp, number = number_of(pass);
  if (number + 1 < strategy().chunks()) receive_from((at_.pp + 1) % stages, pass);
  const std::vector<Piece> pieces = plan_->pieces(at_.pp, pass.chunk);
  const bool gathers = fetches_for(pass);
  const bool is_last_pass = !has_another(passes_, pass, step_ + 1, passes_.size());
  Ids gathered = gathers ? gather_parameters(pieces, pieces.back().unit) : Ids{};
  std::size_t end = pieces.size();
  for (std::uint32_t unit = pieces.back().unit + 1; unit-- > 0;) {
    waits_.insert(waits_.end(), gathered.begin(), gathered.end());
    if (gathers && unit > 0 && strategy().overlap_dp) gathered = gather_parameters(pieces, unit - 1);
    std::size_t begin = end;
    while (begin > 0 && pieces[begin - 1].unit == unit) --begin;
    if (strategy().recompute == model::Recompute::full && pieces[begin].of_a_block)
      for (std::size_t i = begin; i < end; ++i) forward_layer(pieces[i], Plan::Work::recomputation);
    for (; end > begin; --end) backward_layer(pieces[end - 1], is_last_pass);
    if (gathers && unit > 0 && !strategy().overlap_dp) gathered = gather_parameters(pieces, unit - 1);
  }
  if (number > 0) send_to((at_.pp + stages - 1) % stages, pass);
}

void TrainingGenerator::backward_layer(const Piece& piece, bool is_last_pass) {
  const std::string& layer = piece.layer->name;
  if (strategy().recompute == model::Recompute::selective)
    compute("recompute " + layer, piece, Plan::Work::recomputation);
  if (plan_->output_bytes(piece) != 0) mp_all_gather(piece, plan_->output_bytes(piece));
  if (piece.layer->exchanges == 2) exchange(piece);
  compute("input_gradient " + layer, piece, Plan::Work::input_gradient);
  if (piece.layer->exchanges >= 1) exchange(piece);
  const Ids before = waits_;
  mp_reduce(layer + " input gradient", plan_->input_gradient_bytes(piece));
  if (strategy().overlap_mp) {  // the weight gradient does not need the sum
    const Ids reduced = std::exchange(waits_, before);
    compute("weight_gradient " + layer, piece, Plan::Work::weight_gradient);
    waits_ = reduced;
  } else {
    compute("weight_gradient " + layer, piece, Plan::Work::weight_gradient);
  }
  if (!is_last_pass || strategy().streams_weights()) return;
  collect_gradient(plan_->parameters(piece), false, last_);
  collect_gradient(plan_->expert_parameters(piece), true, last_);
}

void TrainingGenerator::collect_gradient(std::uint64_t parameters, bool of_experts, const Ids& ready) {
  if (parameters == 0) return;
  parameters_ += parameters;
  Bucket& bucket = of_experts ? expert_bucket_ : bucket_;
  bucket.of_experts = of_experts;
  bucket.bytes += parameters * strategy().element_bytes;
  if (bucket.gradients.empty() || bucket.gradients.back() != ready.back())
    bucket.gradients.insert(bucket.gradients.end(), ready.begin(), ready.end());
  if (bucket.bytes >= strategy().bucket_bytes) close_bucket(bucket);
}

void TrainingGenerator::close_bucket(Bucket& from) {
  Bucket bucket = std::exchange(from, {});
  if (bucket.bytes == 0) return;
  if (copies(bucket.of_experts) == 1 || strategy().dp_collective == DpCollective::none) {
    if (strategy().offload.gradients)
      stored_gradients_.push_back(access(false, "gradients", bucket.bytes, bucket.gradients));
    return;
  }
  if (strategy().overlap_dp)
    reduce(bucket, bucket.gradients);
  else
    delayed_.push_back(std::move(bucket));
}

void TrainingGenerator::reduce(const Bucket& bucket, const Ids& ready) {
  const std::string what = "gradients " + std::to_string(reductions_.size());
  const bool scatters = strategy().scatters_gradients();
  reductions_.push_back(collective(scatters ? CollectiveType::ReduceScatter : CollectiveType::AllReduce,
                                   (scatters ? "reduce_scatter " : "all_reduce ") + what, "dp",
                                   copies_group(bucket.of_experts), bucket.bytes, ready));
  reduced_.push_back({bucket.bytes, bucket.of_experts});
  if (!strategy().offload.gradients) return;
  const std::uint64_t share = scatters ? copies(bucket.of_experts) : 1;
  stored_gradients_.push_back(access(false, what, Fraction{1, share}.of(bucket.bytes), {reductions_.back()}));
}

/// The last buckets, the optimizer, and what it has changed back to everybody.
void TrainingGenerator::finish() {
  label_.clear();
  if (strategy().streams_weights()) return;  // gradients leave behind every visit, and nobody needs to wait
  close_bucket(bucket_);
  close_bucket(expert_bucket_);
  for (const Bucket& bucket : delayed_) reduce(bucket, last_);
  waits_.insert(waits_.end(), reductions_.begin(), reductions_.end());
  optimize();
  if (!strategy().scatters_gradients() || strategy().zero_stage == 3 || strategy().offload.weights) return;
  for (std::size_t i = 0; i < reduced_.size(); ++i) {
    const bool of_experts = reduced_[i].of_experts;
    collective(CollectiveType::AllGather, "all_gather parameters " + std::to_string(i), "dp",
               copies_group(of_experts), Fraction{1, copies(of_experts)}.of(reduced_[i].bytes), last_);
  }
}

/// In portions, if something of it is offloaded: while one is worked on, the next comes in and the last goes.
void TrainingGenerator::optimize() {
  const Offload& offload = strategy().offload;
  const Fraction share{1, strategy().scatters_gradients() ? strategy().degrees.dp : 1};
  const std::uint64_t operations = share.of(parameters_, strategy().optimizer_operations_per_parameter);
  if (!offload.any()) return compute("optimizer", operations, {});
  const std::uint64_t state =
      offload.optimizer ? share.of(parameters_, strategy().optimizer_bytes_per_parameter) : 0;
  const std::uint64_t elements = share.of(parameters_, strategy().element_bytes);
  const std::uint64_t in = state + (offload.gradients ? elements : 0);
  const std::uint64_t out = state + (offload.weights ? elements : 0);
  const std::uint64_t portions = std::max<std::uint64_t>(
      1, (std::max(in, out) + strategy().offload_portion_bytes - 1) / strategy().offload_portion_bytes);
  const auto part = [portions](std::uint64_t all, std::uint64_t k) {
    return static_cast<std::uint64_t>(Uint128{all} * (k + 1) / portions - Uint128{all} * k / portions);
  };
  const Ids backward = last_;
  std::vector<Ids> room;  // by portion: what frees its buffer
  for (std::uint64_t k = 0; k < portions; ++k) {
    const std::string number = " " + std::to_string(k);
    Ids after = k < 2 ? backward : room[k - 2];
    after.insert(after.end(), stored_gradients_.begin(), stored_gradients_.end());
    if (const std::uint64_t bytes = part(in, k))
      wait_for(access(true, "optimizer portion" + number, bytes, after));
    compute("optimizer" + number, part(operations, k), {});
    room.push_back(last_);
    if (const std::uint64_t bytes = part(out, k))
      room.back().push_back(access(false, "optimizer portion" + number, bytes, last_));
  }
}

/// The parameters of a unit's layers: offloaded ones from the remote memory, those of ZeRO-3 from all that
/// hold a part; starts now.
TrainingGenerator::Ids TrainingGenerator::gather_parameters(const std::vector<Piece>& pieces,
                                                            std::uint32_t unit) {
  std::uint64_t parameters = 0, expert_parameters = 0;
  for (const Piece& piece : pieces) {
    if (piece.unit != unit) continue;
    parameters += plan_->parameters(piece);
    expert_parameters += plan_->expert_parameters(piece);
  }
  Ids ids;
  const auto gather = [&](std::uint64_t held, bool of_experts) {
    if (held == 0) return;
    const char* const experts = of_experts ? "experts of unit " : "parameters of unit ";
    const bool divided = strategy().zero_stage == 3 && copies(of_experts) > 1;
    const std::uint64_t bytes =
        Fraction{1, divided ? copies(of_experts) : 1}.of(held * strategy().element_bytes);
    Ids after = last_;
    if (strategy().offload.weights) after = {access(true, experts + std::to_string(unit), bytes, last_)};
    if (divided)
      ids.push_back(collective(CollectiveType::AllGather, "all_gather " + (experts + std::to_string(unit)),
                               "dp", copies_group(of_experts), bytes, after));
    else if (strategy().offload.weights)
      ids.push_back(after.front());
  };
  gather(parameters, false);
  gather(expert_parameters, true);
  return ids;
}

/// How many ranks hold the same parameters, and which.
std::uint32_t TrainingGenerator::copies(bool of_experts) const {
  return strategy().degrees.dp / (of_experts ? strategy().expert_parallel : 1);
}
std::string TrainingGenerator::copies_group(bool of_experts) const {
  return of_experts ? plan_->expert_dp_group(rank_) : plan_->dp_group(rank_);
}

void TrainingGenerator::exchange(const Piece& piece) {
  const std::uint64_t bytes = plan_->exchange_bytes(piece);
  if (bytes == 0) return;
  wait_for(collective(CollectiveType::AllToAll, "all_to_all " + piece.layer->name, "ep",
                      plan_->ep_group(rank_), bytes, everything()));
}

/// Sequence parallelism: `bytes` in all, every rank has its part.
void TrainingGenerator::mp_all_gather(const Piece& piece, std::uint64_t bytes) {
  if (!strategy().sequence_parallel) return;
  wait_for(collective(CollectiveType::AllGather, "all_gather " + piece.layer->name, "mp",
                      plan_->mp_group(rank_), Fraction{1, strategy().degrees.mp}.of(bytes), everything()));
}

void TrainingGenerator::mp_reduce(const std::string& what, std::uint64_t bytes) {
  if (bytes == 0) return;
  const bool scatters = strategy().sequence_parallel;
  wait_for(collective(scatters ? CollectiveType::ReduceScatter : CollectiveType::AllReduce,
                      (scatters ? "reduce_scatter " : "all_reduce ") + what, "mp", plan_->mp_group(rank_),
                      bytes, everything()));
}

/// What has been started so far and counts: the next computation waits for what comes after it.
TrainingGenerator::Ids TrainingGenerator::everything() {
  Ids ids = last_;
  ids.insert(ids.end(), waits_.begin(), waits_.end());
  waits_.clear();
  return ids;
}

/// Of all chunks of the model.
std::uint32_t TrainingGenerator::number_of(const Pass& pass) const {
  return pass.chunk * strategy().degrees.pp + at_.pp;
}

/// Parameters that lie elsewhere come for the first of a chunk's passes in a direction.
bool TrainingGenerator::fetches_for(const Pass& pass) const {
  const bool elsewhere =
      strategy().offload.weights || (strategy().zero_stage == 3 && strategy().degrees.dp > 1);
  return elsewhere && !has_another(passes_, pass, 0, step_);
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
  const Fraction share{1, strategy().sequence_parallel ? degrees.mp : 1};
  const std::uint64_t bytes = share.of(plan_->boundary_bytes(boundary % degrees.pp, boundary / degrees.pp));
  // What is sent needs what the last computation still waits for. Nothing is asked for before the pass that
  // needs it: a rank works on one operation of a class at a time, so it could not send meanwhile.
  Ids after = last_;
  if (sends) after.insert(after.end(), waits_.begin(), waits_.end());
  if (strategy().stage_transfer == StageTransfer::multicast) {
    if (sends && at_.mp != 0) return;
    const std::uint64_t id =
        collective(CollectiveType::Broadcast, "broadcast " + what, "pp",
                   plan_->multicast_group(from_stage, at_.dp, pass.is_forward), bytes, after);
    if (!sends || !strategy().overlap_pp) wait_for(id);
    return;
  }
  Node& node = communication(sends ? NodeType::CommSend : NodeType::CommRecv,
                             (sends ? "send " : "receive ") + what, "pp", bytes, after);
  node.comm_src = degrees.worker(at_.mp, from_stage, at_.dp);
  node.comm_dst = degrees.worker(at_.mp, to_stage, at_.dp);
  node.comm_tag = 2 * (boundary * strategy().microbatches + pass.microbatch) + (pass.is_forward ? 0 : 1);
  if (!sends || !strategy().overlap_pp) wait_for(node.id);
}

void TrainingGenerator::compute(const std::string& what, const Piece& piece, Plan::Work work) {
  compute(what, plan_->operations(piece, work), plan_->products(piece, work));
}

void TrainingGenerator::compute(const std::string& what, std::uint64_t operations,
                                std::vector<MatrixProduct> products) {
  if (operations == 0) return;
  Node node;
  node.id = next_id_++;
  node.name = what + label_;
  node.type = NodeType::Comp;
  node.data_deps = everything();
  node.num_ops = operations;
  node.products = std::move(products);
  if (const std::uint64_t rate = strategy().effective_rate; rate != 0) {
    const Uint128 duration_ps = (Uint128{operations} * kPsPerSecond + rate - 1) / rate;
    if (duration_ps >> 63 != 0)
      throw chakra::TraceError(name_ + ": " + node.name +
                               " takes longer than the 106 days that simulated time can hold");
    node.duration_ps = static_cast<std::uint64_t>(duration_ps);
  }
  last_ = {node.id};
  made_.push_back(std::move(node));
}

Node& TrainingGenerator::communication(NodeType type, const std::string& what, const char* traffic_class,
                                       std::uint64_t bytes, const Ids& after) {
  Node node;
  node.id = next_id_++;
  node.name = what + label_;
  node.type = type;
  node.data_deps = after;
  node.comm_size = bytes;
  node.comm_class = traffic_class;
  made_.push_back(std::move(node));
  return made_.back();
}

std::uint64_t TrainingGenerator::collective(CollectiveType type, const std::string& what,
                                            const char* traffic_class, const std::string& group,
                                            std::uint64_t bytes, const Ids& after) {
  Node& node = communication(NodeType::CommColl, what, traffic_class, bytes, after);
  node.comm_type = type;
  node.pg_name = group;
  return node.id;
}

/// Of the remote memory.
std::uint64_t TrainingGenerator::access(bool load, const std::string& what, std::uint64_t bytes,
                                        const Ids& after) {
  Node node;
  node.id = next_id_++;
  node.name = (load ? "load " : "store ") + what + label_;
  node.type = load ? NodeType::MemLoad : NodeType::MemStore;
  node.data_deps = after;
  node.tensor_size = bytes;
  made_.push_back(std::move(node));
  return made_.back().id;
}

std::uint64_t TrainingGenerator::stream(bool comes_in, const std::string& what, const char* traffic_class,
                                        const std::string& group, std::uint64_t bytes, const Ids& after) {
  const std::uint64_t id = collective(comes_in ? CollectiveType::Broadcast : CollectiveType::Reduce, what,
                                      traffic_class, group, bytes, after);
  made_.back().io_stream = true;
  return id;
}

}  // namespace wafertlm::training
