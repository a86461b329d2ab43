// SPDX-License-Identifier: Apache-2.0
#include "platform/host/host_memory.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
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

struct OwnPages {
  std::uint64_t mapped = 0, resident = 0;
};
OwnPages own_pages() {
  std::array<char, 100> text{};
  OwnPages own;
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return own;
  const bool is_read = read(file, text.data(), text.size() - 1) > 0;
  close(file);
  if (!is_read) return own;
  char* end = nullptr;
  own.mapped = std::strtoull(text.data(), &end, 10);
  own.resident = std::strtoull(end, nullptr, 10);
  return own;
}

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

/// Programs and libraries are mapped, and hardly take memory. An estimate of a run is one of the whole
/// process.
std::uint64_t of_the_address_space() {
  const std::uint64_t limit = address_space_limit_bytes();
  if (limit == kUnlimited) return kUnlimited;
  const OwnPages own = own_pages();
  return left(limit, own.mapped * page_bytes()) + own.resident * page_bytes();
}

}  // namespace

std::uint64_t address_space_bytes() { return own_pages().mapped * page_bytes(); }

std::uint64_t address_space_limit_bytes() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return limit.rlim_cur;
}

std::uint64_t available_memory_bytes() {
  return std::min({of_the_machine(), of_the_control_group(), of_the_address_space()});
}

}  // namespace wafertlm
