// SPDX-License-Identifier: Apache-2.0
#include "tlm/input/file.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace wafertlm {
namespace {

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// Of a regular file that can be read; else why not.
std::string examine(const std::string& path, FileVersion& version) {
  struct ::stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::string("cannot be read: ") + std::strerror(errno);
  if (!S_ISREG(status.st_mode))
    return fmt::format("cannot be read: it is {}, not a regular file", kind_of(status.st_mode));
  if (::access(path.c_str(), R_OK) != 0) return std::string("cannot be read: ") + std::strerror(errno);
  version = {static_cast<std::uint64_t>(status.st_size),
             std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
  return {};
}

}  // namespace

std::uint64_t input_limit() {
  constexpr std::uint64_t kUsual = std::uint64_t{16} << 20;
  const char* const text = std::getenv(kInputLimitVariable);
  if (text == nullptr) return kUsual;
  std::uint64_t bytes = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, bytes);
  if (error != std::errc() || rest != end)
    throw std::invalid_argument(fmt::format("{}={:.40} is no number of bytes", kInputLimitVariable, text));
  return bytes;
}

std::string why_unreadable(const std::string& path, FileVersion* version) {
  FileVersion found;
  return examine(path, version != nullptr ? *version : found);
}

std::string read_input(const std::string& path, std::uint64_t most_bytes) {
  FileVersion version;
  const std::string why = examine(path, version);
  if (!why.empty()) throw std::invalid_argument(path + ": " + why);
  const std::uint64_t size = version.bytes;
  if (size > most_bytes)
    throw std::invalid_argument(
        fmt::format("{}: has {} bytes, more than the limit of {} for a file that is kept in memory; "
                    "--input-limit raises it",
                    path, size, most_bytes));
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) throw std::invalid_argument(path + ": cannot be read");
  return text;
}

bool next_line(std::istream& in, std::string& line, std::uint64_t most_bytes) {
  line.clear();
  using Traits = std::istream::traits_type;
  for (Traits::int_type c = 0; !Traits::eq_int_type(c = in.rdbuf()->sbumpc(), Traits::eof());) {
    if (c == '\n') return true;
    if (line.size() == most_bytes)
      throw std::invalid_argument(fmt::format("a line is longer than {} bytes", most_bytes));
    line.push_back(Traits::to_char_type(c));
  }
  return !line.empty();
}

JsonProblem json_problem(const std::string& text, std::size_t byte, const std::string& what) {
  const std::string before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const std::size_t said = what.find("] ");
  std::string why = said == std::string::npos ? what : what.substr(said + 2);
  if (const std::size_t place = why.find(": "); why.rfind("parse error at line", 0) == 0)
    why.erase(0, place + 2);
  return {1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          static_cast<int>(before.size() - (before.rfind('\n') + 1)) + 1, "JSON syntax: " + why};
}

std::ifstream open_input(const std::string& path) {
  const std::string why = why_unreadable(path);
  if (!why.empty()) throw std::invalid_argument(path + ": " + why);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument(path + ": cannot be read");
  return file;
}

}  // namespace wafertlm
