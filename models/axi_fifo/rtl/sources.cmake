# SPDX-License-Identifier: Apache-2.0
set(AXI_FIFO_RTL_SOURCES ${CMAKE_CURRENT_LIST_DIR}/axi_fifo.sv)
