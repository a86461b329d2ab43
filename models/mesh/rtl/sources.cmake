# SPDX-License-Identifier: Apache-2.0
# MESH_RTL_DIR and MESH_RTL_SOURCES: modules only, in any order.
set(MESH_RTL_DIR ${CMAKE_CURRENT_LIST_DIR})
file(GLOB MESH_RTL_SOURCES CONFIGURE_DEPENDS ${MESH_RTL_DIR}/*.sv)
