# SPDX-License-Identifier: Apache-2.0
# Installs BUILD_DIR below itself; configures, builds and runs the consumer against that; then follows the guide's pages for
# integrators, whose projects are the installed ones.
set(work ${BUILD_DIR}/consumer)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH tests)

file(REMOVE_RECURSE ${work})
foreach(step
    "--install;${BUILD_DIR};--prefix;${work}/install"
    "-S;${CMAKE_CURRENT_LIST_DIR};-B;${work}/build;-G;${GENERATOR};-DCMAKE_BUILD_TYPE=Release;-DCMAKE_CXX_COMPILER=${CXX_COMPILER};-DCMAKE_PREFIX_PATH=${work}/install"
    "--build;${work}/build")
  execute_process(COMMAND ${CMAKE_COMMAND} ${step} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${work}/build/consumer COMMAND_ERROR_IS_FATAL ANY)
set(ENV{CMAKE_GENERATOR} ${GENERATOR})
set(ENV{CXX} ${CXX_COMPILER})
execute_process(COMMAND ${PYTHON} ${tests}/guide/commands_test.py ${tests}/../guide/pages ${work}/install/bin --installed ${work}/install
  COMMAND_ERROR_IS_FATAL ANY)
