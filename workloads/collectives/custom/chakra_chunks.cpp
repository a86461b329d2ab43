// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/custom/chakra_chunks.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace wafertlm {

using chakra::Node;
using chakra::NodeType;
using Buffer = CustomChunks::Buffer;

/// Sets that are merged; the smallest member stands for its set.
class ChakraChunks::Sets {
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

std::vector<std::uint64_t> parents_of(const Node& node) {
  std::vector<std::uint64_t> all = node.data_deps;
  all.insert(all.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
  return all;
}

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
      if (is_new) messages_.push_back({sends ? rank : peer, sends ? peer : rank, false, false, 0, 0});
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
/// way to, or from, several.
void ChakraChunks::merge_disjoint(Blocks& blocks, Sets& sets) const {
  const bool gathers = job_.type == CollectiveType::all_gather;
  if (!gathers && job_.type != CollectiveType::reduce_scatter) return;
  std::map<std::size_t, std::vector<std::uint32_t>> ends;  // by set
  for (std::size_t m = 0; m < messages_.size(); ++m)
    ends[sets.of(m)].push_back(gathers ? messages_[m].to : messages_[m].from);
  for (auto& [owner, block] : blocks) {
    std::set<std::uint32_t> met;
    bool disjoint = true;
    for (const std::size_t set : block)
      for (const std::uint32_t end : ends[set]) disjoint = met.insert(end).second && disjoint;
    if (!disjoint) continue;
    for (const std::size_t set : block) sets.merge(block.front(), set);
    block = {sets.of(block.front())};
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

}  // namespace wafertlm
