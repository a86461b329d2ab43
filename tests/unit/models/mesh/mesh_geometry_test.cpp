// SPDX-License-Identifier: Apache-2.0
#include "models/mesh/mesh_geometry.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

TEST(MeshGeometry, NeighboursDoNotWrapAround) {
  const MeshGeometry mesh(5, 4);
  EXPECT_EQ(mesh.hops(NpuId{0}, NpuId{1}), 1U);
  EXPECT_EQ(mesh.hops(NpuId{7}, NpuId{2}), 1U);
  EXPECT_NE(mesh.hops(NpuId{4}, NpuId{5}), 1U);
  EXPECT_NE(mesh.hops(NpuId{0}, NpuId{6}), 1U);
  EXPECT_NE(mesh.hops(NpuId{3}, NpuId{3}), 1U);
}

TEST(MeshGeometry, OnlySidesWithoutANeighbourAreEdges) {
  const MeshGeometry mesh(5, 4);
  EXPECT_TRUE(mesh.is_edge({NpuId{0}, Side::west}));
  EXPECT_TRUE(mesh.is_edge({NpuId{0}, Side::north}));
  EXPECT_FALSE(mesh.is_edge({NpuId{0}, Side::east}));
  EXPECT_FALSE(mesh.is_edge({NpuId{0}, Side::south}));
  EXPECT_TRUE(mesh.is_edge({NpuId{19}, Side::east}));
  EXPECT_TRUE(mesh.is_edge({NpuId{19}, Side::south}));
  EXPECT_FALSE(mesh.is_edge({NpuId{6}, Side::west}));
}

}  // namespace
}  // namespace wafertlm
