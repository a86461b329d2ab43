// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/custom/program.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "tlm/shape/topology.h"
#include "workloads/collectives/algorithm/fabric_loads.h"

namespace wafertlm {
namespace {

using Kind = CustomOperation::Kind;
using Buffer = CustomChunks::Buffer;

Step::Kind step_kind(Kind kind) {
  switch (kind) {
    case Kind::receive:
      return Step::Kind::copy;
    case Kind::receive_reduce:
      return Step::Kind::reduce;
    case Kind::copy:
      return Step::Kind::local_copy;
    case Kind::reduce:
      return Step::Kind::local_reduce;
    case Kind::send:
    case Kind::wait:
      break;
  }
  return Step::Kind::send;
}

}  // namespace

CustomPlan::CustomPlan(std::shared_ptr<const CustomAlgorithm> algorithm, std::uint64_t bytes,
                       std::uint32_t loops, const LocalCosts& costs)
    : algorithm_(std::move(algorithm)),
      bytes_(bytes),
      loops_(loops),
      costs_(costs),
      moves_input_(!algorithm_->in_place && algorithm_->type != CollectiveType::all_to_all),
      blocks_(bytes, algorithm_->ranks.size()) {
  const auto ranks = static_cast<std::uint32_t>(algorithm_->ranks.size());
  for (std::uint32_t number = 0; number < algorithm_->chunks; ++number)
    slot_bytes_ = std::max(slot_bytes_, vector_chunk(number).bytes);
  scratch_at_ = bytes + (algorithm_->type == CollectiveType::all_to_all ? ranks * blocks_.bytes(0) : 0);
  input_at_ = scratch_at_ + algorithm_->scratch_chunks * slot_bytes_;
  nothing_at_ = input_at_ + (moves_input_ ? bytes : 0);
  buffer_bytes_ = nothing_at_ + (moves_input_ ? bytes : 0);
  threads_.resize(ranks);
  if (ranks < 2 || bytes == 0) return;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) cut(rank);
  check_messages();
}

/// The operations of a rank's threads into parts; numbers its messages.
void CustomPlan::cut(std::uint32_t rank) {
  const auto& threads = algorithm_->ranks[rank].threads;
  std::vector<std::vector<std::uint32_t>> ends;  // by thread and operation
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::uint64_t> counts;
  for (const CustomThread& thread : threads) {
    Parts parts;
    ends.push_back({0});
    for (const CustomOperation& operation : thread.operations) {
      const std::uint32_t chunks = std::max(operation.from.count, operation.to.count);
      const std::uint32_t pieces = loops_ == 1 ? 1 : std::max(chunks, 1U);
      for (std::uint32_t i = 0; i < pieces; ++i) {
        Part part{&operation, i};
        if (operation.kind == Kind::send || operation.receives())
          part.number = counts[{operation.kind == Kind::send, operation.peer, operation.channel}]++;
        parts.push_back(part);
      }
      ends.back().push_back(static_cast<std::uint32_t>(parts.size()));
    }
    threads_[rank].push_back(std::move(parts));
  }
  for (Parts& parts : threads_[rank])
    for (Part& part : parts) {
      const CustomOperation& operation = *part.operation;
      part.of_number = counts[{operation.kind == Kind::send, operation.peer, operation.channel}];
      if (operation.after_thread != Step::kNone)
        part.after_count = ends[operation.after_thread][operation.after_count];
    }
}

/// Every message has two halves of one length.
void CustomPlan::check_messages() const {
  struct Half {
    std::uint32_t rank = 0, thread = 0;
    const Part* part = nullptr;
    std::uint64_t bytes = 0;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>, std::pair<Half, Half>> all;
  const auto place = [&](const Half& half) {
    return algorithm_->place(half.rank, half.thread, *half.part->operation);
  };
  const auto unequal = [&](const std::string& where, std::uint64_t a, std::uint64_t b) {
    throw std::invalid_argument(
        fmt::format("{}: chunks of {} B and {} B meet; a vector of {} B does not cut into {} equal chunks, "
                    "but one of a multiple of {} B does",
                    where, a, b, bytes_, algorithm_->chunks, 4 * algorithm_->chunks));
  };
  for (std::uint32_t rank = 0; rank < threads_.size(); ++rank)
    for (std::uint32_t thread = 0; thread < threads_[rank].size(); ++thread)
      for (const Part& part : threads_[rank][thread]) {
        const CustomOperation& op = *part.operation;
        if (op.kind == Kind::wait) continue;
        const auto bytes_of = [&](const CustomChunks& chunks) { return piece(rank, chunks, part, 0).bytes; };
        if (op.kind == Kind::copy || op.kind == Kind::reduce) {
          if (bytes_of(op.from) != bytes_of(op.to))
            unequal(algorithm_->place(rank, thread, op), bytes_of(op.from), bytes_of(op.to));
          continue;
        }
        const bool sends = op.kind == Kind::send;
        auto& halves = all[{sends ? rank : op.peer, sends ? op.peer : rank, op.channel, part.number}];
        (sends ? halves.first : halves.second) = {rank, thread, &part, bytes_of(sends ? op.from : op.to)};
      }
  for (const auto& [message, halves] : all) {
    const auto& [sent, received] = halves;
    const std::string of =
        fmt::format("message {} from rank {} to rank {} on channel {}", std::get<3>(message),
                    std::get<0>(message), std::get<1>(message), std::get<2>(message));
    if (!received.part) throw std::invalid_argument(place(sent) + ": nobody receives " + of);
    if (!sent.part) throw std::invalid_argument(place(received) + ": nobody sends " + of);
    const auto chunks = [](const Half& half) {
      return std::max(half.part->operation->from.count, half.part->operation->to.count);
    };
    if (chunks(sent) != chunks(received))
      throw std::invalid_argument(fmt::format("{}: expects {} chunks, but {} sends {}", place(received),
                                              chunks(received), place(sent), chunks(sent)));
    if (sent.bytes != received.bytes)
      unequal(place(received) + ", which takes what " + place(sent) + " sends", sent.bytes, received.bytes);
  }
}

std::uint32_t CustomPlan::threadblocks(std::uint32_t rank) const {
  const auto threads = static_cast<std::uint32_t>(threads_[rank].size());
  return threads == 0 ? 0 : threads + first_threadblock();
}

/// If the input is moved, threadblock 0 does it, and the first step of all others waits for it.
std::uint32_t CustomPlan::steps(std::uint32_t rank, std::uint32_t threadblock) const {
  if (moves_input_ && threadblock == 0) return 2;
  return static_cast<std::uint32_t>(threads_[rank][threadblock - first_threadblock()].size()) * loops_ +
         first_threadblock();
}

const CustomPlan::Part* CustomPlan::part(std::uint32_t rank, std::uint32_t threadblock, std::uint32_t index,
                                         std::uint32_t* loop) const {
  if (moves_input_ && (threadblock == 0 || index == 0)) return nullptr;
  const Parts& parts = threads_[rank][threadblock - first_threadblock()];
  *loop = (index - first_threadblock()) / static_cast<std::uint32_t>(parts.size());
  return &parts[(index - first_threadblock()) % parts.size()];
}

std::string CustomPlan::origin(std::uint32_t rank, std::uint32_t threadblock, std::uint32_t index) const {
  std::uint32_t loop = 0;
  const Part* const found = part(rank, threadblock, index, &loop);
  return found ? algorithm_->place(rank, threadblock - first_threadblock(), *found->operation)
               : std::string();
}

/// Copies the input away, and nothing into its place.
Step CustomPlan::prologue(std::uint32_t rank, std::uint32_t index) const {
  const BufferPiece given = algorithm_->type == CollectiveType::all_gather
                                ? BufferPiece{blocks_.offset(rank), blocks_.bytes(rank)}
                                : BufferPiece{0, bytes_};
  Step step;
  step.kind = Step::Kind::local_copy;
  step.bytes = given.bytes;
  step.offset = index == 0 ? input_at_ + given.offset : given.offset;
  step.tag = index == 0 ? given.offset : nothing_at_ + given.offset;
  return step;
}

Step CustomPlan::step(std::uint32_t rank, std::uint32_t threadblock, std::uint32_t index) const {
  std::uint32_t loop = 0;
  const Part* const found = part(rank, threadblock, index, &loop);
  if (!found) {
    if (threadblock == 0) return prologue(rank, index);
    Step wait;
    wait.after_threadblock = 0;
    wait.after_count = 2;
    return wait;
  }
  const CustomOperation& operation = *found->operation;
  Step step;
  step.kind = step_kind(operation.kind);
  if (operation.after_thread != Step::kNone && found->chunk == 0) {
    const auto in_loop = static_cast<std::uint32_t>(threads_[rank][operation.after_thread].size());
    step.after_threadblock = operation.after_thread + first_threadblock();
    step.after_count = loop * in_loop + found->after_count + first_threadblock();
  }
  if (operation.kind == Kind::wait) {
    if (!operation.delay_ps || *operation.delay_ps == 0) return step;
    // Takes its time and changes nothing.
    step.kind = Step::Kind::local_copy;
    step.bytes = 1;
    step.delay_ps = *operation.delay_ps;
    return step;
  }
  const bool sends = operation.kind == Kind::send;
  const BufferPiece at = piece(rank, sends ? operation.from : operation.to, *found, loop);
  step.offset = at.offset;
  step.bytes = at.bytes;
  step.peer = operation.peer;
  if (operation.pays_reduction) step.reduced_bytes = at.bytes;
  if (step.is_local()) {
    step.tag = piece(rank, operation.from, *found, loop).offset;
    step.delay_ps = local_ps(operation, at.bytes);
  } else {
    step.tag = std::uint64_t{operation.channel} << 40 | (loop * found->of_number + found->number);
  }
  return step;
}

TimePs CustomPlan::local_ps(const CustomOperation& operation, std::uint64_t bytes) const {
  if (operation.delay_ps) return *operation.delay_ps;
  if (bytes == 0) return 0;
  const std::uint64_t read = operation.kind == Kind::reduce ? 2 * bytes : bytes;
  TimePs time = costs_.bytes_per_s == 0 ? 0 : transfer_time_ps(read + bytes, costs_.bytes_per_s);
  if (!costs_.memory.is_free()) time += costs_.memory.latency_ps + costs_.memory.busy_ps(read, bytes);
  return time;
}

BufferPiece CustomPlan::vector_chunk(std::uint32_t number) const {
  if (algorithm_->type == CollectiveType::all_reduce) {
    const Blocks chunks(bytes_, algorithm_->chunks);
    return {chunks.offset(number), chunks.bytes(number)};
  }
  const std::uint32_t per_block = algorithm_->chunks_per_block(), block = number / per_block;
  const Blocks chunks(blocks_.bytes(block), per_block);
  return {blocks_.offset(block) + chunks.offset(number % per_block), chunks.bytes(number % per_block)};
}

/// Of an all-to-all's result, which lies behind the vector: a block from each rank, all as long as the own.
BufferPiece CustomPlan::received_chunk(std::uint32_t rank, std::uint32_t number) const {
  const std::uint32_t per_block = algorithm_->chunks_per_block();
  const Blocks chunks(blocks_.bytes(rank), per_block);
  return {bytes_ + number / per_block * blocks_.bytes(rank) + chunks.offset(number % per_block),
          chunks.bytes(number % per_block)};
}

BufferPiece CustomPlan::chunk(std::uint32_t rank, Buffer buffer, std::uint32_t number) const {
  if (buffer == Buffer::scratch) return {scratch_at_ + number * slot_bytes_, slot_bytes_};
  const bool input = buffer == Buffer::input;
  if (algorithm_->type == CollectiveType::all_to_all && !input) return received_chunk(rank, number);
  BufferPiece piece = vector_chunk(algorithm_->vector_chunk(rank, buffer, number));
  if (input && moves_input_) piece.offset += input_at_;
  return piece;
}

BufferPiece CustomPlan::whole(std::uint32_t rank, const CustomChunks& chunks) const {
  const BufferPiece first = chunk(rank, chunks.buffer, chunks.first),
                    last = chunk(rank, chunks.buffer, chunks.first + chunks.count - 1);
  return {first.offset, last.offset + last.bytes - first.offset};
}

BufferPiece CustomPlan::piece(std::uint32_t rank, CustomChunks chunks, const Part& part,
                              std::uint32_t loop) const {
  if (loops_ == 1) return whole(rank, chunks);
  chunks.first += part.chunk;
  chunks.count = 1;
  const BufferPiece all = whole(rank, chunks);
  const Blocks parts(all.bytes, loops_);
  return {all.offset + parts.offset(loop), parts.bytes(loop)};
}

namespace {

/// The times at which the steps of all ranks end.
class Times {
 public:
  Times(const CustomPlan& plan, const CollectiveRequest& request, const FabricTraits& fabric)
      : plan_(plan), request_(request), fabric_(fabric), loads_(fabric) {}

  TimePs last_ps() {
    const auto ranks = static_cast<std::uint32_t>(request_.group.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> live;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      ends_.emplace_back(plan_.threadblocks(rank));
      for (std::uint32_t threadblock = 0; threadblock < plan_.threadblocks(rank); ++threadblock)
        live.emplace_back(rank, threadblock);
    }
    // The proof has shown that all can be done.
    while (!live.empty())
      live.erase(std::remove_if(live.begin(), live.end(),
                                [&](const auto& at) { return finishes(at.first, at.second); }),
                 live.end());
    TimePs last = loads_.busiest_ps();
    for (const auto& threadblocks : ends_)
      for (const std::vector<TimePs>& threadblock : threadblocks)
        if (!threadblock.empty()) last = std::max(last, threadblock.back());
    return last;
  }

 private:
  /// Goes on as far as it can; true: to its end.
  bool finishes(std::uint32_t rank, std::uint32_t threadblock) {
    std::vector<TimePs>& ends = ends_[rank][threadblock];
    while (ends.size() < plan_.steps(rank, threadblock)) {
      const Step step = plan_.step(rank, threadblock, static_cast<std::uint32_t>(ends.size()));
      TimePs start = ends.empty() ? 0 : ends.back();
      if (step.after_threadblock != Step::kNone && step.after_count != 0) {
        const std::vector<TimePs>& other = ends_[rank][step.after_threadblock];
        if (other.size() < step.after_count) return false;
        start = std::max(start, other[step.after_count - 1]);
      }
      const auto end = end_of(rank, step, start);
      if (!end) return false;
      ends.push_back(*end);
    }
    return true;
  }

  std::optional<TimePs> end_of(std::uint32_t rank, const Step& step, TimePs start) {
    if (step.bytes == 0) return start;
    if (step.is_local()) return start + step.delay_ps;
    const NpuId own = request_.group[rank], peer = request_.group[step.peer];
    if (step.kind == Step::Kind::send) {
      const std::uint64_t wire = fabric_.format.message_wire_bytes(step.bytes);
      const TimePs bytes = transfer_time_ps(wire, fabric_.topology->path_bytes_per_s(own, peer)) +
                           fabric_.memory.send_ps(step.bytes);
      arrivals_[{rank, step.peer, step.tag}] = start + fabric_.latency_ps(own, peer) + bytes;
      loads_.add(own, peer, wire);
      return start + fabric_.step_cost_ps + bytes;
    }
    const auto found = arrivals_.find({step.peer, rank, step.tag});
    if (found == arrivals_.end()) return std::nullopt;
    const bool reduces = step.paid_reduction() != 0;
    TimePs cost = fabric_.memory.receive_ps(step.bytes, reduces);
    if (reduces && fabric_.reduction_bytes_per_s != 0)
      cost += transfer_time_ps(3 * step.bytes, fabric_.reduction_bytes_per_s);
    return std::max(start + fabric_.receive_cost_ps, found->second) + cost;
  }

  const CustomPlan& plan_;
  const CollectiveRequest& request_;
  const FabricTraits& fabric_;
  FabricLoads loads_;
  std::vector<std::vector<std::vector<TimePs>>> ends_;  // by rank, threadblock, step
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, TimePs> arrivals_;  // by (from, to, tag)
};

}  // namespace

std::shared_ptr<const CustomPlan> custom_plan(const CollectiveRequest& request, const FabricTraits& fabric) {
  return std::make_shared<const CustomPlan>(request.custom->of(request.group.size(), request.bytes),
                                            request.bytes, std::max(request.chunks, 1U),
                                            LocalCosts{fabric.reduction_bytes_per_s, fabric.memory});
}

TimePs custom_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  return Times(*custom_plan(request, fabric), request, fabric).last_ps();
}

}  // namespace wafertlm
