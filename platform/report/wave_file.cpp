// SPDX-License-Identifier: Apache-2.0
#include "platform/report/wave_file.h"

#include <cstdio>
#include <stdexcept>

#include "platform/command/program.h"

namespace wafertlm {
namespace {

bool ends_in_fst(const std::string& path) {
  return path.size() > 4 && path.compare(path.size() - 4, 4, ".fst") == 0;
}

}  // namespace

WaveFile::WaveFile(const std::string& path) : path_(path), vcd_(ends_in_fst(path) ? path + ".vcd" : path) {
  if (vcd_ != path_ && !is_installed("vcd2fst"))
    throw std::invalid_argument(path +
                                ": an FST file needs vcd2fst, which is not installed; install gtkwave, or "
                                "write a .vcd file");
}

void WaveFile::finish() const {
  if (vcd_ == path_) return;
  if (!run_program({"vcd2fst", vcd_, path_}))
    throw std::runtime_error("vcd2fst could not make " + path_ + " of " + vcd_);
  std::remove(vcd_.c_str());
}

}  // namespace wafertlm
