# SPDX-License-Identifier: Apache-2.0
set(DMA_RTL_SOURCES ${CMAKE_CURRENT_LIST_DIR}/axi_dma.sv)
