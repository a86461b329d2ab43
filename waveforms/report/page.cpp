// SPDX-License-Identifier: Apache-2.0
#include "waveforms/report/page.h"

// The page is made by bundle.py and taken in as it is: as a C++ array a megabyte would take seconds to
// compile.
__asm__(
    ".section .rodata\n"
    ".global wafertlm_report_page_begin\n"
    ".global wafertlm_report_page_end\n"
    "wafertlm_report_page_begin:\n"
    ".incbin \"" WAFERTLM_REPORT_PAGE
    "\"\n"
    "wafertlm_report_page_end:\n"
    ".byte 0\n"
    ".text\n");
extern "C" const char wafertlm_report_page_begin[], wafertlm_report_page_end[];

namespace wafertlm {

std::string_view report_page() {
  return {wafertlm_report_page_begin,
          static_cast<std::size_t>(wafertlm_report_page_end - wafertlm_report_page_begin)};
}

}  // namespace wafertlm
