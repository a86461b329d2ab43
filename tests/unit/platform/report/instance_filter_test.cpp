// SPDX-License-Identifier: Apache-2.0
#include "platform/report/instance_filter.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm {
namespace {

TEST(InstanceFilter, InstancesByPattern) {
  const InstanceFilter filter({"npu1*", "router3->*"});
  for (const char* name : {"npu1", "npu12", "router3->router4"}) EXPECT_TRUE(filter.instance(name)) << name;
  for (const char* name : {"npu2", "router4->router3", "xnpu1"}) EXPECT_FALSE(filter.instance(name)) << name;
  EXPECT_FALSE(InstanceFilter({}).instance("npu1"));
}

// A window is half open; what overlaps it, or ends as it begins, is of interest.
TEST(InstanceFilter, ClassesAndWindows) {
  const InstanceFilter filter({"npu*@dp:10ns-20ns", "npu7:1us-2us"});
  EXPECT_TRUE(filter.takes("npu1", "dp", 12'000, 13'000));
  EXPECT_TRUE(filter.takes("npu1", "dp", 0, 100'000));
  EXPECT_TRUE(filter.takes("npu1", "dp", 0, 10'000));
  EXPECT_FALSE(filter.takes("npu1", "dp", 0, 9999));
  EXPECT_TRUE(filter.takes("npu1", "dp", 19'999, 30'000));
  EXPECT_FALSE(filter.takes("npu1", "dp", 20'000, 30'000));
  EXPECT_FALSE(filter.takes("npu1", "mp", 12'000, 13'000));
  EXPECT_FALSE(filter.takes("npu1", "", 12'000, 13'000));
  EXPECT_FALSE(filter.takes("io1", "dp", 12'000, 13'000));
  EXPECT_TRUE(filter.takes("npu7", "mp", 1'500'000, 1'600'000));  // the second takes all classes
  EXPECT_FALSE(filter.takes("npu8", "mp", 1'500'000, 1'600'000));
  EXPECT_TRUE(InstanceFilter({"npu1"}).takes("npu1", "", 0, kNever - 1));
}

TEST(InstanceFilter, WhatCannotBeMeant) {
  const auto problem = [](const std::string& text) -> std::string {
    try {
      const InstanceFilter filter({text});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  const auto expect = [&](const std::string& text, const std::string& words) {
    EXPECT_NE(problem(text).find(words), std::string::npos) << text << ": " << problem(text);
  };
  expect("npu1:5us", "the window has no '-'");
  expect("npu1:5us-5us", "the window is empty");
  expect("npu1:6us-5us", "the window is empty");
  expect("npu1@:1us-5us", "there is no class after '@'");
  expect("@dp", "there is no instance");
  expect("", "there is no instance");
  expect("npu1:1us-x", "names nothing to look at");
  EXPECT_EQ(problem("npu1:4us-5us"), "none");
}

TEST(InstanceFilter, PartsThatNameNothing) {
  const auto problem = [](const std::string& text) -> std::string {
    try {
      InstanceFilter({"npu0", text}).require_used({"npu0", "npu1"}, {"mp", "dp"});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(problem("npu*@dp"), "none");
  EXPECT_NE(problem("npu2").find("nothing is called 'npu2'"), std::string::npos);
  EXPECT_EQ(problem("npu1@pp"), "--trace: there is no class 'pp'; there are mp, dp");
}

}  // namespace
}  // namespace wafertlm
