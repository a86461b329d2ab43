// SPDX-License-Identifier: Apache-2.0
#include "platform/host/fst.h"

#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "platform/host/shell.h"

namespace wafertlm {

bool is_fst(const std::string& path) { return std::filesystem::path(path).extension() == ".fst"; }

void require_vcd2fst(const std::string& path) {
  if (!has_program("vcd2fst"))
    throw std::invalid_argument(
        path + ": an FST file needs vcd2fst, which is not installed; install gtkwave, or write a .vcd file");
}

void vcd_to_fst(const std::string& vcd, const std::string& fst) {
  const Answer answer = ask_shell("vcd2fst " + shell_quoted(vcd) + " " + shell_quoted(fst));
  if (answer.exit_code == 0) return;
  std::fputs(answer.text.c_str(), stderr);
  throw std::runtime_error("vcd2fst could not make " + fst + " of " + vcd);
}

}  // namespace wafertlm
