// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <systemc>

#include "platform/cli/tool.h"
#include "platform/host/huge_pages.h"

int sc_main(int argc, char** argv) { return wafertlm::run_tool(argc, argv); }

/// In place of the SystemC library's: it would print its banner before every result.
int main(int argc, char** argv) {
  wafertlm::prefer_huge_pages();
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
