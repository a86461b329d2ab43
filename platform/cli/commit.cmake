# SPDX-License-Identifier: Apache-2.0
# Run by each build: writes OUT with the commit of SOURCE and the versions VERILATOR and SYSTEMC, if that is another one than before.
execute_process(COMMAND git -C ${SOURCE} -c safe.directory=* describe --always --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
namespace wafertlm {
extern const char* const kBuiltFromCommit;
extern const char* const kBuiltWithVerilator;
extern const char* const kBuiltWithSystemC;
const char* const kBuiltFromCommit = "@commit@";
const char* const kBuiltWithVerilator = "@VERILATOR@";
const char* const kBuiltWithSystemC = "@SYSTEMC@";
}  // namespace wafertlm
]] @ONLY)
