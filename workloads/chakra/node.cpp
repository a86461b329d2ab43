// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/node.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {
namespace {

constexpr std::array<const char*, kNodeTypes> kNodeTypeNames = {
    "INVALID", "METADATA", "MEM_LOAD", "MEM_STORE", "COMP", "COMM_SEND", "COMM_RECV", "COMM_COLL"};
constexpr std::array<const char*, kCollectiveTypes> kCollectiveTypeNames = {
    "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
    "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};

}  // namespace

const char* to_string(NodeType type) { return kNodeTypeNames.at(static_cast<std::size_t>(type)); }
const char* to_string(CollectiveType type) { return kCollectiveTypeNames.at(static_cast<std::size_t>(type)); }

void Node::clear() {
  Node empty;
  ctrl_deps.clear();
  data_deps.clear();
  // The lists change places twice: a reader need not allocate them again for every node.
  empty.ctrl_deps.swap(ctrl_deps);
  empty.data_deps.swap(data_deps);
  *this = std::move(empty);
}

std::string printable(const std::string& text) {
  constexpr const char* kHex = "0123456789abcdef";
  constexpr unsigned char kDelete = 0x7F;
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (code < ' ' || code == kDelete)
      result.append("\\x").append(1, kHex[code >> 4]).append(1, kHex[code & 15]);
    else
      result += c;
  }
  return result;
}

std::string describe(const Node& node) {
  constexpr std::size_t kLongest = 60;
  std::string text = fmt::format("node {}", node.id);
  if (node.name.empty()) return text;
  std::size_t length = std::min(node.name.size(), kLongest);
  // Never cuts a UTF-8 character in two.
  while (length < node.name.size() && length > 0 && (node.name[length] & 0xC0) == 0x80) --length;
  return text + " \"" + printable(node.name.substr(0, length)) + (length < node.name.size() ? "…\"" : "\"");
}

}  // namespace wafertlm::chakra
