// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/custom/program_chunks.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "workloads/collectives/algorithm/blocks.h"

namespace wafertlm {
namespace {

using Thread = ChunkedProgram::Thread;

/// The chunks that all pieces of a program consist of.
class ChunkGrid {
 public:
  explicit ChunkGrid(const CollectiveProgram& program) : program_(program) {
    std::set<std::uint64_t> ends = {0, program.bytes};
    for (const auto& rank : program.ranks)
      for (std::uint32_t thread = 0; thread < rank->threadblocks(); ++thread)
        for (std::uint32_t index = 0; index < rank->steps(thread); ++index) {
          const Step step = rank->step(thread, index);
          ends.insert({step.offset, step.offset + step.bytes});
        }
    starts_.assign(ends.begin(), ends.end());
    const auto blocks =
        static_cast<std::uint32_t>(program.type == CollectiveType::all_reduce ? 1 : program.group.size());
    if (count() % blocks != 0) fail();
    const Blocks all(program.bytes, blocks);
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const std::uint32_t each = count() / blocks;
      const Blocks chunks(all.bytes(block), each);
      for (std::uint32_t chunk = 0; chunk < each; ++chunk)
        if (starts_[block * each + chunk] != all.offset(block) + chunks.offset(chunk)) fail();
      longest_ = std::max(longest_, chunks.bytes(0));
    }
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(starts_.size() - 1); }
  std::uint64_t longest() const { return longest_; }
  /// The chunk that begins there.
  std::uint32_t at(std::uint64_t offset) const {
    return static_cast<std::uint32_t>(std::lower_bound(starts_.begin(), starts_.end(), offset) -
                                      starts_.begin());
  }

 private:
  [[noreturn]] void fail() const {
    throw std::invalid_argument(
        fmt::format("{} cuts {} B into pieces that are no equal chunks; a size that all of them divide may "
                    "help, or another algorithm",
                    program_.algorithm, program_.bytes));
  }

  const CollectiveProgram& program_;
  std::vector<std::uint64_t> starts_;
  std::uint64_t longest_ = 0;
};

/// Takes the steps of a program apart, thread by thread.
class Chunker {
 public:
  explicit Chunker(const CollectiveProgram& program) : program_(program), grid_(program) {}

  ChunkedProgram made() {
    ChunkedProgram made;
    made.type = program_.type;
    made.chunks = grid_.count();
    made.chunk_bytes = grid_.longest();
    for (std::uint32_t rank = 0; rank < program_.ranks.size(); ++rank) made.ranks.push_back(threads(rank));
    check_order(made);
    return made;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::invalid_argument(
        fmt::format("{} cannot be written as an algorithm of a file: {}", program_.algorithm, why));
  }

  std::vector<Thread> threads(std::uint32_t rank) {
    const StepSource& source = *program_.ranks[rank];
    std::vector<Thread> threads;
    std::vector<std::uint32_t> number(source.threadblocks(), Step::kNone);  // without empty ones
    for (std::uint32_t thread = 0; thread < number.size(); ++thread)
      if (source.steps(thread) != 0) {
        number[thread] = static_cast<std::uint32_t>(threads.size());
        threads.emplace_back();
      }
    for (std::uint32_t thread = 0; thread < number.size(); ++thread)
      for (std::uint32_t index = 0; index < source.steps(thread); ++index)
        add(rank, source.step(thread, index), threads[number[thread]], number);
    for (Thread& thread : threads)
      for (const ChunkedProgram::ChunkStep& step : thread.steps)
        if (step.after_thread != Step::kNone)
          threads[step.after_thread].steps[step.after_step].is_awaited = true;
    return threads;
  }

  void add(std::uint32_t rank, const Step& step, Thread& thread, const std::vector<std::uint32_t>& number) {
    if (step.kind != Step::Kind::send && step.kind != Step::Kind::copy && step.kind != Step::Kind::reduce)
      refuse("it has steps that are no messages");
    if (step.nonblocking || step.wait_all || step.starts_stage || step.delay_ps != 0)
      refuse("its threads go on before their messages are done");
    if (step.bytes == 0) refuse(fmt::format("{} B are too few for all of its chunks", program_.bytes));
    std::uint32_t& peer = step.kind == Step::Kind::send ? thread.to : thread.from;
    if (peer != Thread::kNobody && peer != step.peer) refuse("a thread of it has several peers");
    peer = step.peer;
    tags_[{rank, step.peer, step.kind == Step::Kind::send}].push_back(step.tag);
    ChunkedProgram::ChunkStep made;
    made.kind = step.kind;
    made.first_chunk = grid_.at(step.offset);
    made.chunks = grid_.at(step.offset + step.bytes) - made.first_chunk;
    if (step.after_threadblock != Step::kNone && step.after_count != 0) {
      made.after_thread = number[step.after_threadblock];
      made.after_step = step.after_count - 1;
    }
    thread.steps.push_back(made);
  }

  /// Files tell messages between two ranks apart by their order.
  void check_order(const ChunkedProgram& made) const {
    for (std::uint32_t rank = 0; rank < made.ranks.size(); ++rank) {
      std::set<std::pair<std::uint32_t, bool>> taken;
      for (const Thread& thread : made.ranks[rank])
        for (const bool sends : {true, false}) {
          const std::uint32_t peer = sends ? thread.to : thread.from;
          if (peer != Thread::kNobody && !taken.emplace(peer, sends).second)
            refuse("several of its threads have one peer");
        }
    }
    for (const auto& [ends, sent] : tags_) {
      const auto& [rank, peer, sends] = ends;
      const auto received = tags_.find({peer, rank, false});
      if (sends && (received == tags_.end() || received->second != sent))
        refuse("messages are received in another order than they are sent in");
    }
  }

  const CollectiveProgram& program_;
  ChunkGrid grid_;
  /// By rank, peer and whether it sends: tags in the order of steps.
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::vector<std::uint64_t>> tags_;
};

}  // namespace

std::uint64_t ChunkedProgram::steps() const {
  std::uint64_t steps = 0;
  for (const std::vector<Thread>& threads : ranks)
    for (const Thread& thread : threads) steps += thread.steps.size();
  return steps;
}

ChunkedProgram chunked(const CollectiveProgram& program) {
  if (program.type != CollectiveType::all_reduce && program.type != CollectiveType::all_gather &&
      program.type != CollectiveType::reduce_scatter)
    throw std::invalid_argument(
        fmt::format("{} cannot be written to a file; all_reduce, all_gather and reduce_scatter can",
                    to_string(program.type)));
  return Chunker(program).made();
}

}  // namespace wafertlm
