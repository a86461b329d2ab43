// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "workloads/parallelism/placement.h"

namespace wafertlm {
namespace {

struct FilePlace {
  const std::string& path;
  std::size_t line;

  [[noreturn]] void fail(const std::string& message) const {
    throw std::invalid_argument(path + ":" + std::to_string(line) + ": " + message);
  }
  /// A number from 0 to count - 1. `what`: "NPU", "worker".
  std::uint32_t number(const std::string& text, const std::string& what, std::uint32_t count) const {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value >= count)
      fail("'" + text + "' is no " + what + "; there are 0 to " + std::to_string(count - 1));
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
  FilePlace place{path, 0};
  for (std::string line; std::getline(file, line);) {
    ++place.line;
    std::istringstream text(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (columns == 0) columns = words.size();
    if (words.size() != columns || columns > 2)
      place.fail("expected an NPU, or a worker and its NPU, the same in every line; found " +
                 std::to_string(words.size()) + " words");
    if (columns == 1 && next == workers)
      place.fail("the parallelism has " + std::to_string(workers) + " workers, this is one NPU too many");
    const std::uint32_t worker = columns == 2 ? place.number(words[0], "worker", workers) : next++;
    const std::uint32_t npu = place.number(words.back(), "NPU", npus);
    if (line_of_worker[worker] != 0)
      place.fail("worker " + std::to_string(worker) + " has an NPU already, in line " +
                 std::to_string(line_of_worker[worker]));
    if (line_of_npu[npu] != 0)
      place.fail("NPU " + std::to_string(npu) + " is taken already, in line " +
                 std::to_string(line_of_npu[npu]));
    line_of_worker[worker] = line_of_npu[npu] = place.line;
    placement[worker] = static_cast<NpuId>(npu);
  }
  if (!file.eof()) throw std::invalid_argument(path + ": cannot be read to its end");
  Placement complete;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    if (!placement[worker])
      throw std::invalid_argument(path + ": no NPU for worker " + std::to_string(worker) +
                                  "; the parallelism has " + std::to_string(workers) + " workers");
    complete.push_back(*placement[worker]);
  }
  return complete;
}

}  // namespace wafertlm
