# SPDX-License-Identifier: Apache-2.0
# What is installed beside the program and the libraries, and the packages: wafertlm (component runtime), libwafertlm-dev
# (development), wafertlm-mpi (mpi) for Debian, and a tar.gz of the program with its libraries. Target `packages` builds them.
set(share ${CMAKE_INSTALL_DATADIR}/wafertlm)
set(doc ${CMAKE_INSTALL_DATADIR}/doc/wafertlm)
set(package ${CMAKE_CURRENT_LIST_DIR})

file(STRINGS ${package}/public_headers.txt public_headers REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${package}/public_headers.txt)
foreach(header IN LISTS public_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/wafertlm/${folder} COMPONENT development)
endforeach()

# Presets, found by name from the installed program, with the schema that they name.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${share} COMPONENT runtime PATTERN ".*" EXCLUDE)

# From the command line's own definitions.
set(made ${PROJECT_BINARY_DIR}/installed)
set(completions bash-completion/completions/wafertlm zsh/vendor-completions/_wafertlm fish/vendor_completions.d/wafertlm.fish)
install(CODE "
  set(ENV{SYSTEMC_DISABLE_COPYRIGHT_MESSAGE} 1)
  file(LOCK ${made}.lock GUARD PROCESS)  # installations of one build take turns
  file(REMOVE_RECURSE ${made})
  file(MAKE_DIRECTORY ${made}/man1)
  set(program \"$<TARGET_FILE:wafertlm>\")
  execute_process(COMMAND \${program} man --out ${made}/man1 COMMAND_ERROR_IS_FATAL ANY)
  foreach(file ${completions})
    get_filename_component(folder ${made}/\${file} DIRECTORY)
    file(MAKE_DIRECTORY \${folder})
    string(REGEX MATCH \"^[a-z]+\" shell \${file})
    execute_process(COMMAND \${program} completion \${shell} OUTPUT_FILE ${made}/\${file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()"
  COMPONENT runtime)
install(DIRECTORY ${made}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT runtime PATTERN ".*" EXCLUDE)
foreach(file ${completions})
  get_filename_component(folder ${file} DIRECTORY)
  install(FILES ${made}/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT runtime)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${doc} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${doc} COMPONENT runtime RENAME copyright)
install(FILES ${package}/examples/README.md ${package}/examples/half_the_links.yaml DESTINATION ${doc}/examples COMPONENT runtime)
foreach(example memory fabric algorithm sc_main)
  install(DIRECTORY ${package}/examples/${example} DESTINATION ${doc}/examples COMPONENT development)
endforeach()

# Debian's place of pure modules, below any prefix: the package finds the program from there.
set(python ${PROJECT_SOURCE_DIR}/platform/python)
install(DIRECTORY ${python}/wafertlm DESTINATION lib/python3/dist-packages COMPONENT runtime PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${python}/notebooks DESTINATION ${doc} COMPONENT runtime FILES_MATCHING PATTERN "*.ipynb" PATTERN ".*" EXCLUDE)

# pkg-config: static libraries, so all that they link.
get_property(designs GLOBAL PROPERTY WAFERTLM_RTL_DESIGNS)
list(TRANSFORM designs PREPEND -lwafertlm_rtl_)
if(TARGET wafertlm_verilated)
  list(APPEND designs -lwafertlm_verilated)
endif()
set(packaged_libraries ${designs})
list(JOIN designs " " rtl_libraries)
get_property(command_libraries GLOBAL PROPERTY WAFERTLM_COMMAND_FOLDERS)
list(TRANSFORM command_libraries PREPEND -lwafertlm_command_)
list(APPEND packaged_libraries ${command_libraries})
list(JOIN command_libraries " " command_libraries)
set(command_libraries "-lwafertlm_commands ${command_libraries}")
get_property(block_libraries GLOBAL PROPERTY WAFERTLM_BLOCKS)
list(TRANSFORM block_libraries PREPEND -lwafertlm_)
list(APPEND packaged_libraries ${block_libraries})
list(TRANSFORM packaged_libraries REPLACE "^-l" "")
list(JOIN block_libraries " " block_libraries)
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)  # the prefix may be another one when it is installed
configure_file(${package}/wafertlm.pc.in ${PROJECT_BINARY_DIR}/wafertlm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/wafertlm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

include(${package}/archive.cmake)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PRE_BUILD_SCRIPTS ${package}/folder_modes.cmake)
set(CPACK_PACKAGE_NAME wafertlm)
set(CPACK_PACKAGE_VENDOR WaferTLM)
set(CPACK_PACKAGE_CONTACT "The authors of WaferTLM <wafertlm@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME wafertlm)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "python3 (>= 3.11)")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "python3-pandas")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${package}/prerm)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libwafertlm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "wafertlm (= ${PROJECT_VERSION}), libsystemc-dev, libyaml-cpp-dev, libprotobuf-dev, \
libboost-dev, libfmt-dev, libcli11-dev, nlohmann-json3-dev, zlib1g-dev, libsqlite3-dev, libssl-dev, libtinyxml2-dev, \
coinor-libclp-dev, libnlopt-dev, liblemon-dev, libmetis-dev, libzip-dev")
if(TARGET wafertlm_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME wafertlm-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "wafertlm (= ${PROJECT_VERSION})")
endif()
include(CPack)

add_custom_target(packages COMMAND ${CMAKE_CPACK_COMMAND} --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake -B ${PROJECT_BINARY_DIR}/packages
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR} USES_TERMINAL VERBATIM)
foreach(target wafertlm wafertlm_mpi wafertlm_mpi_transport wafertlm_verilated wafertlm_commands wafertlm_designs ${packaged_libraries})
  if(TARGET ${target})
    add_dependencies(packages ${target})
  endif()
endforeach()
