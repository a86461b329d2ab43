// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/communication.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

namespace wafertlm::pytorch {
namespace {

using chakra::CollectiveType;
using chakra::NodeType;

/// Small letters and digits only: "_allgather_base" → "allgatherbase".
std::string bare(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

CommunicationKind collective(CollectiveType type) { return {NodeType::CommColl, type}; }

/// Of those that a name starts with the longest counts.
const std::map<std::string, CommunicationKind, std::greater<>>& kinds() {
  static const std::map<std::string, CommunicationKind, std::greater<>> all = {
      {"allreduce", collective(CollectiveType::AllReduce)},
      {"reduce", collective(CollectiveType::Reduce)},
      {"allgather", collective(CollectiveType::AllGather)},
      {"gather", collective(CollectiveType::Gather)},
      {"scatter", collective(CollectiveType::Scatter)},
      {"broadcast", collective(CollectiveType::Broadcast)},
      {"alltoall", collective(CollectiveType::AllToAll)},
      {"reducescatter", collective(CollectiveType::ReduceScatter)},
      {"barrier", collective(CollectiveType::Barrier)},
      {"send", {NodeType::CommSend, CollectiveType::AllReduce}},
      {"isend", {NodeType::CommSend, CollectiveType::AllReduce}},
      {"recv", {NodeType::CommRecv, CollectiveType::AllReduce}},
      {"irecv", {NodeType::CommRecv, CollectiveType::AllReduce}},
  };
  return all;
}

}  // namespace

std::optional<CommunicationKind> communication_kind(std::string_view name) {
  std::string known = bare(name.substr(name.rfind(':') + 1));
  // Ways in which symmetric memory is used.
  for (const std::string_view way : {"multimem", "oneshot", "twoshot"})
    if (known.compare(0, way.size(), way) == 0) known.erase(0, way.size());
  for (const auto& [start, kind] : kinds())
    if (known.compare(0, start.size(), start) == 0) return kind;
  return std::nullopt;
}

std::optional<std::string_view> communication_library(std::string_view kernel) {
  struct Row {
    std::string_view mark, library;
  };
  // The more special ones first.
  static constexpr Row kRows[] = {
      {"ncclSym", "NCCL, symmetric memory"},
      {"ncclDevKernel", "NCCL"},
      {"ncclKernel", "NCCL"},
      {"rcclKernel", "RCCL"},
      {"mscclKernel", "MSCCL"},
      {"mscclpp", "MSCCL++"},
      {"oneccl", "oneCCL"},
      {"oneapi::ccl", "oneCCL"},
      {"hcom_", "HCCL"},
      {"hccl", "HCCL"},
      {"Hccl", "HCCL"},
      {"one_shot_all_reduce", "symmetric memory"},
      {"two_shot_all_reduce", "symmetric memory"},
      {"multimem_", "symmetric memory"},
      {"cross_device_reduce", "symmetric memory"},
      {"deep_ep::intranode", "DeepEP"},
      {"deep_ep::internode", "DeepEP"},
      {"nvshmem", "NVSHMEM"},
  };
  const std::string_view name = kernel.substr(0, kernel.find('('));
  for (const Row& row : kRows)
    if (name.find(row.mark) != name.npos) return row.library;
  return std::nullopt;
}

std::optional<std::uint32_t> element_bytes(std::string_view dtype) {
  static const std::map<std::string, std::uint32_t> sizes = {
      {"float", 4},   {"double", 8},       {"half", 2},           {"bfloat16", 2},   {"long", 8},
      {"int", 4},     {"longint", 8},      {"short", 2},          {"shortint", 2},   {"char", 1},
      {"byte", 1},    {"bool", 1},         {"unsignedchar", 1},   {"signedchar", 1}, {"uint8", 1},
      {"int8", 1},    {"int32", 4},        {"int64", 8},          {"float16", 2},    {"float32", 4},
      {"float64", 8}, {"complexfloat", 8}, {"complexdouble", 16}, {"uint32", 4},     {"uint64", 8}};
  std::string name = bare(dtype.substr(dtype.rfind(':') + 1));
  if (name.compare(0, 6, "float8") == 0) return 1;
  const auto found = sizes.find(name);
  if (found == sizes.end()) return std::nullopt;
  return found->second;
}

std::optional<std::vector<std::uint64_t>> number_list(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::uint64_t> numbers;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.empty()) break;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() != ',' && text.front() != ' ') return std::nullopt;
  }
  return numbers;
}

}  // namespace wafertlm::pytorch
