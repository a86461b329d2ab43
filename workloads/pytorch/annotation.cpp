// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/annotation.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <vector>

namespace wafertlm::pytorch {
namespace {

using Source = Communication::Source;

/// Whose names are of communications, and which inputs are what is moved.
struct Speaker {
  std::string_view start;
  Source source;
};
constexpr Speaker kSpeakers[] = {{"nccl:", Source::annotation},
                                 {"rccl:", Source::annotation},
                                 {"gloo:", Source::annotation},
                                 {"xccl:", Source::annotation},
                                 {"hccl:", Source::annotation},
                                 {"ucc:", Source::annotation},
                                 {"mpi:", Source::annotation},
                                 {"oneccl_bindings_for_pytorch::", Source::annotation},
                                 {"c10d::", Source::operation},
                                 {"c10d_functional::", Source::operation},
                                 {"_c10d_functional::", Source::operation},
                                 {"symm_mem::", Source::operation}};
const Speaker* speaker_of(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kSpeakers), std::end(kSpeakers),
                   [&](const Speaker& each) { return name.substr(0, each.start.size()) == each.start; });
  return found == std::end(kSpeakers) ? nullptr : found;
}

/// Operators that take their output first.
constexpr std::string_view kOutputFirst[] = {"c10d::alltoall_base_", "c10d::_allgather_base_",
                                             "c10d::_reduce_scatter_base_"};

[[noreturn]] void refuse_size(std::string_view name) {
  throw std::invalid_argument(std::string(name) + " of more than 2^64 bytes");
}

/// Elements of each input; of one without dimensions 1.
std::vector<std::uint64_t> element_counts(std::string_view name, std::string_view dims) {
  constexpr std::size_t kInput = 2, kTensor = 3;
  std::vector<std::uint64_t> counts;
  std::size_t depth = 0;
  std::uint64_t product = 1, sum = 0;
  bool is_list = false;
  for (std::size_t at = 0; at < dims.size(); ++at) {
    const char c = dims[at];
    if (c == '[') {
      ++depth;
      if (depth == kInput) is_list = false;
      if (depth == kInput) sum = 0;
      if (depth == kTensor) is_list = true;
      if (depth >= kInput) product = 1;
    } else if (c == ']') {
      if (depth == kTensor && __builtin_add_overflow(sum, product, &sum)) refuse_size(name);
      if (depth == kInput) counts.push_back(is_list ? sum : product);
      if (depth > 0) --depth;
    } else if (c >= '0' && c <= '9') {
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(dims.data() + at, dims.data() + dims.size(), number);
      if (error != std::errc() || __builtin_mul_overflow(product, number, &product)) refuse_size(name);
      at = static_cast<std::size_t>(end - dims.data()) - 1;
    }
  }
  return counts;
}

/// Bytes of each input; nothing for one that is no tensor.
std::vector<std::optional<std::uint64_t>> input_bytes(std::string_view name, std::string_view dims,
                                                      std::string_view types) {
  std::vector<std::optional<std::uint64_t>> result;
  for (const std::uint64_t count : element_counts(name, dims)) {
    const std::size_t end = std::min(types.find('\n'), types.size());
    std::uint64_t bytes = 0;
    const auto size = element_bytes(types.substr(0, end));
    if (size && __builtin_mul_overflow(count, std::uint64_t{*size}, &bytes)) refuse_size(name);
    result.push_back(size ? std::optional(bytes) : std::nullopt);
    types.remove_prefix(std::min(end + 1, types.size()));
  }
  return result;
}

void take_sizes(Communication& to, const std::vector<std::optional<std::uint64_t>>& inputs, Source source,
                bool output_first) {
  if (output_first) {
    if (inputs.size() < 2 || !inputs[0] || !inputs[1]) return;
    to.out_bytes = *inputs[0];
    to.in_bytes = *inputs[1];
    to.has_size = true;
    return;
  }
  // An operator's further inputs are options; an annotation has tensors only.
  const std::size_t count =
      source == Source::annotation ? inputs.size() : std::min<std::size_t>(inputs.size(), 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (!inputs[i]) return;
    if (__builtin_add_overflow(to.in_bytes, *inputs[i], &to.in_bytes)) refuse_size(to.name);
  }
  to.has_size = count != 0;
  to.out_bytes = to.in_bytes;
}

/// "send 0->1", "recv 1<-0": its number in the group.
std::optional<std::uint32_t> peer_of(std::string_view name) {
  const std::size_t arrow = std::min(name.find("->"), name.find("<-"));
  if (arrow == name.npos) return std::nullopt;
  std::uint32_t peer = 0;
  const auto [end, error] = std::from_chars(name.data() + arrow + 2, name.data() + name.size(), peer);
  if (error != std::errc()) return std::nullopt;
  return peer;
}

}  // namespace

bool may_say_communication(std::string_view name) { return speaker_of(name) != nullptr; }

std::optional<Communication> annotated_communication(std::string_view name, std::string_view dims,
                                                     std::string_view types) {
  const Speaker* const speaker = speaker_of(name);
  if (speaker == nullptr) return std::nullopt;
  const std::string_view said = name.substr(speaker->start.size());
  const auto kind = communication_kind(said);
  if (!kind) return std::nullopt;
  Communication found;
  found.name = said;
  found.source = speaker->source;
  const bool output_first =
      std::find(std::begin(kOutputFirst), std::end(kOutputFirst), name) != std::end(kOutputFirst);
  take_sizes(found, input_bytes(name, dims, types), found.source, output_first);
  if (kind->collective == chakra::CollectiveType::Barrier) found.has_size = true;
  found.peer = peer_of(said);
  return found;
}

}  // namespace wafertlm::pytorch
