// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

// The TLM library needs SystemC, whose main() calls this.
extern "C" int sc_main(int argc, char** argv);

extern "C" int sc_main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
