# SPDX-License-Identifier: Apache-2.0
# RTL designs that the program has; others of the catalogue can be added to a tool (wafertlm_add_tool).
include(${CMAKE_CURRENT_LIST_DIR}/catalogue.cmake)
if(WAFERTLM_VERILATOR)
  foreach(design fred3_12 mesh_router axi_fifo axi_hbm axi_dma axi_gcm)
    wafertlm_add_rtl(NAME ${design} ${WAFERTLM_RTL_OF_${design}})
  endforeach()
endif()

foreach(folder models/fred/rtl models/mesh/rtl models/axi_fifo/rtl models/hbm/rtl models/npu/rtl models/memory_engine/rtl models/rtl/axi4)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/wafertlm/${folder}
    FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh" PATTERN "*_systemc.h" PATTERN "sources.cmake")
endforeach()
# What goes into other simulators and benches.
foreach(folder remote python uvm)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/rtl/${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/wafertlm/models/rtl/${folder}
    FILES_MATCHING PATTERN "wafertlm_r*.[ch]" PATTERN "*.sv" PATTERN "*.svh" PATTERN "*.py")
endforeach()
install(FILES ${CMAKE_CURRENT_LIST_DIR}/catalogue.cmake DESTINATION ${CMAKE_INSTALL_DATADIR}/wafertlm/platform/machine/rtl)
