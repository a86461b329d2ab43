// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "workloads/chakra/node_source.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {

/// The texts of a NodeIo.
struct JsonIo {
  struct Text {
    std::string values, shapes, types;
    IoText view() const { return {values, shapes, types}; }
  };
  Text inputs, outputs;
  NodeIo view() const { return {inputs.view(), outputs.view()}; }
};

/// Streams a trace in Chakra's JSON form: an object with the list `workload_graph`, whose entries have Id,
/// Name, NodeType (a number), runtime or duration_micros, data_deps, ctrlDeps, inputs and outputs (objects
/// with values, shapes, types) and the attributes of Chakra by their names; before it may stand
/// wafertlm_memory_bytes. What else the object holds is checked to be JSON and skipped. Everything it cannot
/// read is a TraceError that names the file, the byte and, if known, the node.
class JsonReader : public NodeSource {
 public:
  /// Opens the file and goes to its list of nodes.
  explicit JsonReader(std::string path);

  bool next(Node& node) override;
  NodeIo io() const override { return io_.view(); }
  std::optional<std::uint64_t> memory_bytes() const override { return memory_bytes_; }
  std::optional<std::uint64_t> set() const override { return set_; }
  void rewind() override;
  const std::string& name() const override { return path_; }

 private:
  void skip_space();
  char peek();
  char take();
  void expect(char wanted, const char* where);
  /// The text of one value, an object up to its closing bracket for example.
  void take_value(std::string& text);
  std::string take_key();
  void enter_list();
  void leave_list();
  [[noreturn]] void fail(std::uint64_t byte, const std::string& text) const;

  std::string path_;
  std::ifstream file_;
  std::string buffer_, text_;
  std::size_t position_ = 0;
  std::uint64_t before_ = 0;  // bytes before the buffer
  bool first_ = true, done_ = false;
  JsonIo io_;
  std::optional<std::uint64_t> memory_bytes_, set_;
};

/// Reads one entry of `workload_graph`. @throws std::invalid_argument: no JSON object, a key twice, a missing
/// or wrong value; `node` then has what was read before.
void from_json(const std::string& text, Node& node, JsonIo& io);

/// The node as one line of that list.
std::string to_json(const Node& node, const NodeIo& io = {});

}  // namespace wafertlm::chakra
