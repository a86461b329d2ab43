# SPDX-License-Identifier: Apache-2.0
# The tar.gz: the program and what it links but the C library, so that it runs wherever it is unpacked (component libraries).
# The program looks into the folder of its libraries first; DT_RPATH, which holds for libraries of libraries, too.
set(libraries lib/wafertlm)
target_link_options(wafertlm PRIVATE -Wl,--disable-new-dtags)
set_target_properties(wafertlm PROPERTIES INSTALL_RPATH "$ORIGIN/../${libraries}")
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:wafertlm>\" RESOLVED_DEPENDENCIES_VAR found
    POST_EXCLUDE_REGEXES \"/(ld-linux[^/]*|lib(c|m|mvec|dl|rt|pthread|resolv))[.]so[^/]*$\")
  foreach(library IN LISTS found)
    file(INSTALL \"\${library}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${libraries}\" TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN)
    # With its licence, where Debian's packages tell.
    file(REAL_PATH \"\${library}\" file)
    cmake_path(GET file FILENAME name)
    execute_process(COMMAND dpkg-query --search \"*/${CMAKE_LIBRARY_ARCHITECTURE}/*\${name}\" OUTPUT_VARIABLE owner ERROR_QUIET)
    string(REGEX MATCH \"^[^:, ]+\" owner \"\${owner}\")
    if(owner AND EXISTS /usr/share/doc/\${owner}/copyright)
      file(INSTALL /usr/share/doc/\${owner}/copyright DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${libraries}\" RENAME \${owner}.copyright FOLLOW_SYMLINK_CHAIN)
    endif()
  endforeach()" COMPONENT libraries EXCLUDE_FROM_ALL)

set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/archive_options.cmake)
