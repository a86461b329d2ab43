// SPDX-License-Identifier: Apache-2.0
// Of a program whose commands only calculate: without SystemC.
#include "platform/cli/tool.h"

int main(int argc, char** argv) { return wafertlm::run_tool(argc, argv); }
