// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fstream>
#include <string>

#include "workloads/chakra/node_source.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {

/// Streams a trace in Chakra's JSON form: an object with the list `workload_graph`, whose entries have Id,
/// Name, NodeType (a number), runtime or duration_micros, data_deps, ctrlDeps and the attributes of Chakra by
/// their names. What else the object holds is checked to be JSON and skipped. Everything it cannot read is a
/// TraceError that names the file, the byte and, if known, the node.
class JsonReader : public NodeSource {
 public:
  /// Opens the file and goes to its list of nodes.
  explicit JsonReader(std::string path);

  bool next(Node& node) override;
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
};

/// Reads one entry of `workload_graph`. @throws std::invalid_argument: no JSON object, a key twice, a missing
/// or wrong value; `node` then has what was read before.
void from_json(const std::string& text, Node& node);

/// The node as one line of that list.
std::string to_json(const Node& node);

}  // namespace wafertlm::chakra
