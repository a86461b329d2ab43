// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/untimed.h"

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>

namespace wafertlm {
namespace {

class Run {
 public:
  Run(const CollectiveProgram& program, UntimedStart start, std::uint64_t seed,
      const std::optional<BitFlip>& flip)
      : program_(program), buffers_(std::move(start.buffers)), flip_(flip) {
    for (std::uint32_t rank = 0; rank < program.ranks.size(); ++rank) {
      buffers_.at(rank).resize(program.buffer_bytes);
      defined_.emplace_back(program.buffer_bytes, false);
      for (const ByteRange& range : start.holds.at(rank)) define(rank, range.offset, range.bytes);
      strands_.emplace_back(program.ranks[rank]->strands());
      for (std::uint32_t strand = 0; strand < program.ranks[rank]->strands(); ++strand)
        if (program.ranks[rank]->steps(strand) != 0) live_.emplace_back(rank, strand);
    }
    std::mt19937_64 random(seed);
    for (std::size_t i = live_.size(); i > 1; --i) std::swap(live_[i - 1], live_[random() % i]);
  }

  Buffers run() {
    while (!live_.empty()) {
      bool moved = false;
      const auto still_live = [&](const std::pair<std::uint32_t, std::uint32_t>& who) {
        moved = advance(who.first, who.second) || moved;
        const Strand& strand = strands_[who.first][who.second];
        return strand.done < program_.ranks[who.first]->steps(who.second) || !strand.posted.empty();
      };
      // Visits every strand once, in order.
      live_.erase(std::stable_partition(live_.begin(), live_.end(), still_live), live_.end());
      if (!moved) fail(live_.front().first, live_.front().second, "waits for ever: a deadlock");
    }
    if (!wire_.empty()) {
      const auto& [from, to, tag] = wire_.begin()->first;
      throw std::logic_error(name() + ": rank " + std::to_string(to) +
                             " does not receive the message of rank " + std::to_string(from) + " with tag " +
                             std::to_string(tag));
    }
    if (flip_ && !flipped_)
      throw std::invalid_argument("no message of rank " + std::to_string(flip_->sender) + " to rank " +
                                  std::to_string(flip_->receiver) + " with tag " +
                                  std::to_string(flip_->tag) + " has a byte " + std::to_string(flip_->byte));
    return std::move(buffers_);
  }

 private:
  struct Strand {
    std::uint32_t done = 0;
    bool sending = false;
    std::uint64_t offset = 0, bytes = 0;  // what is being sent
    std::vector<std::uint32_t>
        posted;  // receives, by step, that are taken in before the next step that joins
  };

  std::string name() const { return std::string(to_string(program_.type)) + " as " + program_.algorithm; }

  [[noreturn]] void fail(std::uint32_t rank, std::uint32_t strand, const std::string& what) const {
    const std::uint32_t step = strands_[rank][strand].done;
    const StepSource& source = *program_.ranks[rank];
    const std::string origin = step < source.steps(strand) ? source.origin(strand, step) : std::string();
    throw std::logic_error((origin.empty() ? name() + ": rank " + std::to_string(rank) + ", strand " +
                                                 std::to_string(strand) + ", step " + std::to_string(step)
                                           : origin) +
                           " " + what);
  }

  void define(std::uint32_t rank, std::uint64_t offset, std::uint64_t bytes) {
    const auto first = defined_[rank].begin() + static_cast<std::ptrdiff_t>(offset);
    std::fill(first, first + static_cast<std::ptrdiff_t>(bytes), true);
  }

  using Pieces = std::vector<BufferPiece>;

  bool is_defined(std::uint32_t rank, const Pieces& pieces) const {
    for (const BufferPiece& piece : pieces) {
      const auto first = defined_[rank].begin() + static_cast<std::ptrdiff_t>(piece.offset);
      const auto end = first + static_cast<std::ptrdiff_t>(piece.bytes);
      if (std::find(first, end, false) != end) return false;
    }
    return true;
  }

  /// Takes in what posted receives wait for, in the order of their steps; false if some of it is not there.
  bool take_posted(std::uint32_t rank, std::uint32_t index) {
    Strand& strand = strands_[rank][index];
    for (const std::uint32_t at : strand.posted) {
      const Step step = program_.ranks[rank]->step(index, at);
      if (wire_.count({step.peer, rank, step.tag}) == 0) return false;
    }
    for (const std::uint32_t at : strand.posted)
      receive(rank, index, program_.ranks[rank]->step(index, at), program_.ranks[rank]->pieces(index, at));
    strand.posted.clear();
    return true;
  }

  /// Does at most one thing for a strand: starts a send, ends it, receives, or skips a step without bytes.
  bool advance(std::uint32_t rank, std::uint32_t index) {
    Strand& strand = strands_[rank][index];
    if (strand.done == program_.ranks[rank]->steps(index)) return take_posted(rank, index);
    const Step step = program_.ranks[rank]->step(index, strand.done);
    if (step.joins && !take_posted(rank, index)) return false;
    if (!strand.sending && step.after_strand != Step::kNone) {
      if (step.after_strand >= strands_[rank].size())
        fail(rank, index, "waits for a strand that is not there");
      if (strands_[rank][step.after_strand].done < step.after_count) return false;
    }
    if (step.bytes != 0) {
      const bool flow = step.kind == Step::Kind::flow_send || step.kind == Step::Kind::flow_copy;
      if (step.is_local()) {
        work_locally(rank, index, step);
        ++strand.done;
        return true;
      }
      if (!flow && (step.peer >= buffers_.size() || step.peer == rank)) fail(rank, index, "has no such peer");
      const Pieces pieces = program_.ranks[rank]->pieces(index, strand.done);
      for (const BufferPiece& piece : pieces)
        if (piece.offset + piece.bytes > program_.buffer_bytes) fail(rank, index, "leaves the buffer");
      if (step.kind == Step::Kind::flow_copy) {
        if (!take_result(rank, index, step)) return false;
      } else if (step.kind != Step::Kind::send && step.kind != Step::Kind::flow_send) {
        if (step.posted)
          strand.posted.push_back(strand.done);
        else if (!receive(rank, index, step, pieces))
          return false;
      } else if (step.posted) {
        if (!is_defined(rank, pieces)) fail(rank, index, "sends bytes that hold nothing yet");
        send(rank, index, step, pieces);
      } else if (!strand.sending) {
        if (!is_defined(rank, pieces)) fail(rank, index, "sends bytes that hold nothing yet");
        strand.sending = true;
        strand.offset = step.offset;
        strand.bytes = step.bytes;
        return true;
      } else {
        if (step.kind == Step::Kind::send)
          send(rank, index, step, pieces);
        else
          contribute(rank, index, step);
        strand.sending = false;
      }
    }
    ++strand.done;
    return true;
  }

  /// A copy of bytes that hold nothing makes others that hold nothing.
  void work_locally(std::uint32_t rank, std::uint32_t strand, const Step& step) {
    if (step.offset + step.bytes > program_.buffer_bytes || step.tag + step.bytes > program_.buffer_bytes)
      fail(rank, strand, "leaves the buffer");
    require_not_sending(rank, strand, {step.offset, step.bytes});
    std::vector<bool>& defined = defined_[rank];
    if (step.kind == Step::Kind::local_reduce &&
        (!is_defined(rank, {{step.offset, step.bytes}}) || !is_defined(rank, {{step.tag, step.bytes}})))
      fail(rank, strand, "adds bytes that hold nothing yet");
    if (step.kind == Step::Kind::local_copy)
      for (std::uint64_t i = 0; i < step.bytes; ++i) defined[step.offset + i] = defined[step.tag + i];
    do_locally(step, program_.data_type, buffers_[rank].data());
  }

  void require_not_sending(std::uint32_t rank, std::uint32_t strand, const BufferPiece& piece) const {
    for (const Strand& other : strands_[rank])
      if (other.sending && piece.offset < other.offset + other.bytes &&
          other.offset < piece.offset + piece.bytes)
        fail(rank, strand, "writes over what is being sent");
  }

  void send(std::uint32_t rank, std::uint32_t strand, const Step& step, const Pieces& pieces) {
    std::vector<std::byte> message;
    for (const BufferPiece& piece : pieces) {
      const auto first = buffers_[rank].begin() + static_cast<std::ptrdiff_t>(piece.offset);
      message.insert(message.end(), first, first + static_cast<std::ptrdiff_t>(piece.bytes));
    }
    if (flip_ && flip_->sender == rank && flip_->receiver == step.peer && flip_->tag == step.tag &&
        flip_->byte < step.bytes) {
      message[flip_->byte] ^= std::byte{1} << flip_->bit;
      flipped_ = true;
    }
    if (!wire_.emplace(std::make_tuple(rank, step.peer, step.tag), std::move(message)).second)
      fail(rank, strand, "sends a second message with tag " + std::to_string(step.tag));
  }

  void contribute(std::uint32_t rank, std::uint32_t strand, const Step& step) {
    const auto first = buffers_[rank].begin() + static_cast<std::ptrdiff_t>(step.offset);
    Sum& sum = sums_[step.tag];
    if (sum.members.receivers.empty()) sum.members = program_.ranks[rank]->flow(step.tag);
    if (!sum.parts
             .emplace(rank, std::vector<std::byte>(first, first + static_cast<std::ptrdiff_t>(step.bytes)))
             .second)
      fail(rank, strand, "contributes twice to flow " + std::to_string(step.tag));
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
        fail(rank, strand, "ends flow " + std::to_string(step.tag) + " a second time");
  }

  bool take_result(std::uint32_t rank, std::uint32_t strand, const Step& step) {
    Step copy = step;
    copy.peer = kFabric;
    copy.kind = Step::Kind::copy;
    return receive(rank, strand, copy, {{step.offset, step.bytes}});
  }

  bool receive(std::uint32_t rank, std::uint32_t strand, const Step& step, const Pieces& pieces) {
    const auto found = wire_.find({step.peer, rank, step.tag});
    if (found == wire_.end()) return false;
    const std::vector<std::byte>& message = found->second;
    if (message.size() != step.bytes)
      fail(rank, strand,
           "expects " + std::to_string(step.bytes) + " B and gets " + std::to_string(message.size()) + " B");
    const bool reduces = step.kind == Step::Kind::reduce;
    if (reduces && !is_defined(rank, pieces)) fail(rank, strand, "adds to bytes that hold nothing yet");
    const std::byte* from = message.data();
    for (const BufferPiece& piece : pieces) {
      require_not_sending(rank, strand, piece);
      std::byte* to = buffers_[rank].data() + piece.offset;
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
  std::optional<BitFlip> flip_;
  bool flipped_ = false;
  std::vector<std::vector<bool>> defined_;  // by rank and byte
  std::vector<std::vector<Strand>> strands_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> live_;  // (rank, strand)
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::vector<std::byte>>
      wire_;  // by (from, to, tag)
};

}  // namespace

Buffers run_untimed(const CollectiveProgram& program, UntimedStart start, std::uint64_t seed,
                    const std::optional<BitFlip>& flip) {
  return Run(program, std::move(start), seed, flip).run();
}

}  // namespace wafertlm
