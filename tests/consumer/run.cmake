# SPDX-License-Identifier: Apache-2.0
# Installs BUILD_DIR below itself, then configures, builds and runs the consumer against that install.
set(work ${BUILD_DIR}/consumer)

file(REMOVE_RECURSE ${work})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/../fabric_kinds/star DESTINATION ${work}/star/tests/fabric_kinds)
foreach(step
    "--install;${BUILD_DIR};--prefix;${work}/install"
    "-S;${CMAKE_CURRENT_LIST_DIR};-B;${work}/build;-G;${GENERATOR};-DCMAKE_BUILD_TYPE=Release;-DCMAKE_CXX_COMPILER=${CXX_COMPILER};-DCMAKE_PREFIX_PATH=${work}/install;-DSTAR=${work}/star"
    "--build;${work}/build")
  execute_process(COMMAND ${CMAKE_COMMAND} ${step} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${work}/build/consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${work}/build/star check ${work}/star/tests/fabric_kinds/star/star.yaml COMMAND_ERROR_IS_FATAL ANY)
