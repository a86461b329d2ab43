// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/fabric_kinds.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "platform/fabrics/mesh/mesh_kind.h"

namespace wafertlm {
namespace {

class Other final : public MeshKind {
 public:
  std::string name() const override { return "other"; }
};

TEST(FabricRegistry, ANameTwiceIsRefused) {
  EXPECT_THROW(add_fabric_kind(std::make_unique<MeshKind>()), std::logic_error);
}

TEST(FabricRegistry, OnceTheKindsWereAskedForItIsTooLate) {
  const std::size_t kinds = fabric_kinds().size();
  EXPECT_THROW(add_fabric_kind(std::make_unique<Other>()), std::logic_error);
  EXPECT_EQ(fabric_kinds().size(), kinds);
  EXPECT_EQ(fabric_kinds().front().get(), &default_fabric_kind());
}

}  // namespace
}  // namespace wafertlm
