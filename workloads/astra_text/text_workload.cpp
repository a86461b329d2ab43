// SPDX-License-Identifier: Apache-2.0
#include "workloads/astra_text/text_workload.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "tlm/input/file.h"
#include "tlm/input/number.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::astra_text {
namespace {

using Type = chakra::CollectiveType;

constexpr std::size_t kFields = 12;
constexpr double kLongestNs = 1e15;  // 11 days

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

/// A line of the file, for messages.
struct Line {
  const std::string& file;
  std::size_t number = 0;
  std::vector<std::string> fields = {};

  [[noreturn]] void fail(const std::string& text) const {
    throw chakra::TraceError(file + ":" + std::to_string(number) + ": " + text);
  }
  double number_in(std::size_t field, const std::string& what, double most) const {
    const std::string& text = fields[field];
    const double value = finite_number(text).value_or(-1);
    if (value < 0 || value > most)
      fail("field " + std::to_string(field + 1) + " must be " + what + " of 0 or more, not '" + text + "'");
    return value;
  }
};

Phase phase_of(const Line& line, std::size_t first) {
  static const std::map<std::string, Type> kTypes = {{"allreduce", Type::AllReduce},
                                                     {"allgather", Type::AllGather},
                                                     {"reducescatter", Type::ReduceScatter},
                                                     {"alltoall", Type::AllToAll}};
  Phase phase;
  phase.compute_ns = line.number_in(first, "a time in ns", kLongestNs);
  const double bytes = line.number_in(first + 2, "a number of bytes", static_cast<double>(1ULL << 50));
  if (bytes != std::floor(bytes)) line.fail("field " + std::to_string(first + 3) + " must be whole bytes");
  phase.bytes = static_cast<std::uint64_t>(bytes);
  const std::string name = lower_case(line.fields[first + 1]);
  const auto type = kTypes.find(name);
  if (type == kTypes.end() && name != "none")
    line.fail("field " + std::to_string(first + 2) +
              " must be NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, not '" +
              line.fields[first + 1] + "'");
  if (type == kTypes.end()) {
    if (phase.bytes != 0)
      line.fail("a phase without a collective (NONE) has " + line.fields[first + 2] + " bytes; write 0");
    return phase;
  }
  if (phase.bytes == 0) line.fail("a collective (" + line.fields[first + 1] + ") of 0 bytes; write NONE");
  phase.communicates = true;
  phase.collective = type->second;
  return phase;
}

std::vector<std::string> fields_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> fields;
  for (std::string word; words >> word;) fields.push_back(word);
  return fields;
}

}  // namespace

const char* to_string(Pass pass) {
  constexpr std::array<const char*, kPasses> kNames = {"forward", "input gradient", "weight gradient"};
  return kNames[static_cast<std::size_t>(pass)];
}

double TextWorkload::compute_ns() const {
  double sum = 0;
  for (const Layer& layer : layers)
    for (const Phase& phase : layer.phases) sum += phase.compute_ns;
  return sum;
}

TextWorkload read_text_workload(const std::string& path) {
  std::istringstream file(chakra::as_trace_error([&] { return read_input(path); }));
  TextWorkload workload{path, {}, {}};
  Line line{path};
  std::size_t header_lines = 0, announced = 0;
  for (std::string text; std::getline(file, text);) {
    ++line.number;
    line.fields = fields_of(text);
    if (line.fields.empty()) continue;
    if (workload.layers.empty() && header_lines < 2 && line.fields.size() != kFields) {
      // The strategy's name (with options behind it in some versions), then the number of layers.
      if (header_lines++ == 0 && std::isalpha(static_cast<unsigned char>(line.fields[0][0])) != 0) {
        workload.header = line.fields;
        continue;
      }
      if (line.fields.size() == 1) {
        announced = static_cast<std::size_t>(line.number_in(0, "a number of layers", 1e7));
        continue;
      }
    }
    if (line.fields.size() != kFields)
      line.fail(
          "a layer has 12 fields (name, reserved, three times compute ns, collective and bytes, update "
          "time), not " +
          std::to_string(line.fields.size()));
    Layer layer{line.fields[0], {}};
    for (std::size_t pass = 0; pass < kPasses; ++pass) layer.phases[pass] = phase_of(line, 2 + 3 * pass);
    workload.layers.push_back(std::move(layer));
  }
  if (workload.layers.empty()) throw chakra::TraceError(path + ": has no layers");
  if (announced != 0 && announced != workload.layers.size())
    throw chakra::TraceError(path + ": announces " + std::to_string(announced) + " layers and has " +
                             std::to_string(workload.layers.size()) + "; is it complete?");
  return workload;
}

std::vector<double> bytes_by_dimension(Type type, double bytes, const std::vector<int>& group_sizes) {
  std::vector<double> sent(group_sizes.size(), 0);
  for (std::size_t i = 0; i < group_sizes.size(); ++i) {
    const bool reversed = type == Type::AllGather;
    const std::size_t d = reversed ? group_sizes.size() - 1 - i : i;
    const double k = group_sizes[d];
    if (k < 0) continue;
    switch (type) {
      case Type::AllReduce:
        sent[d] = 2 * bytes * (k - 1) / k;
        bytes /= k;
        break;
      case Type::ReduceScatter:
        sent[d] = bytes * (k - 1) / k;
        bytes /= k;
        break;
      case Type::AllGather:
        sent[d] = bytes * (k - 1);
        bytes *= k;
        break;
      default:
        sent[d] = bytes * (k - 1) / k;  // all-to-all
    }
  }
  return sent;
}

}  // namespace wafertlm::astra_text
