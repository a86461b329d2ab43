# SPDX-License-Identifier: Apache-2.0
# The RTL designs that WaferTLM brings, by name: WAFERTLM_RTL_CATALOGUE lists them, WAFERTLM_RTL_OF_<NAME> are the arguments
# of wafertlm_add_rtl(). WAFERTLM_RTL_SOURCE_DIR holds their sources, in the project and in an installed package alike.
foreach(folder models/fred/rtl models/mesh/rtl models/axi_fifo/rtl models/hbm/rtl models/npu/rtl models/memory_engine/rtl)
  include(${WAFERTLM_RTL_SOURCE_DIR}/${folder}/sources.cmake)
endforeach()

# FRED_3(P). A head is stages(P) + 2 cycles on its way; a packet of 4 KiB is 512 flits.
# Two inputs that wait for the same may meet the turn at different times.
set(_fred TOP fred_switch PROTOCOL credit_stream QUEUE fifo CONFIGURATION fred TURNS 8 SOURCES ${FRED_RTL_SOURCES}
  INCLUDE_DIRS ${FRED_RTL_DIR}
  VERILATOR_OPTIONS --unroll-count 2)
set(_fred_sizes M=3 W=64 VC=8 DEPTH=1024 OUT_DEPTH=1024 FLOWS=64)
set(WAFERTLM_RTL_OF_fred3_5 ${_fred} LATENCY 7 PARAMETERS P=5 ${_fred_sizes})
set(WAFERTLM_RTL_OF_fred3_8 ${_fred} LATENCY 7 PARAMETERS P=8 ${_fred_sizes})
set(WAFERTLM_RTL_OF_fred3_12 ${_fred} LATENCY 9 PARAMETERS P=12 ${_fred_sizes})  # an L1 chip of the physical view

# Routers of a mesh, with a queue for each output or with one; a packet of 4 KiB is 128 flits.
set(_mesh TOP mesh_router PROTOCOL credit_stream LATENCY 2 SOURCES ${MESH_RTL_SOURCES} PARAMETERS P=5 W=256 VC=4 DEPTH=512)
set(WAFERTLM_RTL_OF_mesh_router QUEUE per_output ${_mesh} OUT_DEPTH=512)
set(WAFERTLM_RTL_OF_mesh_router_fifo QUEUE fifo ${_mesh} OUT_DEPTH=512 PER_OUTPUT=0)

# A FIFO, and one for each direction.
set(_axi TOP axi_fifo PROTOCOL axi4_stream LATENCY 1 QUEUE fifo SOURCES ${AXI_FIFO_RTL_SOURCES} PARAMETERS W=256 DEPTH=16)
set(WAFERTLM_RTL_OF_axi_fifo ${_axi} P=1)
set(WAFERTLM_RTL_OF_axi_link ${_axi} P=2)

# An HBM controller of eight banks.
set(WAFERTLM_RTL_OF_axi_hbm TOP axi_hbm PROTOCOL axi4_slave LATENCY 20 SOURCES ${HBM_RTL_SOURCES} PARAMETERS W=512 A=40 I=4 LATENCY=20)
# A DMA engine, and a memory engine's cipher.
set(WAFERTLM_RTL_OF_axi_dma TOP axi_dma PROTOCOL axi4_master SOURCES ${DMA_RTL_SOURCES} PARAMETERS W=128 A=40 I=4)
set(WAFERTLM_RTL_OF_axi_gcm TOP axi_gcm PROTOCOL axi4_slave CONFIGURATION gcm SOURCES ${GCM_RTL_SOURCES} PARAMETERS W=128 A=13 I=4)

set(WAFERTLM_RTL_CATALOGUE fred3_5 fred3_8 fred3_12 mesh_router mesh_router_fifo axi_fifo axi_link axi_hbm axi_dma axi_gcm)
