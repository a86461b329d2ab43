// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
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

/// A message of the job: both its ends.
struct MessageEnds {
  std::uint32_t from = 0, to = 0;
  bool fresh = false;    ///< what is sent did not come from anybody
  bool goes_on = false;  ///< what has come is sent on
};

/// The nodes of a trace name no chunks, so these are found from the dependencies: a send passes on what the
/// receives before it brought, directly or over computations, and what is reduced into one another is one
/// chunk. Which part of the vector a chunk is follows from the type of the collective. The proof tells
/// whether all this was right.
class Job {
 public:
  Job(const std::string& prefix, CollectiveType type) : prefix_(prefix), type_(type) {
    for (const std::string& file : chakra::find_rank_files(prefix)) {
      files_.push_back(file);
      sources_.push_back(chakra::open_trace(file));
      nodes_.emplace_back();
      for (Node node; sources_.back()->next(node);)
        if (node.type != NodeType::Metadata) nodes_.back().push_back(node);
      sources_.back()->rewind();
    }
  }

  CustomAlgorithm algorithm() {
    validate();
    match();
    follow_data();
    const std::vector<std::uint32_t> chunk_of = number_chunks();
    CustomAlgorithm made;
    made.file = prefix_;
    made.type = type_;
    made.in_place = type_ != CollectiveType::all_to_all;
    made.chunks = chunks_;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) made.ranks.push_back(lower(rank, chunk_of, made));
    return made;
  }

 private:
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[noreturn]] void fail(std::uint32_t rank, const Node& node, const std::string& what) const {
    throw std::invalid_argument(files_[rank] + ": " + chakra::describe(node) + ": " + what);
  }

  void validate() {
    std::vector<chakra::NodeSource*> list;
    for (const auto& source : sources_) list.push_back(source.get());
    try {
      chakra::validate_job(list, chakra::CommGroups(ranks()));
    } catch (const chakra::TraceError& error) {
      throw std::invalid_argument(error.what());
    }
    for (std::uint32_t rank = 0; rank < ranks(); ++rank)
      for (const Node& node : nodes_[rank]) {
        if (node.type != NodeType::CommSend && node.type != NodeType::CommRecv && node.type != NodeType::Comp)
          fail(rank, node, "an algorithm consists of sends, receives and computations only");
        if (node.type == NodeType::Comp) continue;
        if (bytes_ == 0) bytes_ = node.comm_size.value_or(0);
        if (node.comm_size.value_or(0) != bytes_ || bytes_ == 0)
          fail(rank, node,
               "messages of an algorithm are a chunk each, all of one size above 0; give the MSCCL "
               "program that it was made from");
      }
  }

  /// Numbers the messages; the k-th send to a peer with a tag is that peer's k-th receive.
  void match() {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::size_t>, std::size_t> numbers;
    message_of_.resize(ranks());
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::size_t> counts;
      for (const Node& node : nodes_[rank]) {
        if (node.type == NodeType::Comp) continue;
        const bool sends = node.type == NodeType::CommSend;
        const std::uint32_t peer = *(sends ? node.comm_dst : node.comm_src), tag = node.comm_tag.value_or(0);
        const std::size_t k = counts[{sends, peer, tag}]++;
        const auto [found, is_new] =
            numbers.emplace(std::tuple(sends ? rank : peer, sends ? peer : rank, tag, k), messages_.size());
        if (is_new) messages_.push_back({sends ? rank : peer, sends ? peer : rank, false, false});
        message_of_[rank][node.id] = found->second;
      }
    }
  }

  std::vector<std::uint64_t> parents(const Node& node) const {
    std::vector<std::uint64_t> all = node.data_deps;
    all.insert(all.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
    return all;
  }

  /// The receives whose data a send passes on: the nearest ones above it.
  std::set<std::uint64_t> brought_by(std::uint32_t rank, const Node& send) const {
    std::set<std::uint64_t> receives, seen;
    std::vector<std::uint64_t> next = parents(send);
    while (!next.empty()) {
      const std::uint64_t id = next.back();
      next.pop_back();
      if (!seen.insert(id).second) continue;
      const Node& node = *by_id_[rank].at(id);
      if (node.type == NodeType::CommRecv) receives.insert(id);
      if (node.type == NodeType::Comp)
        for (const std::uint64_t parent : parents(node)) next.push_back(parent);
    }
    return receives;
  }

  void follow_data() {
    sets_.emplace(messages_.size());
    by_id_.resize(ranks());
    reduces_.resize(ranks());
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      for (const Node& node : nodes_[rank]) by_id_[rank][node.id] = &node;
      for (const Node& node : nodes_[rank]) {
        if (node.type == NodeType::Comp)
          for (const std::uint64_t parent : parents(node))
            if (by_id_[rank].at(parent)->type == NodeType::CommRecv)
              reduces_[rank][node.id].push_back(parent);
        if (node.type != NodeType::CommSend) continue;
        const std::size_t sent = message_of_[rank].at(node.id);
        const std::set<std::uint64_t> from = brought_by(rank, node);
        messages_[sent].fresh = from.empty();
        for (const std::uint64_t receive : from) {
          const std::size_t came = message_of_[rank].at(receive);
          messages_[came].goes_on = true;
          sets_->merge(sent, came);
        }
      }
    }
  }

  /// What a set of messages that carry one chunk stands for: all-reduce nothing but itself; else the rank
  /// whose block it is, and of an all-to-all whose it becomes.
  struct Owner {
    std::uint32_t from = 0, to = 0;
    bool operator<(const Owner& other) const {
      return from != other.from ? from < other.from : to < other.to;
    }
  };

  /// By message: the number of its chunk in the vector, as the sender of an all-to-all has it.
  std::vector<std::uint32_t> number_chunks() {
    const std::size_t count = messages_.size();
    std::map<std::size_t, std::set<std::uint32_t>> begins, ends;  // by set
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (std::size_t m = 0; m < count; ++m) {
      members[sets_->of(m)].push_back(m);
      if (messages_[m].fresh) begins[sets_->of(m)].insert(messages_[m].from);
      if (!messages_[m].goes_on) ends[sets_->of(m)].insert(messages_[m].to);
    }
    const auto only = [&](std::map<std::size_t, std::set<std::uint32_t>>& of, std::size_t set,
                          const std::string& what) {
      if (of[set].size() != 1)
        throw std::invalid_argument(prefix_ + ": a chunk " + what + " " + std::to_string(of[set].size()) +
                                    " ranks by the dependencies, which for " + to_string(type_) +
                                    " must be one; give the MSCCL program that it was made from");
      return *of[set].begin();
    };
    std::map<Owner, std::vector<std::size_t>> blocks;  // sets
    for (const auto& [set, list] : members) {
      Owner owner;
      if (type_ == CollectiveType::all_gather || type_ == CollectiveType::all_to_all)
        owner.from = only(begins, set, "begins at");
      if (type_ == CollectiveType::reduce_scatter || type_ == CollectiveType::all_to_all)
        owner.to = only(ends, set, "ends at");
      blocks[owner].push_back(set);
    }
    // Sets that have no receiver (all_gather) or no sender (reduce_scatter) in common are the same chunk on
    // its way to, or from, several.
    if (type_ == CollectiveType::all_gather || type_ == CollectiveType::reduce_scatter)
      for (auto& [owner, sets] : blocks) {
        std::set<std::uint32_t> met;
        bool disjoint = true;
        for (const std::size_t set : sets)
          for (const std::size_t m : members[set])
            disjoint = met.insert(type_ == CollectiveType::all_gather ? messages_[m].to : messages_[m].from)
                           .second &&
                       disjoint;
        if (!disjoint) continue;
        for (const std::size_t set : sets) sets_->merge(sets.front(), set);
        sets = {sets_->of(sets.front())};
      }
    std::size_t per_block = 0;
    for (const auto& [owner, sets] : blocks) per_block = std::max(per_block, sets.size());
    const auto part = static_cast<std::uint32_t>(per_block);
    chunks_ = type_ == CollectiveType::all_reduce ? part : part * ranks();
    std::map<std::size_t, std::uint32_t> number;  // by set
    for (const auto& [owner, sets] : blocks) {
      const std::uint32_t block = type_ == CollectiveType::all_gather ? owner.from : owner.to;
      for (std::uint32_t i = 0; i < sets.size(); ++i) number[sets[i]] = block * part + i;
    }
    per_block_ = part;
    std::vector<std::uint32_t> of_message(count);
    for (std::size_t m = 0; m < count; ++m) of_message[m] = number.at(sets_->of(m));
    if (type_ == CollectiveType::all_to_all)
      for (const auto& [owner, sets] : blocks)
        for (const std::size_t set : sets) from_[set] = owner.from;
    return of_message;
  }

  /// A thread for each node, and for all-to-all the copy of the own block, which is in place already.
  CustomRank lower(std::uint32_t rank, const std::vector<std::uint32_t>& chunk_of, CustomAlgorithm& made) {
    CustomRank lowered;
    lowered.file = files_[rank];
    std::unordered_map<std::uint64_t, std::uint32_t> thread_of, slot_of;
    for (std::uint32_t i = 0; i < nodes_[rank].size(); ++i) thread_of[nodes_[rank][i].id] = i;
    for (const auto& [node, receives] : reduces_[rank])
      for (const std::uint64_t receive : receives)
        slot_of.emplace(receive, static_cast<std::uint32_t>(slot_of.size()));
    // What an all-to-all passes on lies in scratch, too.
    for (const Node& node : nodes_[rank])
      if (node.type == NodeType::CommRecv && type_ == CollectiveType::all_to_all &&
          messages_[message_of_[rank].at(node.id)].goes_on)
        slot_of.emplace(node.id, static_cast<std::uint32_t>(slot_of.size()));
    made.scratch_chunks = std::max(made.scratch_chunks, static_cast<std::uint32_t>(slot_of.size()));
    for (const Node& node : nodes_[rank]) {
      CustomThread thread{chakra::describe(node), {}};
      std::uint32_t after = Step::kNone;
      for (const std::uint64_t parent : parents(node)) {
        if (after != Step::kNone) thread.operations.push_back(wait(after));
        after = thread_of.at(parent);
      }
      add_operations(rank, node, slot_of, chunk_of, thread);
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

  static CustomOperation wait(std::uint32_t thread) {
    CustomOperation operation;
    operation.delay_ps = 0;
    operation.after_thread = thread;
    return operation;
  }

  void add_operations(std::uint32_t rank, const Node& node,
                      const std::unordered_map<std::uint64_t, std::uint32_t>& slot_of,
                      const std::vector<std::uint32_t>& chunk_of, CustomThread& thread) {
    const auto slot = [&](std::uint64_t receive) {
      return CustomChunks{Buffer::scratch, slot_of.at(receive), 1};
    };
    CustomOperation operation;
    operation.channel = node.comm_tag.value_or(0);
    if (node.type == NodeType::Comp) {
      std::optional<TimePs> delay;
      if (node.duration_ps != 0) delay = node.duration_ps;
      const auto found = reduces_[rank].find(node.id);
      if (found != reduces_[rank].end())
        for (const std::uint64_t receive : found->second) {
          operation.kind = Kind::reduce;
          operation.from = slot(receive);
          operation.to = place(rank, message_of_[rank].at(receive), chunk_of, false);
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
    const std::size_t message = message_of_[rank].at(node.id);
    if (node.type == NodeType::CommSend) {
      operation.kind = Kind::send;
      operation.peer = *node.comm_dst;
      operation.from = place(rank, message, chunk_of, true);
      if (type_ == CollectiveType::all_to_all && !messages_[message].fresh)
        operation.from = slot(*brought_by(rank, node).begin());
    } else {
      operation.kind = Kind::receive;
      operation.peer = *node.comm_src;
      operation.to = slot_of.count(node.id) != 0 ? slot(node.id) : place(rank, message, chunk_of, false);
    }
    thread.operations.push_back(operation);
  }

  /// Of a message's chunk at one of its ends.
  CustomChunks place(std::uint32_t, std::size_t message, const std::vector<std::uint32_t>& chunk_of,
                     bool sends) const {
    const std::uint32_t chunk = chunk_of[message];
    if (type_ == CollectiveType::all_gather) return {Buffer::output, chunk, 1};
    if (type_ != CollectiveType::all_to_all || sends) return {Buffer::input, chunk, 1};
    return {Buffer::output, from_.at(sets_->of(message)) * per_block_ + chunk % per_block_, 1};
  }

  std::string prefix_;
  CollectiveType type_;
  std::vector<std::string> files_;
  std::vector<std::unique_ptr<chakra::NodeSource>> sources_;
  std::vector<std::vector<Node>> nodes_;  // by rank
  std::uint64_t bytes_ = 0;               // of a message
  std::uint32_t chunks_ = 0, per_block_ = 1;
  std::vector<MessageEnds> messages_;
  std::vector<std::unordered_map<std::uint64_t, std::size_t>> message_of_;  // by rank and node
  std::vector<std::unordered_map<std::uint64_t, const Node*>> by_id_;       // by rank
  std::vector<std::map<std::uint64_t, std::vector<std::uint64_t>>>
      reduces_;  // by rank and COMP: its receives
  mutable std::optional<Sets> sets_;
  std::map<std::size_t, std::uint32_t> from_;  // by set, of an all-to-all
};

}  // namespace

CustomAlgorithm read_chakra_algorithm(const std::string& prefix, CollectiveType type) {
  try {
    return Job(prefix, type).algorithm();
  } catch (const chakra::TraceError& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace wafertlm
