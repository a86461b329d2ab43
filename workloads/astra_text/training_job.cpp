// SPDX-License-Identifier: Apache-2.0
#include "workloads/astra_text/training_job.h"

#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <optional>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::astra_text {
namespace {

/// The words of a header: the strategy, then keys that end in a colon, each with numbers behind it.
class Header {
 public:
  explicit Header(const TextWorkload& workload) : workload_(workload) {
    if (workload.header.empty()) fail("the first line names no training loop");
    std::vector<std::size_t>* values = nullptr;
    for (std::size_t i = 1; i < workload.header.size(); ++i) {
      const std::string& word = workload.header[i];
      std::size_t value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (word.back() == ':')
        values = &values_[word.substr(0, word.size() - 1)];
      else if (values && error == std::errc() && end == word.data() + word.size())
        values->push_back(value);
      else
        fail("expected a key with ':' or a whole number, not '" + word + "'");
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw chakra::TraceError(workload_.source + ":1: " + what);
  }
  std::optional<std::size_t> number(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return std::nullopt;
    if (found->second.size() != 1) fail(key + " must have one number");
    return found->second.front();
  }
  /// The first number says how many follow.
  std::vector<std::size_t> layers(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return {};
    const std::vector<std::size_t>& list = found->second;
    if (list.empty() || list.front() != list.size() - 1)
      fail(key + " must say how many layers it has, then the layers");
    for (std::size_t i = 1; i < list.size(); ++i)
      if (list[i] >= workload_.layers.size())
        fail(fmt::format("{} has layer {}, and there are {}", key, list[i], workload_.layers.size()));
    return {list.begin() + 1, list.end()};
  }

 private:
  const TextWorkload& workload_;
  std::map<std::string, std::vector<std::size_t>> values_;
};

TrainingLoop loop_of(const TextWorkload& workload, std::uint32_t ranks) {
  const Header header(workload);
  const std::string& strategy = workload.header.front();
  TrainingLoop loop;
  if (strategy == "DATA") {
    loop.weight_gradient_first = true;
  } else if (strategy == "MODEL") {
    loop.model_parallel = ranks;
    loop.first_input_collective = false;
  } else if (strategy == "HYBRID_TRANSFORMER" || strategy == "HYBRID_TRANSFORMER_FWD_IN_BCKWD") {
    const std::size_t group = header.number("model_parallel_NPU_group").value_or(0);
    if (group == 0 || ranks % group != 0)
      header.fail(
          fmt::format("model_parallel_NPU_group is {}, which does not divide the {} ranks", group, ranks));
    loop.model_parallel = static_cast<std::uint32_t>(group);
  } else {
    header.fail("training loop '" + strategy +
                "' is not modelled; DATA, MODEL, HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD are");
  }
  for (const char* key : {"ep", "pp"})
    if (header.number(key).value_or(1) != 1)
      header.fail(fmt::format("{} is {}; only 1 is modelled", key, *header.number(key)));
  if (header.number("all_gpus").value_or(ranks) != ranks)
    header.fail(fmt::format("it is for {} ranks, not for {}", *header.number("all_gpus"), ranks));
  const auto checkpoints = header.layers("checkpoints");
  for (const std::size_t layer : header.layers("checkpoint_initiates")) {
    std::optional<std::size_t> from;
    for (const std::size_t checkpoint : checkpoints)
      if (checkpoint <= layer && checkpoint >= from.value_or(0)) from = checkpoint;
    if (!from)
      header.fail(fmt::format("layer {} computes forward again, and no checkpoint is before it", layer));
    loop.forward_again[layer] = *from;
  }
  return loop;
}

}  // namespace

bool is_text_workload(const std::string& path) { return std::filesystem::path(path).extension() == ".txt"; }

TrainingJob::TrainingJob(const std::string& path, std::uint32_t ranks)
    : workload_(read_text_workload(path)),
      ranks_(ranks),
      loop_(loop_of(workload_, ranks)),
      groups_({{{static_cast<int>(loop_.model_parallel)},
                {static_cast<int>(loop_.model_parallel)},
                {static_cast<int>(ranks / loop_.model_parallel)}}},
              {ranks}) {}

std::vector<chakra::Node> TrainingJob::nodes(std::uint32_t rank) const {
  return training_nodes(workload_, loop_, groups_, rank);
}

std::map<std::string, std::vector<std::uint32_t>> TrainingJob::groups() const {
  std::map<std::string, std::vector<std::uint32_t>> all;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    for (std::size_t pass = 0; pass < kPasses; ++pass)
      if (const std::string name = groups_.name(pass, rank); !name.empty())
        all.try_emplace(name, groups_.members(pass, rank));
  return all;
}

}  // namespace wafertlm::astra_text
