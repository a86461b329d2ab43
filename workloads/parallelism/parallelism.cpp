// SPDX-License-Identifier: Apache-2.0
#include "workloads/parallelism/parallelism.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <stdexcept>

namespace wafertlm {
namespace {

constexpr std::array<const char*, 4> kClassNames = {"mp", "dp", "pp", "all"};  // of ParallelClass

[[noreturn]] void fail(const std::string& text, const std::string& why) {
  throw std::invalid_argument("parallelism '" + text + "': " + why);
}

/// Takes "NAME(n)" off the front of `rest`.
std::pair<std::string, std::uint32_t> take_part(const std::string& text, std::string& rest) {
  const std::size_t open = rest.find('('), close = rest.find(')');
  if (open == std::string::npos || close == std::string::npos || close < open)
    fail(text, "expected parts like MP(2), joined by '-', found '" + rest + "'");
  std::string name = rest.substr(0, open);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::uint32_t degree = 0;
  const char* const end = rest.data() + close;
  const auto [stop, error] = std::from_chars(rest.data() + open + 1, end, degree);
  if (error != std::errc() || stop != end || degree == 0)
    fail(text, "'" + rest.substr(0, close + 1) + "' needs a whole number from 1");
  rest.erase(0, close + 1);
  return {name, degree};
}

}  // namespace

Parallelism parse_parallelism(const std::string& text, std::uint32_t npus) {
  Parallelism parallelism;
  std::set<std::string> seen;
  std::string rest = text;
  do {
    const auto [name, degree] = take_part(text, rest);
    std::uint32_t* const part = name == "MP"   ? &parallelism.mp
                                : name == "DP" ? &parallelism.dp
                                : name == "PP" ? &parallelism.pp
                                               : nullptr;
    if (!part) fail(text, "no part '" + name + "'; the parts are MP, DP and PP");
    if (!seen.insert(name).second) fail(text, name + " is given twice");
    *part = degree;
    if (!rest.empty() && rest.front() != '-') fail(text, "expected '-' before '" + rest + "'");
    if (rest == "-") fail(text, "a part is missing behind the last '-'");
    if (!rest.empty()) rest.erase(0, 1);
  } while (!rest.empty());
  const std::uint64_t two = std::uint64_t{parallelism.mp} * parallelism.dp;
  if (two > npus || two * parallelism.pp > npus)
    fail(text, fmt::format("needs {} x {} x {} NPUs and the wafer has {}; lower a part or choose a larger "
                           "wafer (wafer.width, wafer.height)",
                           parallelism.mp, parallelism.dp, parallelism.pp, npus));
  return parallelism;
}

std::string to_string(const Parallelism& parallelism) {
  return fmt::format("MP({})-DP({})-PP({})", parallelism.mp, parallelism.dp, parallelism.pp);
}

ParallelClass parse_parallel_class(const std::string& name) {
  for (std::size_t index = 0; index < kClassNames.size(); ++index)
    if (name == kClassNames[index]) return static_cast<ParallelClass>(index);
  throw std::invalid_argument("no groups of class '" + name +
                              "' in a parallelism; there are mp, dp, pp and all");
}

const char* to_string(ParallelClass parallel_class) {
  return kClassNames.at(static_cast<std::size_t>(parallel_class));
}

std::vector<WorkerGroup> groups_of(const Parallelism& parallelism, ParallelClass parallel_class) {
  std::vector<WorkerGroup> groups;
  const auto add = [&](std::uint32_t size, auto worker_at) {
    if (size < 2)
      throw std::invalid_argument("the " + std::string(to_string(parallel_class)) + " groups of " +
                                  to_string(parallelism) +
                                  " have one member each, there is nothing to communicate; choose another "
                                  "class or a larger part");
    WorkerGroup group(size);
    for (std::uint32_t i = 0; i < size; ++i) group[i] = worker_at(i);
    groups.push_back(std::move(group));
  };
  const auto [mp, dp, pp] = parallelism;
  switch (parallel_class) {
    case ParallelClass::mp:
      for (std::uint32_t d = 0; d < dp; ++d)
        for (std::uint32_t p = 0; p < pp; ++p)
          add(mp, [&](std::uint32_t i) { return parallelism.worker(i, p, d); });
      break;
    case ParallelClass::dp:
      for (std::uint32_t p = 0; p < pp; ++p)
        for (std::uint32_t m = 0; m < mp; ++m)
          add(dp, [&](std::uint32_t i) { return parallelism.worker(m, p, i); });
      break;
    case ParallelClass::pp:
      for (std::uint32_t d = 0; d < dp; ++d)
        for (std::uint32_t m = 0; m < mp; ++m)
          add(pp, [&](std::uint32_t i) { return parallelism.worker(m, i, d); });
      break;
    case ParallelClass::all:
      add(parallelism.workers(), [](std::uint32_t i) { return i; });
      break;
  }
  return groups;
}

std::vector<WorkerGroup> stage_multicasts(const Parallelism& parallelism) {
  if (parallelism.pp < 2)
    throw std::invalid_argument(to_string(parallelism) +
                                " has one pipeline stage, there is nothing to pass on; choose another class "
                                "or a larger PP");
  std::vector<WorkerGroup> groups;
  for (std::uint32_t d = 0; d < parallelism.dp; ++d)
    for (std::uint32_t p = 0; p + 1 < parallelism.pp; ++p) {
      WorkerGroup group{parallelism.worker(0, p, d)};
      for (std::uint32_t m = 0; m < parallelism.mp; ++m) group.push_back(parallelism.worker(m, p + 1, d));
      groups.push_back(std::move(group));
    }
  return groups;
}

}  // namespace wafertlm
