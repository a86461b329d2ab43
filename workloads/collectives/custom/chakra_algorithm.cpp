// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {
namespace {

using chakra::Node;
using chakra::NodeType;
using Kind = CustomOperation::Kind;
using Buffer = CustomChunks::Buffer;

/// The traces of all ranks of one collective: sends and receives of a chunk each, and computations.
struct ChakraCollective {
  std::string prefix;
  CollectiveType type{};
  std::vector<std::string> files;        ///< by rank
  std::vector<std::vector<Node>> nodes;  ///< by rank, without metadata

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(nodes.size()); }
};

/// Of data and control.
std::vector<std::uint64_t> parents_of(const Node& node) {
  std::vector<std::uint64_t> all = node.data_deps;
  all.insert(all.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
  return all;
}

/// Sets that are merged; the smallest member stands for its set.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t of(std::size_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }
  void merge(std::size_t a, std::size_t b) {
    a = of(a);
    b = of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

/// Which chunks the messages carry. The nodes of a trace do not say so, so it is found from the dependencies:
/// a send passes on what the receives before it brought, directly or over computations, and what is reduced
/// into one another is one chunk. Which part of the vector a chunk is follows from the type of the
/// collective. The proof of the algorithm tells whether all this was right.
class ChakraChunks {
 public:
  /// `job` outlives it. @throws std::invalid_argument: the dependencies do not tell.
  explicit ChakraChunks(const ChakraCollective& job);

  /// Of the vector.
  std::uint32_t count() const { return count_; }
  /// The chunk of a send or a receive, where the rank has it.
  CustomChunks at(std::uint32_t rank, std::uint64_t node, bool sends) const;
  /// The receives whose data a send passes on: the nearest ones above it.
  std::set<std::uint64_t> brought_by(std::uint32_t rank, const Node& send) const;
  /// By computation of a rank: the receives that it reduces.
  const std::map<std::uint64_t, std::vector<std::uint64_t>>& reduces(std::uint32_t rank) const {
    return reduces_[rank];
  }
  /// Whether what a send sends did not come from anybody.
  bool is_fresh(std::uint32_t rank, std::uint64_t send) const {
    return messages_[message_of_[rank].at(send)].fresh;
  }
  /// Whether what a receive brought is sent on.
  bool goes_on(std::uint32_t rank, std::uint64_t receive) const {
    return messages_[message_of_[rank].at(receive)].goes_on;
  }

 private:
  /// A message of the job: both its ends.
  struct Message {
    std::uint32_t from = 0, to = 0;
    bool fresh = false;    // what is sent did not come from anybody
    bool goes_on = false;  // what has come is sent on
    std::uint32_t tag = 0;
    std::uint32_t chunk = 0;
    std::uint32_t owner = 0;  // the rank whose block the chunk was
  };
  /// What a set of messages that carry one chunk stands for: all-reduce nothing but itself; else the rank
  /// whose block it is, and of an all-to-all whose it becomes.
  struct Owner {
    std::uint32_t from = 0, to = 0;
    bool operator<(const Owner& other) const {
      return from != other.from ? from < other.from : to < other.to;
    }
  };

  void match();
  void follow_data(Sets& sets);
  /// By owner: the sets of messages that carry a chunk of the block.
  using Blocks = std::map<Owner, std::vector<std::size_t>>;
  Blocks find_blocks(Sets& sets) const;
  void merge_disjoint(Blocks& blocks, Sets& sets) const;
  void number_chunks(Sets& sets);

  const ChakraCollective& job_;
  std::uint32_t count_ = 0, per_block_ = 0;
  std::vector<Message> messages_;
  std::vector<std::unordered_map<std::uint64_t, std::size_t>> message_of_;    // by rank and node
  std::vector<std::unordered_map<std::uint64_t, const Node*>> by_id_;         // by rank
  std::vector<std::map<std::uint64_t, std::vector<std::uint64_t>>> reduces_;  // by rank
};

ChakraChunks::ChakraChunks(const ChakraCollective& job) : job_(job) {
  match();
  Sets sets(messages_.size());
  follow_data(sets);
  number_chunks(sets);
}

/// Numbers the messages; the k-th send to a peer with a tag is that peer's k-th receive.
void ChakraChunks::match() {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::size_t>, std::size_t> numbers;
  message_of_.resize(job_.ranks());
  for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank) {
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::size_t> counts;
    for (const Node& node : job_.nodes[rank]) {
      if (node.type == NodeType::Comp) continue;
      const bool sends = node.type == NodeType::CommSend;
      const std::uint32_t peer = *(sends ? node.comm_dst : node.comm_src), tag = node.comm_tag.value_or(0);
      const std::size_t k = counts[{sends, peer, tag}]++;
      const auto [found, is_new] =
          numbers.emplace(std::tuple(sends ? rank : peer, sends ? peer : rank, tag, k), messages_.size());
      if (is_new) messages_.push_back({sends ? rank : peer, sends ? peer : rank, false, false, tag, 0, 0});
      message_of_[rank][node.id] = found->second;
    }
  }
}

std::set<std::uint64_t> ChakraChunks::brought_by(std::uint32_t rank, const Node& send) const {
  std::set<std::uint64_t> receives, seen;
  std::vector<std::uint64_t> next = parents_of(send);
  while (!next.empty()) {
    const std::uint64_t id = next.back();
    next.pop_back();
    if (!seen.insert(id).second) continue;
    const Node& node = *by_id_[rank].at(id);
    if (node.type == NodeType::CommRecv) receives.insert(id);
    if (node.type == NodeType::Comp)
      for (const std::uint64_t parent : parents_of(node)) next.push_back(parent);
  }
  return receives;
}

void ChakraChunks::follow_data(Sets& sets) {
  by_id_.resize(job_.ranks());
  reduces_.resize(job_.ranks());
  for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank) {
    for (const Node& node : job_.nodes[rank]) by_id_[rank][node.id] = &node;
    for (const Node& node : job_.nodes[rank]) {
      if (node.type == NodeType::Comp)
        for (const std::uint64_t parent : parents_of(node))
          if (by_id_[rank].at(parent)->type == NodeType::CommRecv) reduces_[rank][node.id].push_back(parent);
      if (node.type != NodeType::CommSend) continue;
      const std::size_t sent = message_of_[rank].at(node.id);
      const std::set<std::uint64_t> from = brought_by(rank, node);
      messages_[sent].fresh = from.empty();
      for (const std::uint64_t receive : from) {
        const std::size_t came = message_of_[rank].at(receive);
        messages_[came].goes_on = true;
        sets.merge(sent, came);
      }
    }
  }
}

ChakraChunks::Blocks ChakraChunks::find_blocks(Sets& sets) const {
  std::map<std::size_t, std::set<std::uint32_t>> begins, ends;  // by set
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    if (messages_[m].fresh) begins[sets.of(m)].insert(messages_[m].from);
    if (!messages_[m].goes_on) ends[sets.of(m)].insert(messages_[m].to);
  }
  const auto only = [&](std::map<std::size_t, std::set<std::uint32_t>>& of, std::size_t set,
                        const std::string& what) {
    if (of[set].size() != 1)
      throw std::invalid_argument(
          fmt::format("{}: a chunk {} {} ranks by the dependencies, which for {} must be one; give the MSCCL "
                      "program that it was made from",
                      job_.prefix, what, of[set].size(), to_string(job_.type)));
    return *of[set].begin();
  };
  Blocks blocks;
  for (std::size_t set = 0; set < messages_.size(); ++set) {
    if (sets.of(set) != set) continue;
    Owner owner;
    if (job_.type == CollectiveType::all_gather || job_.type == CollectiveType::all_to_all)
      owner.from = only(begins, set, "begins at");
    if (job_.type == CollectiveType::reduce_scatter || job_.type == CollectiveType::all_to_all)
      owner.to = only(ends, set, "ends at");
    blocks[owner].push_back(set);
  }
  return blocks;
}

/// Sets that have no receiver (all_gather) or no sender (reduce_scatter) in common are the same chunk on its
/// way to, or from, several. Where tags tell chunks apart, as they do if each set has one of its own, that
/// holds for the sets of a tag.
void ChakraChunks::merge_disjoint(Blocks& blocks, Sets& sets) const {
  const bool gathers = job_.type == CollectiveType::all_gather;
  if (!gathers && job_.type != CollectiveType::reduce_scatter) return;
  std::map<std::size_t, std::vector<std::uint32_t>> ends;  // by set
  std::map<std::size_t, std::set<std::uint32_t>> tags;     // by set
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    ends[sets.of(m)].push_back(gathers ? messages_[m].to : messages_[m].from);
    tags[sets.of(m)].insert(messages_[m].tag);
  }
  for (auto& [owner, block] : blocks) {
    const bool one_tag_each =
        std::all_of(block.begin(), block.end(), [&](std::size_t set) { return tags[set].size() == 1; });
    std::map<std::uint32_t, std::vector<std::size_t>> by_tag;
    for (const std::size_t set : block) by_tag[one_tag_each ? *tags[set].begin() : 0].push_back(set);
    std::vector<std::size_t> merged;
    for (const auto& [tag, of_tag] : by_tag) {
      std::set<std::uint32_t> met;
      bool disjoint = true;
      for (const std::size_t set : of_tag)
        for (const std::uint32_t end : ends[set]) disjoint = met.insert(end).second && disjoint;
      if (disjoint)
        for (const std::size_t set : of_tag) sets.merge(of_tag.front(), set);
      for (const std::size_t set : of_tag)
        if (sets.of(set) == set) merged.push_back(set);
    }
    block = std::move(merged);
  }
}

void ChakraChunks::number_chunks(Sets& sets) {
  Blocks blocks = find_blocks(sets);
  merge_disjoint(blocks, sets);
  for (const auto& [owner, block] : blocks)
    per_block_ = std::max(per_block_, static_cast<std::uint32_t>(block.size()));
  count_ = job_.type == CollectiveType::all_reduce ? per_block_ : per_block_ * job_.ranks();
  std::map<std::size_t, std::pair<std::uint32_t, std::uint32_t>> numbers;  // by set: chunk, and whose it was
  for (const auto& [owner, block] : blocks) {
    const std::uint32_t number = job_.type == CollectiveType::all_gather ? owner.from : owner.to;
    for (std::uint32_t i = 0; i < block.size(); ++i)
      numbers[block[i]] = {number * per_block_ + i, owner.from};
  }
  for (std::size_t m = 0; m < messages_.size(); ++m)
    std::tie(messages_[m].chunk, messages_[m].owner) = numbers.at(sets.of(m));
}

CustomChunks ChakraChunks::at(std::uint32_t rank, std::uint64_t node, bool sends) const {
  const Message& message = messages_[message_of_[rank].at(node)];
  if (job_.type == CollectiveType::all_gather) return {Buffer::output, message.chunk, 1};
  if (job_.type != CollectiveType::all_to_all || sends) return {Buffer::input, message.chunk, 1};
  return {Buffer::output, message.owner * per_block_ + message.chunk % per_block_, 1};
}

/// @throws std::invalid_argument or TraceError: no valid job, or nodes that an algorithm does not have.
ChakraCollective read_job(const std::string& prefix, CollectiveType type) {
  ChakraCollective job{prefix, type, {}, {}};
  std::vector<std::unique_ptr<chakra::NodeSource>> sources;
  std::vector<chakra::NodeSource*> list;
  for (const std::string& file : chakra::find_rank_files(prefix)) {
    job.files.push_back(file);
    sources.push_back(chakra::open_trace(file));
    list.push_back(sources.back().get());
    job.nodes.emplace_back();
    for (Node node; sources.back()->next(node);)
      if (node.type != NodeType::Metadata) job.nodes.back().push_back(node);
    sources.back()->rewind();
  }
  chakra::validate_job(list, chakra::CommGroups(job.ranks()));
  const auto fail = [&](std::uint32_t rank, const Node& node, const std::string& what) {
    throw std::invalid_argument(job.files[rank] + ": " + chakra::describe(node) + ": " + what);
  };
  std::uint64_t bytes = 0;  // of a message
  for (std::uint32_t rank = 0; rank < job.ranks(); ++rank)
    for (const Node& node : job.nodes[rank]) {
      if (node.type != NodeType::CommSend && node.type != NodeType::CommRecv && node.type != NodeType::Comp)
        fail(rank, node, "an algorithm consists of sends, receives and computations only");
      if (node.type == NodeType::Comp) continue;
      if (bytes == 0) bytes = node.comm_size.value_or(0);
      if (node.comm_size.value_or(0) != bytes || bytes == 0)
        fail(rank, node,
             "messages of an algorithm are a chunk each, all of one size above 0; give the MSCCL "
             "program that it was made from");
    }
  return job;
}

/// The threads of a rank.
class RankLowering {
 public:
  RankLowering(const ChakraCollective& job, const ChakraChunks& chunks, std::uint32_t rank)
      : job_(job), chunks_(chunks), rank_(rank) {
    for (const auto& [node, receives] : chunks.reduces(rank))
      for (const std::uint64_t receive : receives) add_slot(receive);
    // What an all-to-all passes on lies in scratch, too.
    for (const Node& node : nodes())
      if (node.type == NodeType::CommRecv && job.type == CollectiveType::all_to_all &&
          chunks.goes_on(rank, node.id))
        add_slot(node.id);
  }
  std::uint32_t scratch_chunks() const { return static_cast<std::uint32_t>(slot_of_.size()); }

  /// A thread for each node, and for all-to-all the copy of the own block, which is in place already.
  CustomRank lower() const {
    CustomRank lowered;
    lowered.file = job_.files[rank_];
    std::unordered_map<std::uint64_t, std::uint32_t> thread_of;
    for (std::uint32_t i = 0; i < nodes().size(); ++i) thread_of[nodes()[i].id] = i;
    for (const Node& node : nodes()) {
      CustomThread thread{chakra::describe(node), {}};
      std::uint32_t after = Step::kNone;
      for (const std::uint64_t parent : parents_of(node)) {
        if (after != Step::kNone) thread.operations.push_back(wait(after));
        after = thread_of.at(parent);
      }
      add_operations(node, thread);
      // The last of what it waits for goes to its first operation.
      for (CustomOperation& operation : thread.operations)
        if (operation.after_thread == Step::kNone) {
          operation.after_thread = after;
          break;
        }
      lowered.threads.push_back(std::move(thread));
    }
    for (CustomThread& thread : lowered.threads)
      for (CustomOperation& operation : thread.operations)
        if (operation.after_thread != Step::kNone)
          operation.after_count =
              static_cast<std::uint32_t>(lowered.threads[operation.after_thread].operations.size());
    return lowered;
  }

 private:
  const std::vector<Node>& nodes() const { return job_.nodes[rank_]; }
  void add_slot(std::uint64_t receive) { slot_of_.emplace(receive, scratch_chunks()); }
  CustomChunks slot(std::uint64_t receive) const { return {Buffer::scratch, slot_of_.at(receive), 1}; }

  static CustomOperation wait(std::uint32_t thread) {
    CustomOperation operation;
    operation.delay_ps = 0;
    operation.after_thread = thread;
    return operation;
  }

  void add_operations(const Node& node, CustomThread& thread) const {
    CustomOperation operation;
    operation.channel = node.comm_tag.value_or(0);
    if (node.type == NodeType::Comp) {
      std::optional<TimePs> delay;
      if (node.duration_ps != 0) delay = node.duration_ps;
      const auto found = chunks_.reduces(rank_).find(node.id);
      if (found != chunks_.reduces(rank_).end())
        for (const std::uint64_t receive : found->second) {
          operation.kind = Kind::reduce;
          operation.from = slot(receive);
          operation.to = chunks_.at(rank_, receive, false);
          operation.delay_ps = delay;
          if (delay) delay = 0;  // once
          thread.operations.push_back(operation);
        }
      else {
        operation.delay_ps = delay.value_or(0);
        thread.operations.push_back(operation);
      }
      return;
    }
    if (node.type == NodeType::CommSend) {
      operation.kind = Kind::send;
      operation.peer = *node.comm_dst;
      operation.from = chunks_.at(rank_, node.id, true);
      if (job_.type == CollectiveType::all_to_all && !chunks_.is_fresh(rank_, node.id))
        operation.from = slot(*chunks_.brought_by(rank_, node).begin());
    } else {
      operation.kind = Kind::receive;
      operation.peer = *node.comm_src;
      operation.to = slot_of_.count(node.id) != 0 ? slot(node.id) : chunks_.at(rank_, node.id, false);
    }
    thread.operations.push_back(operation);
  }

  const ChakraCollective& job_;
  const ChakraChunks& chunks_;
  const std::uint32_t rank_;
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of_;  // by receive: its chunk of the scratch buffer
};

}  // namespace

CustomAlgorithm read_chakra_algorithm(const std::string& prefix, CollectiveType type) {
  try {
    const ChakraCollective job = read_job(prefix, type);
    const ChakraChunks chunks(job);
    CustomAlgorithm made;
    made.file = prefix;
    made.type = type;
    made.in_place = type != CollectiveType::all_to_all;
    made.chunks = chunks.count();
    for (std::uint32_t rank = 0; rank < job.ranks(); ++rank) {
      const RankLowering lowering(job, chunks, rank);
      made.scratch_chunks = std::max(made.scratch_chunks, lowering.scratch_chunks());
      made.ranks.push_back(lowering.lower());
    }
    return made;
  } catch (const chakra::TraceError& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace wafertlm
