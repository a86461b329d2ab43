// SPDX-License-Identifier: Apache-2.0
// wafertlm with one more kind of fabric.
#include <cstdlib>
#include <memory>
#include <systemc>

#include "platform/cli/tool.h"
#include "platform/spec/fabric_kinds.h"
#include "star_kind.h"

int sc_main(int argc, char** argv) {
  wafertlm::add_fabric_kind(std::make_unique<wafertlm::star::StarKind>());
  return wafertlm::run_tool(argc, argv);
}

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
