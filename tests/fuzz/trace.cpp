// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/trace.h"

#include <tuple>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/support/same_node.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::fuzz {
namespace {

using Texts = std::vector<std::string>;

/// All that a trace says.
struct Trace {
  std::vector<chakra::Node> nodes;
  std::vector<Texts> tensors;  // by node
  std::optional<std::uint64_t> memory_bytes;

  friend bool operator==(const Trace& a, const Trace& b) {
    return std::tie(a.nodes, a.tensors, a.memory_bytes) == std::tie(b.nodes, b.tensors, b.memory_bytes);
  }
};

Trace read_all(chakra::NodeSource& source) {
  Trace trace;
  for (chakra::Node node; source.next(node);) {
    trace.nodes.push_back(node);
    Texts texts;
    const chakra::NodeIo io = source.io();
    for (const chakra::IoText& text : {io.inputs, io.outputs})
      for (const std::string_view each : {text.values, text.shapes, text.types}) texts.emplace_back(each);
    trace.tensors.push_back(std::move(texts));
  }
  trace.memory_bytes = source.memory_bytes();
  source.rewind();
  return trace;
}

}  // namespace

void read_trace(const std::string& form, const std::string& input) {
  const std::string path = write("input.0." + form, input);
  const auto source = accepted([&] { return chakra::open_trace(path); });
  if (!source) return;
  const auto trace = accepted([&] { return read_all(**source); });
  if (!trace) return;
  accepted(
      [&] { return chakra::validate(**source, 0, chakra::CommGroups(4), {chakra::Dependencies::existing}); });
  (*source)->rewind();
  for (const std::string to : {"et", "et.gz", "json"}) {
    const std::string written = folder() + "/written." + to;
    if (!accepted([&] { return chakra::write_trace_file(**source, written); })) continue;
    require(again([&] { return read_all(*chakra::open_trace(written)); }) == *trace,
            "written as " + to + " it says something else");
  }
}

}  // namespace wafertlm::fuzz
