# SPDX-License-Identifier: Apache-2.0
# The SystemVerilog that `wafertlm rtl export` writes, as text in the program.
file(GLOB sv_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/rtl/sv/*.sv ${PROJECT_SOURCE_DIR}/models/rtl/sv/*.svh)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sv_files})
set(SV_FILES)
foreach(path ${sv_files})
  cmake_path(GET path FILENAME name)
  file(READ ${path} text)
  string(APPEND SV_FILES "      {\"${name}\", R\"sv(${text})sv\"},\n")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/sv_files.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/rtl_sv_files.cpp @ONLY)
