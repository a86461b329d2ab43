// SPDX-License-Identifier: Apache-2.0
// What the tests of traces share: a folder that goes away, files as bytes, short nodes, expected errors.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "workloads/chakra/et_reader.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm::chakra::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "wafertlm-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::vector<Node> read_all(NodeSource& source) {
  std::vector<Node> nodes;
  for (Node node; source.next(node);) nodes.push_back(node);
  return nodes;
}

inline Node comp(std::uint64_t id, std::vector<std::uint64_t> data_deps = {}) {
  Node node;
  node.id = id;
  node.name = "compute " + std::to_string(id);
  node.type = NodeType::Comp;
  node.data_deps = std::move(data_deps);
  node.duration_ps = 1000;
  return node;
}

inline Node collective(std::uint64_t id, CollectiveType type, std::uint64_t bytes, std::string group = "") {
  Node node;
  node.id = id;
  node.name = "collective " + std::to_string(id);
  node.type = NodeType::CommColl;
  node.comm_type = type;
  node.comm_size = bytes;
  node.pg_name = std::move(group);
  return node;
}

inline Node send(std::uint64_t id, std::uint32_t destination, std::uint32_t tag, std::uint64_t bytes) {
  Node node;
  node.id = id;
  node.name = "send " + std::to_string(id);
  node.type = NodeType::CommSend;
  node.comm_dst = destination;
  node.comm_tag = tag;
  node.comm_size = bytes;
  return node;
}

inline Node receive(std::uint64_t id, std::uint32_t source, std::uint32_t tag, std::uint64_t bytes) {
  Node node;
  node.id = id;
  node.name = "receive " + std::to_string(id);
  node.type = NodeType::CommRecv;
  node.comm_src = source;
  node.comm_tag = tag;
  node.comm_size = bytes;
  return node;
}

/// `action` must throw a TraceError whose message holds every one of `parts`.
template <typename Action>
void expect_error(Action action, std::initializer_list<std::string> parts) {
  try {
    action();
    ADD_FAILURE() << "no error, expected one with: " << *parts.begin();
  } catch (const TraceError& error) {
    const std::string text = error.what();
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in: " << text;
  }
}

}  // namespace wafertlm::chakra::test
