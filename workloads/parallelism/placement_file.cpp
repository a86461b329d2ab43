// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "workloads/parallelism/placement.h"

namespace wafertlm {
namespace {

struct FileLine {
  const std::string& path;
  std::size_t line;

  [[noreturn]] void fail(const std::string& message) const {
    throw std::invalid_argument(fmt::format("{}:{}: {}", path, line, message));
  }
  /// A number from 0 to count - 1. `what`: "NPU", "worker".
  std::uint32_t number(const std::string& text, const std::string& what, std::uint32_t count) const {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value >= count)
      fail(fmt::format("'{}' is no {}; there are 0 to {}", text, what, count - 1));
    return value;
  }
};

}  // namespace

Placement read_placement(const std::string& path, std::uint32_t workers, std::uint32_t npus) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(path + ": cannot be read; --placement file:PATH names a text file");
  std::vector<std::optional<NpuId>> placement(workers);
  std::vector<std::size_t> line_of_npu(npus), line_of_worker(workers);
  std::size_t columns = 0;
  std::uint32_t next = 0;
  FileLine at{path, 0};
  for (std::string line; std::getline(file, line);) {
    ++at.line;
    std::istringstream text(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (columns == 0) columns = words.size();
    if (words.size() != columns || columns > 2)
      at.fail(fmt::format("expected an NPU, or a worker and its NPU, the same in every line; found {} words",
                          words.size()));
    if (columns == 1 && next == workers)
      at.fail(fmt::format("the parallelism has {} workers, this is one NPU too many", workers));
    const std::uint32_t worker = columns == 2 ? at.number(words[0], "worker", workers) : next++;
    const std::uint32_t npu = at.number(words.back(), "NPU", npus);
    if (line_of_worker[worker] != 0)
      at.fail(fmt::format("worker {} has an NPU already, in line {}", worker, line_of_worker[worker]));
    if (line_of_npu[npu] != 0)
      at.fail(fmt::format("NPU {} is taken already, in line {}", npu, line_of_npu[npu]));
    line_of_worker[worker] = line_of_npu[npu] = at.line;
    placement[worker] = static_cast<NpuId>(npu);
  }
  if (!file.eof()) throw std::invalid_argument(path + ": cannot be read to its end");
  Placement complete;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    if (!placement[worker])
      throw std::invalid_argument(
          fmt::format("{}: no NPU for worker {}; the parallelism has {} workers", path, worker, workers));
    complete.push_back(*placement[worker]);
  }
  return complete;
}

}  // namespace wafertlm
