// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/untimed.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "tlm/program/step_runner.h"

namespace wafertlm {
namespace {

/// The host of a StepRunner without time: what blocks a threadblock goes on when its turn comes.
class Run {
 public:
  Run(const CollectiveProgram& program, UntimedStart start, std::uint64_t seed,
      const std::optional<BitFlip>& flip)
      : program_(program), buffers_(std::move(start.buffers)), flip_(flip), ranks_(program.ranks.size()) {
    for (std::uint32_t number = 0; number < ranks_.size(); ++number) {
      Rank& rank = ranks_[number];
      rank.number = number;
      Runner::prepare(rank, *program.ranks[number]);
      buffers_.at(number).resize(program.buffer_bytes);
      rank.defined.resize(program.buffer_bytes);
      for (const BufferPiece& range : start.holds.at(number)) define(rank, range.offset, range.bytes);
      for (std::uint32_t index = 0; index < rank.threadblocks.size(); ++index) {
        if (rank.threadblocks[index].steps != 0) live_.emplace_back(number, index);
        check_steps(rank, index);
      }
    }
    std::mt19937_64 random(seed);
    for (std::size_t i = live_.size(); i > 1; --i) std::swap(live_[i - 1], live_[random() % i]);
  }

  Buffers run() {
    for (const auto& [rank, index] : live_) runner_.advance(ranks_[rank], index, 0);
    while (!live_.empty()) {
      bool moved = false;
      const auto still_live = [&](const std::pair<std::uint32_t, std::uint32_t>& who) {
        moved = go_on(ranks_[who.first], who.second) || moved;
        const State& state = ranks_[who.first].threadblocks[who.second];
        return state.done < state.steps || state.nonblocking != 0;
      };
      // Visits every threadblock once, in order.
      live_.erase(std::stable_partition(live_.begin(), live_.end(), still_live), live_.end());
      if (!moved && !live_.empty())
        fail(ranks_[live_.front().first], live_.front().second, "waits for ever: a deadlock");
    }
    if (!wire_.empty()) {
      const auto& [from, to, tag] = wire_.begin()->first;
      throw std::logic_error(fmt::format("{}: rank {} does not receive the message of rank {} with tag {}",
                                         name(), to, from, tag));
    }
    if (flip_ && !flipped_)
      throw std::invalid_argument(fmt::format("no message of rank {} to rank {} with tag {} has a byte {}",
                                              flip_->sender, flip_->receiver, flip_->tag, flip_->byte));
    return std::move(buffers_);
  }

 private:
  struct State : Threadblock {
    std::vector<BufferPiece> sending;
    std::vector<std::uint32_t> receives;  // nonblocking, by step
  };
  struct Rank : ProgramRun<State> {
    std::uint32_t number = 0;
    std::vector<bool> defined;  // by byte of the buffer
  };
  using Runner = StepRunner<Run, Rank>;
  friend Runner;
  using Pieces = std::vector<BufferPiece>;

  std::string name() const { return std::string(to_string(program_.type)) + " as " + program_.algorithm; }

  [[noreturn]] void fail(const Rank& rank, std::uint32_t index, std::uint32_t step,
                         const std::string& what) const {
    std::string origin;
    if (step < rank.threadblocks[index].steps) origin = rank.program->origin(index, step);
    if (origin.empty())
      origin = fmt::format("{}: rank {}, threadblock {}, step {}", name(), rank.number, index, step);
    throw std::logic_error(origin + " " + what);
  }
  [[noreturn]] void fail(const Rank& rank, std::uint32_t index, const std::string& what) const {
    fail(rank, index, rank.threadblocks[index].done, what);
  }

  // ---------------------------------------------------------------- what steps may name

  void check_steps(const Rank& rank, std::uint32_t index) const {
    for (std::uint32_t number = 0; number < rank.threadblocks[index].steps; ++number) {
      const Step step = rank.program->step(index, number);
      if (step.after_threadblock != Step::kNone && step.after_threadblock >= rank.threadblocks.size())
        fail(rank, index, number, "waits for a threadblock that is not there");
      if (step.bytes == 0) continue;
      const bool flow = step.kind == Step::Kind::flow_send || step.kind == Step::Kind::flow_copy;
      if (!step.is_local() && !flow && (step.peer >= ranks_.size() || step.peer == rank.number))
        fail(rank, index, number, "has no such peer");
      Pieces pieces = step.is_local() ? Pieces{{step.offset, step.bytes}, {step.tag, step.bytes}}
                                      : rank.program->pieces(index, number);
      for (const BufferPiece& piece : pieces)
        if (piece.offset + piece.bytes > program_.buffer_bytes)
          fail(rank, index, number, "leaves the buffer");
    }
  }

  static void define(Rank& rank, std::uint64_t offset, std::uint64_t bytes) {
    const auto first = rank.defined.begin() + static_cast<std::ptrdiff_t>(offset);
    std::fill(first, first + static_cast<std::ptrdiff_t>(bytes), true);
  }
  static bool is_defined(const Rank& rank, const Pieces& pieces) {
    for (const BufferPiece& piece : pieces) {
      const auto first = rank.defined.begin() + static_cast<std::ptrdiff_t>(piece.offset);
      const auto end = first + static_cast<std::ptrdiff_t>(piece.bytes);
      if (std::find(first, end, false) != end) return false;
    }
    return true;
  }

  // ---------------------------------------------------------------- host of the runner

  void stage_started(Rank&, std::uint32_t, const Step&, TimePs) {}
  void program_done(Rank&, TimePs) {}
  void delay(Rank&, std::uint32_t, TimePs) {}
  void received_all(Rank&, std::uint32_t) {}

  /// What blocks is put on the wire when its turn comes.
  void send(Rank& rank, std::uint32_t index, const Step& step, TimePs) {
    State& state = rank.threadblocks[index];
    const Pieces pieces = rank.program->pieces(index, state.done);
    if (!is_defined(rank, pieces)) fail(rank, index, "sends bytes that hold nothing yet");
    if (step.nonblocking) return put_on_wire(rank, index, step, pieces);
    state.sending = pieces;
  }

  void receive(Rank& rank, std::uint32_t index, const Step& step, TimePs) {
    State& state = rank.threadblocks[index];
    if (step.nonblocking) state.receives.push_back(state.done);
  }

  /// A copy of bytes that hold nothing makes others that hold nothing.
  void work(Rank& rank, std::uint32_t index, const Step& step) {
    require_not_sending(rank, index, {step.offset, step.bytes});
    if (step.kind == Step::Kind::local_reduce &&
        !is_defined(rank, {{step.offset, step.bytes}, {step.tag, step.bytes}}))
      fail(rank, index, "adds bytes that hold nothing yet");
    if (step.kind == Step::Kind::local_copy)
      for (std::uint64_t i = 0; i < step.bytes; ++i)
        rank.defined[step.offset + i] = rank.defined[step.tag + i];
    do_locally(step, program_.data_type, buffers_[rank.number].data());
  }

  // ---------------------------------------------------------------- what goes on

  /// Does at most one thing for a threadblock that has begun: ends a send or a local step, receives.
  bool go_on(Rank& rank, std::uint32_t index) {
    State& state = rank.threadblocks[index];
    if (!state.running) return take_nonblocking(rank, index);
    const Step step = rank.program->step(index, state.done);
    if (step.is_local()) {
      runner_.local_done(rank, index, 0);
      return true;
    }
    const Pieces pieces = rank.program->pieces(index, state.done);
    if (step.kind == Step::Kind::send)
      put_on_wire(rank, index, step, pieces);
    else if (step.kind == Step::Kind::flow_send)
      contribute(rank, index, step);
    else if (!take(rank, index, step, pieces))
      return false;
    state.sending.clear();
    runner_.step_done(rank, index, 0);
    return true;
  }

  /// Takes in what nonblocking receives wait for, in the order of their steps, when the threadblock can do
  /// nothing else; false if some of it is not there.
  bool take_nonblocking(Rank& rank, std::uint32_t index) {
    State& state = rank.threadblocks[index];
    if (state.nonblocking == 0 || state.waiting) return false;
    for (const std::uint32_t at : state.receives)
      if (wire_.count(key_of(rank, rank.program->step(index, at))) == 0) return false;
    const std::vector<std::uint32_t> receives = std::exchange(state.receives, {});
    for (const std::uint32_t at : receives)
      take(rank, index, rank.program->step(index, at), rank.program->pieces(index, at));
    for (std::size_t i = 0; i < receives.size(); ++i) runner_.receive_done(rank, index, 0);
    return true;
  }

  void require_not_sending(const Rank& rank, std::uint32_t index, const BufferPiece& piece) const {
    for (const State& other : rank.threadblocks)
      for (const BufferPiece& sent : other.sending)
        if (piece.offset < sent.offset + sent.bytes && sent.offset < piece.offset + piece.bytes)
          fail(rank, index, "writes over what is being sent");
  }

  void put_on_wire(const Rank& rank, std::uint32_t index, const Step& step, const Pieces& pieces) {
    std::vector<std::byte> message;
    for (const BufferPiece& piece : pieces) {
      const auto first = buffers_[rank.number].begin() + static_cast<std::ptrdiff_t>(piece.offset);
      message.insert(message.end(), first, first + static_cast<std::ptrdiff_t>(piece.bytes));
    }
    if (flip_ && flip_->sender == rank.number && flip_->receiver == step.peer && flip_->tag == step.tag &&
        flip_->byte < step.bytes) {
      message[flip_->byte] ^= std::byte{1} << flip_->bit;
      flipped_ = true;
    }
    if (!wire_.emplace(std::make_tuple(rank.number, step.peer, step.tag), std::move(message)).second)
      fail(rank, index, "sends a second message with tag " + std::to_string(step.tag));
  }

  void contribute(const Rank& rank, std::uint32_t index, const Step& step) {
    const auto first = buffers_[rank.number].begin() + static_cast<std::ptrdiff_t>(step.offset);
    Sum& sum = sums_[step.tag];
    if (sum.members.receivers.empty()) sum.members = rank.program->flow(step.tag);
    if (!sum.parts
             .emplace(rank.number,
                      std::vector<std::byte>(first, first + static_cast<std::ptrdiff_t>(step.bytes)))
             .second)
      fail(rank, index, "contributes twice to flow " + std::to_string(step.tag));
    const std::vector<std::uint32_t>& from = sum.members.contributors;
    if (sum.parts.size() != from.size()) return;
    AdditionOrder order;
    if (program_.flow_additions) {
      const auto npus = [&](const std::vector<std::uint32_t>& ranks) {
        std::vector<NpuId> list;
        for (const std::uint32_t of : ranks) list.push_back(program_.group[of]);
        return list;
      };
      order = program_.flow_additions(npus(from), npus(sum.members.receivers));
    } else {
      for (std::uint32_t i = 1; i < from.size(); ++i) order.push_back({0, i});
    }
    for (const Addition& addition : order)
      add_values(program_.data_type, sum.parts.at(from[addition.into]).data(),
                 sum.parts.at(from[addition.from]).data(), step.bytes);
    sum.result = sum.parts.at(from[order.empty() ? 0 : order.back().into]);
    sum.parts.clear();
    for (const std::uint32_t to : sum.members.receivers)
      if (!wire_.emplace(std::make_tuple(kFabric, to, step.tag), sum.result).second)
        fail(rank, index, "ends flow " + std::to_string(step.tag) + " a second time");
  }

  using WireKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // from, to, tag
  static WireKey key_of(const Rank& rank, const Step& step) {
    return {step.kind == Step::Kind::flow_copy ? kFabric : step.peer, rank.number, step.tag};
  }

  /// False if the message is not there.
  bool take(Rank& rank, std::uint32_t index, const Step& step, const Pieces& pieces) {
    const auto found = wire_.find(key_of(rank, step));
    if (found == wire_.end()) return false;
    const std::vector<std::byte>& message = found->second;
    if (message.size() != step.bytes)
      fail(rank, index, fmt::format("expects {} B and gets {} B", step.bytes, message.size()));
    const bool reduces = step.kind == Step::Kind::reduce;
    if (reduces && !is_defined(rank, pieces)) fail(rank, index, "adds to bytes that hold nothing yet");
    const std::byte* from = message.data();
    for (const BufferPiece& piece : pieces) {
      require_not_sending(rank, index, piece);
      std::byte* to = buffers_[rank.number].data() + piece.offset;
      if (reduces)
        add_values(program_.data_type, to, from, piece.bytes);
      else
        std::copy(from, from + piece.bytes, to);
      if (!reduces) define(rank, piece.offset, piece.bytes);
      from += piece.bytes;
    }
    wire_.erase(found);
    return true;
  }

  /// Of a flow: what has been contributed.
  struct Sum {
    FlowMembers members;
    std::map<std::uint32_t, std::vector<std::byte>> parts;
    std::vector<std::byte> result;
  };
  static constexpr std::uint32_t kFabric = ~std::uint32_t{0};  // sender of what comes out of flows

  const CollectiveProgram& program_;
  std::map<std::uint64_t, Sum> sums_;  // by tag
  Buffers buffers_;
  const std::optional<BitFlip> flip_;
  bool flipped_ = false;
  std::vector<Rank> ranks_;
  Runner runner_{*this};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> live_;  // (rank, threadblock)
  std::map<WireKey, std::vector<std::byte>> wire_;
};

}  // namespace

Buffers run_untimed(const CollectiveProgram& program, UntimedStart start, std::uint64_t seed,
                    const std::optional<BitFlip>& flip) {
  return Run(program, std::move(start), seed, flip).run();
}

}  // namespace wafertlm
