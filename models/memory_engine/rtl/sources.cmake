# SPDX-License-Identifier: Apache-2.0
set(GCM_RTL_SOURCES ${CMAKE_CURRENT_LIST_DIR}/axi_gcm.sv ${CMAKE_CURRENT_LIST_DIR}/aes256.sv ${CMAKE_CURRENT_LIST_DIR}/ghash.sv
  ${WAFERTLM_RTL_SOURCE_DIR}/models/rtl/axi4/axi4_target.sv)
