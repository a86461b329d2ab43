// SPDX-License-Identifier: Apache-2.0
#include "platform/host/host_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace wafertlm {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t left(std::uint64_t limit, std::uint64_t used) { return limit - std::min(limit, used); }

/// The number in a file of one; none if there is no such file, or the word "max".
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::uint64_t number = 0;
  return std::ifstream(path) >> number ? std::optional(number) : std::nullopt;
}

std::uint64_t of_the_machine() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  const std::string key = "MemAvailable:";
  while (std::getline(file, line))
    if (line.compare(0, key.size(), key) == 0) return std::stoull(line.substr(key.size())) * 1024;
  return kUnlimited;
}

/// Of the second version; of the first one, and of groups above, nothing is known.
std::uint64_t of_the_control_group() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  std::getline(file, line);
  if (line.compare(0, 3, "0::") != 0) return kUnlimited;
  const std::string folder = "/sys/fs/cgroup" + line.substr(3);
  const auto limit = number_in(folder + "/memory.max"), used = number_in(folder + "/memory.current");
  return limit && used ? left(*limit, *used) : kUnlimited;
}

std::uint64_t of_the_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return limit.rlim_cur;  // an estimate of a run is one of the whole process
}

}  // namespace

std::uint64_t available_memory_bytes() {
  return std::min({of_the_machine(), of_the_control_group(), of_the_address_space()});
}

}  // namespace wafertlm
