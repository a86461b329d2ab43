// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <exception>
#include <iostream>
#include <systemc>

// Of the sanitizers: SystemC's threads have stacks of their own, which neither knows.
extern "C" const char* __lsan_default_options() { return "use_stacks=0"; }
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=0"; }

// A SystemC warning is a failure: nobody reads it, and it is always a mistake of ours.
int sc_main(int argc, char** argv) {
  try {
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
  } catch (const std::exception& error) {
    std::cerr << "test run failed: " << error.what() << '\n';
    return 1;
  }
}
