// SPDX-License-Identifier: Apache-2.0
#include "models/npu/tiled_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "models/npu/compute_engine.h"

namespace wafertlm {
namespace {

/// 100 units of 1 TFLOPS with tiles of 128 x 128, and a memory that takes no time to speak of.
TiledParams hundred_units() {
  TiledParams units;
  units.units = 100;
  units.shapes = {{128, 128, 64, 1}};
  return units;
}
constexpr TiledRates kFast = {100e12, 1e18, 2, 2};

double time_of(const TiledParams& units, const TiledRates& rates, const MatrixProduct& product) {
  return tiled_time(units, rates, product).time_s;
}

TEST(TiledProduct, OneTileMoreThanUnitsCostsAWave) {
  const double one = time_of(hundred_units(), kFast, {128, 128 * 100, 1024, 1});
  EXPECT_NEAR(one, 2.0 * 128 * 128 * 1024 / 1e12, one * 1e-3);
  EXPECT_NEAR(time_of(hundred_units(), kFast, {128, 128 * 99, 1024, 1}), one, one * 1e-3);
  EXPECT_NEAR(time_of(hundred_units(), kFast, {128, 128 * 100 + 1, 1024, 1}), 2 * one, one * 1e-3);
  EXPECT_EQ(tiled_time(hundred_units(), kFast, {128, 128 * 100 + 1, 1024, 1}).waves, 2);
  // Products of one size fill the same waves.
  EXPECT_NEAR(time_of(hundred_units(), kFast, {128, 128, 1024, 100}), one, one * 1e-3);
}

TEST(TiledProduct, APartOfATileTakesAsLongAsAWholeOne) {
  const double whole = tiled_time(hundred_units(), kFast, {128, 128, 64, 1}).compute_s;
  EXPECT_EQ(tiled_time(hundred_units(), kFast, {1, 1, 64, 1}).compute_s, whole);
  EXPECT_EQ(tiled_time(hundred_units(), kFast, {128, 128, 128, 1}).compute_s, 2 * whole);
}

TEST(TiledProduct, LargeOnesGoByTheRoofline) {
  const TiledRates rates = {100e12, 1e12, 2, 2};
  const double side = 65'536;
  const double time = time_of(hundred_units(), rates, {65'536, 65'536, 65'536, 1});
  EXPECT_NEAR(time, 2 * side * side * side / 100e12, time * 0.01);
  // One row: both factors and the result pass the memory once.
  const double bytes = 2 * (side * side + 2 * side);
  TiledParams flat = hundred_units();
  flat.shapes = {{16, 128, 64, 1}};
  EXPECT_NEAR(time_of(flat, rates, {1, 65'536, 65'536, 1}), bytes / 1e12, bytes / 1e12 * 0.02);
}

TEST(TiledProduct, NoProductIsFasterThanTheRoofline) {
  std::mt19937_64 random(7);
  const TiledRates rates = {100e12, 2e12, 1.03125, 2};
  TiledParams units = hundred_units();
  units.shapes.push_back({256, 256, 64, 2});
  units.most_splits = 8;
  units.feed_bytes_per_s = 40'000'000'000;
  units.launch_ps = 3'000'000;
  for (int i = 0; i < 300; ++i) {
    const MatrixProduct product{1 + random() % 5000, 1 + random() % 5000, 1 + random() % 5000,
                                1 + random() % 3};
    const TiledTime time = tiled_time(units, rates, product);
    const double m = static_cast<double>(product.m), n = static_cast<double>(product.n),
                 k = static_cast<double>(product.k), count = static_cast<double>(product.count);
    EXPECT_GE(time.time_s, 3e-6 + 2 * m * n * k * count / 100e12);
    EXPECT_GE(time.time_s, 3e-6 + ((m * k + k * n) * 1.03125 + m * n * 2) * count / 2e12 * (1 - 1e-12));
    MatrixProduct longer = product;
    longer.k += 1 + random() % 1000;
    EXPECT_GE(time_of(units, rates, longer), time.time_s * (1 - 1e-12));
  }
}

/// Unit by unit: each takes the next tile when it is free.
double handed_out(const TiledParams& units, const TiledRates& rates, const MatrixProduct& product) {
  const TileShape& shape = units.shapes.front();
  const double step = 2.0 * shape.m * shape.n / (rates.operations_per_s / units.units);
  std::vector<double> free(units.units, 0);
  double last = 0;
  for (std::uint64_t c = 0; c < product.count; ++c)
    for (std::uint64_t row = 0; row < product.m; row += shape.m)
      for (std::uint64_t column = 0; column < product.n; column += shape.n) {
        double& unit = *std::min_element(free.begin(), free.end());
        for (std::uint64_t k = 0; k < product.k; ++k) unit += step;
        last = std::max(last, unit);
      }
  return last;
}

TEST(TiledProduct, WavesAreWhatUnitsThatTakeTileAfterTileNeed) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100; ++i) {
    TiledParams units;
    units.units = 1 + static_cast<std::uint32_t>(random() % 40);
    units.shapes = {{static_cast<std::uint32_t>(1 + random() % 64),
                     static_cast<std::uint32_t>(1 + random() % 64),
                     static_cast<std::uint32_t>(1 + random() % 64), 1}};
    const MatrixProduct product{1 + random() % 300, 1 + random() % 300, 1 + random() % 300, 1 + random() % 4};
    const double expected = handed_out(units, kFast, product);
    EXPECT_NEAR(tiled_time(units, kFast, product).compute_s, expected, expected * 1e-9);
  }
}

TEST(TiledProduct, OperandsThatComeTooSlowlyBoundATile) {
  TiledParams units = hundred_units();
  const MatrixProduct product{128, 128 * 100, 4096, 1};
  const double unbound = time_of(units, kFast, product);
  units.feed_bytes_per_s = 8'000'000'000;  // (128 + 128) x 64 x 2 B take 4.1 us, the operations 2.1
  const double bound = 256.0 * 64 * 2 / 8e9 * 64;
  EXPECT_NEAR(time_of(units, kFast, product), bound, bound * 1e-3);
  EXPECT_GT(bound, 1.9 * unbound);
  // Two units share what they load.
  units.shapes.push_back({256, 128, 64, 2});
  EXPECT_LT(time_of(units, kFast, product), bound * 1.01);
}

TEST(TiledProduct, TheFastestShapeAndSplitCount) {
  TiledParams units = hundred_units();
  const MatrixProduct few{128, 128, 65'536, 1};  // one tile for 100 units
  const double whole = time_of(units, kFast, few);
  units.most_splits = 64;
  const TiledTime split = tiled_time(units, kFast, few);
  EXPECT_EQ(split.split, 64U);
  EXPECT_LT(split.time_s, whole / 50);
  units.most_splits = 1;
  units.shapes.push_back({64, 64, 64, 1});
  EXPECT_EQ(tiled_time(units, kFast, few).shape.m, 64U);
}

TEST(TiledProduct, WithoutARateOrADimensionItIsRefused) {
  EXPECT_THROW(tiled_time(hundred_units(), {0, 1e12, 2, 2}, {1, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(tiled_time(hundred_units(), kFast, {0, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(tiled_time(hundred_units(), kFast, {1, 1, 0, 1}), std::invalid_argument);
}

ComputeParams tiled_engine() {
  ComputeParams params;
  params.operations_per_s = 100'000'000'000'000;
  params.memory_bytes_per_s = 1'000'000'000'000;
  params.tiled = hundred_units();
  return params;
}

TEST(ComputeEngine, ProductsGoByTilesAndTheRestByTheRoofline) {
  ComputeEngine engine(tiled_engine());
  const ComputeWork product{0, 0, 0, {{8192, 8192, 8192, 2}}};
  const TimePs roofline = 21'990'232'556;  // 2 x 2 x 8192^3 / 100 TFLOPS
  const TimePs time = engine.duration(product);
  EXPECT_GT(time, roofline);
  EXPECT_LT(time, roofline + roofline / 20);
  EXPECT_EQ(engine.duration({1'000'000'000}), 10'000'000U);
  EXPECT_STREQ(engine.uses()[1].model->name(), "tiled");
  EXPECT_EQ(engine.uses()[1].operations, 1U);
  EXPECT_EQ(engine.duration({0, 1'000'000'000'000, 0, {{128, 128, 64, 1}}}),
            1'000'000'000'000U);  // its bytes
}

TEST(ComputeEngine, ScalesAreBytesOfTheFactors) {
  ComputeParams params = tiled_engine();
  params.tiled->shapes = {{1, 16, 64, 1}};
  const ComputeWork row{0, 0, 0, {{1, 16'384, 16'384, 1}}};
  params.factor_bits_x4 = 32;  // 8 bits
  const double plain = static_cast<double>(ComputeEngine(params).duration(row));
  params.factor_bits_x4 = 33;  // and 32 of each 128, or 8 of each 32
  EXPECT_NEAR(static_cast<double>(ComputeEngine(params).duration(row)) / plain, 33.0 / 32, 1e-3);
  params.factor_bits_x4 = 18;  // 4.5 bits
  EXPECT_NEAR(static_cast<double>(ComputeEngine(params).duration(row)) / plain, 18.0 / 32, 1e-3);
}

}  // namespace
}  // namespace wafertlm
