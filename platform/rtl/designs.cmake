# SPDX-License-Identifier: Apache-2.0
# RTL of the switches that the presets have.
if(WAFERTLM_VERILATOR)
  include(${PROJECT_SOURCE_DIR}/models/fred/rtl/sources.cmake)
  # FRED_3(12), an L1 chip of the physical view; a packet of 4 KiB is 512 flits. A head is stages(P) + 2 cycles on its way.
  wafertlm_add_rtl(NAME fred3_12 TOP fred_switch PROTOCOL credit_stream CONFIGURATION fred LATENCY 9
    SOURCES ${FRED_RTL_SOURCES} INCLUDE_DIRS ${FRED_RTL_DIR} VERILATOR_OPTIONS --unroll-count 2
    PARAMETERS P=12 M=3 W=64 VC=8 DEPTH=1024 OUT_DEPTH=1024 FLOWS=64)
  include(${PROJECT_SOURCE_DIR}/models/mesh/rtl/sources.cmake)
  # A router of a mesh; a packet of 4 KiB is 128 flits.
  wafertlm_add_rtl(NAME mesh_router TOP mesh_router PROTOCOL credit_stream LATENCY 2
    SOURCES ${MESH_RTL_SOURCES} PARAMETERS P=5 W=256 VC=4 DEPTH=512 OUT_DEPTH=256)
endif()
