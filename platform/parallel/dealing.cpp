// SPDX-License-Identifier: Apache-2.0
#include "platform/parallel/dealing.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>

#include "tlm/input/file.h"

namespace wafertlm {

std::vector<std::uint32_t> deal_wafers(const Wafers& wafers, const Placement& npus, std::uint32_t processes) {
  std::vector<std::uint64_t> ranks(wafers.count);
  for (const NpuId npu : npus) ++ranks[wafers.of_npu[index_of(npu)]];
  // As many to each, where that goes: the middle of a wafer's ranks says whose share it lies in.
  std::vector<std::uint32_t> dealing;
  std::uint64_t before = 0;
  for (std::uint32_t wafer = 0; wafer < wafers.count; ++wafer) {
    const std::uint64_t middle = 2 * before + ranks[wafer];
    const auto share = static_cast<std::uint32_t>(middle * processes / (2 * npus.size()));
    // Each process has a wafer.
    const std::uint32_t least = wafer == 0 ? 0 : dealing.back();
    const std::uint32_t most = wafer == 0 ? 0 : dealing.back() + 1;
    const std::uint32_t left = wafers.count - 1 - wafer;
    const std::uint32_t needed = processes - 1 > left ? processes - 1 - left : 0;
    dealing.push_back(std::max(needed, std::clamp(std::min(share, processes - 1), least, most)));
    before += ranks[wafer];
  }
  return dealing;
}

std::vector<std::uint32_t> read_dealing(const std::string& file, std::uint32_t wafers,
                                        std::uint32_t processes) {
  if (const std::string why = why_unreadable(file); !why.empty())
    throw std::invalid_argument("--deal " + file + ": " + why);
  std::vector<std::uint32_t> dealing;
  std::istringstream text(read_input(file));
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) {
      const auto fail = [&](const std::string& why) {
        throw std::invalid_argument(fmt::format("{}:{}: {}", file, number, why));
      };
      std::uint32_t process = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), process);
      if (error != std::errc() || end != word.data() + word.size() || process >= processes)
        fail(fmt::format("'{}' is no process; they are 0 to {}", word, processes - 1));
      if (dealing.size() == wafers) fail(fmt::format("there are {} wafers, this is one too many", wafers));
      dealing.push_back(process);
    }
  }
  if (dealing.size() != wafers)
    throw std::invalid_argument(fmt::format("{}: the process of each of {} wafers, in their order; found {}",
                                            file, wafers, dealing.size()));
  for (std::uint32_t process = 0; process < processes; ++process)
    if (std::find(dealing.begin(), dealing.end(), process) == dealing.end())
      throw std::invalid_argument(fmt::format("{}: process {} has no wafer", file, process));
  return dealing;
}

std::vector<std::string> process_names(const std::vector<std::uint32_t>& dealing, std::uint32_t processes) {
  std::vector<std::string> names;
  for (std::uint32_t process = 0; process < processes; ++process) {
    std::string wafers;
    for (std::uint32_t wafer = 0; wafer < dealing.size(); ++wafer)
      if (dealing[wafer] == process) wafers += fmt::format("{}{}", wafers.empty() ? "" : ", ", wafer);
    const bool has_several = wafers.find(',') != std::string::npos;
    names.push_back(fmt::format("process {} ({} {})", process, has_several ? "wafers" : "wafer", wafers));
  }
  return names;
}

}  // namespace wafertlm
