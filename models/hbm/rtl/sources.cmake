# SPDX-License-Identifier: Apache-2.0
set(HBM_RTL_SOURCES ${CMAKE_CURRENT_LIST_DIR}/axi_hbm.sv ${CMAKE_CURRENT_LIST_DIR}/dram_array.sv)
