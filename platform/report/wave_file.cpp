// SPDX-License-Identifier: Apache-2.0
#include "platform/report/wave_file.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace wafertlm {
namespace {

bool ends_in_fst(const std::string& path) {
  return path.size() > 4 && path.compare(path.size() - 4, 4, ".fst") == 0;
}

/// As a word of a shell command.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

}  // namespace

WaveFile::WaveFile(const std::string& path) : path_(path), vcd_(ends_in_fst(path) ? path + ".vcd" : path) {
  if (vcd_ != path_ && std::system("command -v vcd2fst >/dev/null 2>&1") != 0)
    throw std::invalid_argument(path +
                                ": an FST file needs vcd2fst, which is not installed; install gtkwave, or "
                                "write a .vcd file");
}

void WaveFile::finish() const {
  if (vcd_ == path_) return;
  const std::string command = "vcd2fst " + quoted(vcd_) + " " + quoted(path_) + " >/dev/null";
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("vcd2fst could not make " + path_ + " of " + vcd_);
  std::remove(vcd_.c_str());
}

}  // namespace wafertlm
