// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <tinyxml2.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "tlm/input/file.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {
namespace {

using Element = tinyxml2::XMLElement;
using Kind = CustomOperation::Kind;
using Buffer = CustomChunks::Buffer;

class Reader {
 public:
  Reader(const std::string& path, bool out_of_place) : path_(path), out_of_place_(out_of_place) {}

  CustomAlgorithm read() {
    tinyxml2::XMLDocument document;
    // Ours of tens of chunks have tens of megabytes.
    constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
    const std::string text = read_input(path_, std::max(kMostBytes, input_limit()));
    const tinyxml2::XMLError loaded = document.Parse(text.data(), text.size());
    if (loaded != tinyxml2::XML_SUCCESS)
      throw std::invalid_argument(fmt::format("{}:{}: cannot be read as XML: {}", path_,
                                              document.ErrorLineNum(), document.ErrorName()));
    const Element* const algo = document.FirstChildElement("algo");
    if (!algo) throw std::invalid_argument(path_ + ":1: expected an MSCCL program, <algo …>");
    made_.file = path_;
    made_.type = type_of(*algo);
    made_.chunks = number(*algo, "nchunksperloop", 1, 1U << 20);
    read_use(*algo);
    const std::uint32_t gpus = number(*algo, "ngpus", 1, 65'536);
    made_.ranks.resize(gpus);
    if (made_.type != CollectiveType::all_reduce && made_.chunks % gpus != 0)
      fail(*algo,
           fmt::format(
               "nchunksperloop is {}, no multiple of the {} ranks, whose blocks have equally many chunks",
               made_.chunks, gpus));
    if (made_.type == CollectiveType::all_to_all && made_.in_place)
      fail(*algo, "an all-to-all in place is not supported: write outofplace=\"1\"");
    std::set<std::uint32_t> seen;
    for (const Element* gpu = algo->FirstChildElement(); gpu; gpu = gpu->NextSiblingElement()) {
      expect_name(*gpu, "gpu");
      gpu_ = number(*gpu, "id", 0, gpus - 1);
      if (!seen.insert(gpu_).second) fail(*gpu, fmt::format("gpu {} is there twice", gpu_));
      read_gpu(*gpu);
    }
    for (std::uint32_t id = 0; id < gpus; ++id)
      if (seen.count(id) == 0) fail(*algo, fmt::format("there is no gpu {}", id));
    return std::move(made_);
  }

 private:
  [[noreturn]] void fail(const Element& at, const std::string& what) const {
    throw std::invalid_argument(fmt::format("{}:{}: {}{}", path_, at.GetLineNum(), where_, what));
  }
  void expect_name(const Element& element, const std::string& name) const {
    if (element.Name() != name) fail(element, "expected <" + name + ">, not <" + element.Name() + ">");
  }

  std::string text(const Element& of, const char* key) const {
    const char* const value = of.Attribute(key);
    if (!value) fail(of, std::string("<") + of.Name() + "> has no '" + key + "'");
    return value;
  }
  std::int64_t integer(const Element& of, const char* key, std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    const std::string given = text(of, key);
    if (of.QueryInt64Attribute(key, &value) != tinyxml2::XML_SUCCESS || value < least || value > most)
      fail(of, fmt::format("'{}' is '{}'; expected a whole number from {} to {}", key, given, least, most));
    return value;
  }
  std::uint32_t number(const Element& of, const char* key, std::uint32_t least, std::uint32_t most) const {
    return static_cast<std::uint32_t>(integer(of, key, least, most));
  }
  std::uint32_t number(const Element& of, const char* key, std::uint32_t least, std::uint32_t most,
                       std::uint32_t otherwise) const {
    return of.Attribute(key) ? number(of, key, least, most) : otherwise;
  }

  CollectiveType type_of(const Element& algo) const {
    const std::string name = text(algo, "coll");
    const std::map<std::string, CollectiveType> types = {{"allreduce", CollectiveType::all_reduce},
                                                         {"allgather", CollectiveType::all_gather},
                                                         {"reduce_scatter", CollectiveType::reduce_scatter},
                                                         {"reducescatter", CollectiveType::reduce_scatter},
                                                         {"alltoall", CollectiveType::all_to_all}};
    const auto found = types.find(name);
    if (found == types.end())
      fail(algo, "coll is '" + name + "'; expected allreduce, allgather, reduce_scatter or alltoall");
    return found->second;
  }

  /// Which calls it is for: in place, out of place, of which sizes.
  void read_use(const Element& algo) {
    const bool in_place = number(algo, "inplace", 0, 1, 0) == 1,
               out_of_place = number(algo, "outofplace", 0, 1, in_place ? 0 : 1) == 1;
    if (!in_place && !out_of_place)
      fail(algo, "it is for no call: inplace and outofplace are both 0; one must be 1");
    const bool exchanges = made_.type == CollectiveType::all_to_all;  // never run in place
    made_.either_place = in_place && out_of_place && !exchanges;
    made_.in_place = in_place && !(out_of_place && (exchanges || out_of_place_));
    const auto bytes = [&](const char* key) {
      constexpr std::int64_t kMost = std::int64_t{1} << 60;
      return algo.Attribute(key) ? static_cast<std::uint64_t>(integer(algo, key, 0, kMost)) : 0;
    };
    made_.min_bytes = bytes("minBytes");
    made_.max_bytes = bytes("maxBytes");
    if (made_.max_bytes != 0 && made_.max_bytes < made_.min_bytes)
      fail(algo,
           fmt::format("it is for no size: minBytes is {}, maxBytes {}", made_.min_bytes, made_.max_bytes));
  }

  void read_gpu(const Element& gpu) {
    CustomRank& rank = made_.ranks[gpu_];
    rank.file = path_;
    where_ = fmt::format("gpu {}: ", gpu_);
    scratch_ = number(gpu, "s_chunks", 0, 1U << 24, 0);
    std::set<std::pair<std::uint32_t, std::uint32_t>> senders, receivers;
    ends_.clear();
    waits_.clear();
    hidden_ = scratch_;
    for (const Element* tb = gpu.FirstChildElement(); tb; tb = tb->NextSiblingElement()) {
      expect_name(*tb, "tb");
      const auto id = static_cast<std::uint32_t>(rank.threads.size());
      if (number(*tb, "id", 0, 65'535) != id)
        fail(*tb, fmt::format("thread blocks are numbered from 0 on; expected id=\"{}\"", id));
      rank.threads.push_back({fmt::format("tb {}", id), {}});
      ends_.emplace_back();
      send_ = integer(*tb, "send", -1, static_cast<std::int64_t>(made_.ranks.size()) - 1);
      receive_ = integer(*tb, "recv", -1, static_cast<std::int64_t>(made_.ranks.size()) - 1);
      channel_ = number(*tb, "chan", 0, 65'535, 0);
      for (const auto& [peer, set] : {std::pair(send_, &senders), std::pair(receive_, &receivers)}) {
        if (peer == gpu_) fail(*tb, "a rank does not communicate with itself; use cpy");
        if (peer >= 0 && !set->emplace(static_cast<std::uint32_t>(peer), channel_).second)
          fail(*tb, fmt::format("tb {}: another thread block has gpu {} on channel {} already", id, peer,
                                channel_));
      }
      read_steps(*tb, rank.threads.back());
    }
    for (const Wait& wait : waits_) {
      if (wait.thread >= ends_.size() || wait.step >= ends_[wait.thread].size())
        fail(*wait.at,
             fmt::format("depends on step {} of tb {}, which is not there", wait.step, wait.thread));
      CustomOperation& operation = rank.threads[wait.of_thread].operations[wait.of_operation];
      operation.after_thread = wait.thread;
      operation.after_count = ends_[wait.thread][wait.step];
    }
    made_.scratch_chunks = std::max(made_.scratch_chunks, hidden_);
    where_.clear();
  }

  void read_steps(const Element& tb, CustomThread& thread) {
    const std::string outer = where_;
    for (const Element* step = tb.FirstChildElement(); step; step = step->NextSiblingElement()) {
      expect_name(*step, "step");
      std::vector<std::uint32_t>& ends = ends_.back();
      where_ = fmt::format("{}{}, step {}: ", outer, thread.name, ends.size());
      if (number(*step, "s", 0, 1U << 24) != ends.size())
        fail(*step, fmt::format("steps are numbered from 0 on; expected s=\"{}\"", ends.size()));
      const std::size_t first = thread.operations.size();
      add_operations(*step, thread);
      const std::int64_t other = integer(*step, "depid", -1, 65'535);
      if (other >= 0)
        waits_.push_back({step, ends_.size() - 1, first, static_cast<std::uint32_t>(other),
                          number(*step, "deps", 0, 1U << 24)});
      ends.push_back(static_cast<std::uint32_t>(thread.operations.size()));
      for (std::size_t i = first; i < thread.operations.size(); ++i) {
        thread.operations[i].line = static_cast<std::uint32_t>(step->GetLineNum());
        thread.operations[i].step = static_cast<std::uint32_t>(ends.size() - 1);
      }
    }
    where_ = outer;
  }

  CustomChunks chunks(const Element& step, const char* buffer, const char* offset) const {
    const std::string name = text(step, buffer);
    CustomChunks chunks;
    if (name == "o")
      chunks.buffer = Buffer::output;
    else if (name == "s")
      chunks.buffer = Buffer::scratch;
    else if (name != "i")
      fail(step, std::string("'") + buffer + "' is '" + name + "'; expected i, o or s");
    chunks.first = number(step, offset, 0, 1U << 24);
    chunks.count = number(step, "cnt", 1, 1U << 20);
    const std::uint32_t room = chunks.buffer == Buffer::scratch ? scratch_ : made_.size_of(chunks.buffer);
    if (chunks.first + chunks.count > room)
      fail(step, fmt::format("chunks {} to {} of buffer {}, which has {}", chunks.first,
                             chunks.first + chunks.count - 1, name, room));
    return chunks;
  }

  /// A step is an operation, or several: "rrcs" receives and adds, then sends.
  void add_operations(const Element& step, CustomThread& thread) {
    const std::string type = text(step, "type");
    const auto from = [&] { return chunks(step, "srcbuf", "srcoff"); };
    const auto to = [&] { return chunks(step, "dstbuf", "dstoff"); };
    const auto add = [&](Kind kind, const CustomChunks& source, const CustomChunks& target) {
      CustomOperation operation;
      operation.kind = kind;
      operation.from = source;
      operation.to = target;
      operation.channel = channel_;
      const std::int64_t peer = kind == Kind::send ? send_ : receive_;
      if (kind == Kind::send || kind == Kind::receive || kind == Kind::receive_reduce) {
        if (peer < 0)
          fail(step, std::string("the thread block has no peer to ") +
                         (kind == Kind::send ? "send to" : "receive from"));
        operation.peer = static_cast<std::uint32_t>(peer);
      }
      thread.operations.push_back(operation);
    };
    // What comes is added to `source`, which is read only then, and stored in `target`.
    const auto receive_reduce = [&](const CustomChunks& source, const CustomChunks& target) {
      if (made_.place_of(gpu_, source.buffer, source.first) ==
          made_.place_of(gpu_, target.buffer, target.first))
        return add(Kind::receive_reduce, source, target);
      add(Kind::receive, {}, target);
      thread.operations.back().pays_reduction = true;
      add(Kind::reduce, source, target);
      thread.operations.back().delay_ps = 0;
    };
    if (type == "s") {
      add(Kind::send, from(), {});
    } else if (type == "r") {
      add(Kind::receive, {}, to());
    } else if (type == "rcs") {
      add(Kind::receive, {}, to());
      add(Kind::send, to(), {});
    } else if (type == "rrc") {
      receive_reduce(from(), to());
    } else if (type == "rrcs") {
      receive_reduce(from(), to());
      add(Kind::send, to(), {});
    } else if (type == "rrs") {
      // The sum stays nowhere: scratch of the step's own.
      const CustomChunks source = from(), sum{Buffer::scratch, hidden_, source.count};
      hidden_ += source.count;
      receive_reduce(source, sum);
      add(Kind::send, sum, {});
    } else if (type == "re") {
      add(Kind::reduce, from(), to());
    } else if (type == "cpy") {
      add(Kind::copy, from(), to());
    } else if (type == "nop") {
      add(Kind::wait, {}, {});
      thread.operations.back().delay_ps = 0;
    } else {
      fail(step, "type is '" + type + "'; expected s, r, rcs, rrc, rrs, rrcs, re, cpy or nop");
    }
  }

  /// A dependency, which may name a thread block that comes later.
  struct Wait {
    const Element* at;
    std::size_t of_thread, of_operation;
    std::uint32_t thread, step;
  };

  std::string path_, where_;
  bool out_of_place_;
  CustomAlgorithm made_;
  std::uint32_t gpu_ = 0, scratch_ = 0, hidden_ = 0, channel_ = 0;
  std::int64_t send_ = -1, receive_ = -1;
  std::vector<std::vector<std::uint32_t>> ends_;  // by thread and step: operations up to its end
  std::vector<Wait> waits_;
};

}  // namespace

CustomAlgorithm read_msccl_file(const std::string& path, bool out_of_place) {
  return Reader(path, out_of_place).read();
}

}  // namespace wafertlm
