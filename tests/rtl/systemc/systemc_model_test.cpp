// SPDX-License-Identifier: Apache-2.0
// Pins of modules in SystemC RTL, the kernel that runs them, and their waveforms.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "models/rtl/systemc_model.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

/// Signals of all kinds; outputs follow the inputs, the wide one two delta cycles later.
struct Copies final : sc_core::sc_module {
  sc_core::sc_in<bool> one{"one"};
  sc_core::sc_in<std::uint64_t> word{"word"};
  sc_core::sc_in<sc_dt::sc_uint<5>> five{"five"};
  sc_core::sc_in<sc_dt::sc_bv<40>> wide{"wide"};
  sc_core::sc_out<sc_dt::sc_logic> one_out{"one_out"};
  sc_core::sc_out<std::uint64_t> word_out{"word_out"};
  sc_core::sc_out<sc_dt::sc_uint<5>> five_out{"five_out"};
  sc_core::sc_out<sc_dt::sc_lv<40>> wide_out{"wide_out"}, unknown{"unknown"};

  explicit Copies(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(Copies);
    SC_METHOD(copy);
    sensitive << one << word << five << wide;
    SC_METHOD(copy_later);
    sensitive << between;
  }
  void copy() {
    one_out.write(sc_dt::sc_logic(one.read()));
    word_out.write(word.read());
    five_out.write(five.read());
    between.write(wide.read());
  }
  void copy_later() {
    wide_out.write(sc_dt::sc_lv<40>(between.read()));
    sc_dt::sc_lv<40> some(between.read());
    some[0] = sc_dt::SC_LOGIC_X;
    some[1] = sc_dt::SC_LOGIC_Z;
    unknown.write(some);
  }
  sc_core::sc_signal<sc_dt::sc_bv<40>> between{"between"};
};

struct SystemcModelTest : testing::Test {
  SystemcModel<Copies> model{"copies"};

  SystemcModelTest() {
    Copies& module = model.module();
    model.add("one", module.one);
    model.add("word", module.word);
    model.add("five", module.five);
    model.add("wide", module.wide);
    model.add("one_out", module.one_out);
    model.add("word_out", module.word_out);
    model.add("five_out", module.five_out);
    model.add("wide_out", module.wide_out);
    model.add("unknown", module.unknown);
  }
  void put(const char* name, std::uint64_t value) {
    RtlPin& pin = model.pin(name);
    pin.set(0, pin.bits, value);
    pin.push();
  }
  std::uint64_t get(const char* name) {
    RtlPin& pin = model.pin(name);
    pin.pull();
    return pin.get(0, pin.bits);
  }
};

TEST_F(SystemcModelTest, PinsOfAllTypesAreWords) {
  put("one", 1);
  put("word", 0x1234'5678'9abc'def0);
  put("five", 21);
  put("wide", 0xff'0102'0304);
  model.evaluate();
  EXPECT_EQ(get("one_out"), 1U);
  EXPECT_EQ(get("word_out"), 0x1234'5678'9abc'def0U);
  EXPECT_EQ(get("five_out"), 21U);
  EXPECT_EQ(get("wide_out"), 0xff'0102'0304U) << "all delta cycles are over";
  put("wide", 0xff);
  model.evaluate();
  EXPECT_EQ(get("unknown"), 0xfcU) << "X and Z are 0";
  EXPECT_EQ(model.pin("five").bits, 5U);
  EXPECT_THROW(model.pin("six"), std::invalid_argument);
}

TEST_F(SystemcModelTest, TheTimeAroundItStands) {
  const auto before_ps = sc_core::sc_time_stamp().value();
  for (int i = 0; i < 10; ++i) model.evaluate();
  EXPECT_EQ(sc_core::sc_time_stamp().value(), before_ps);
}

TEST_F(SystemcModelTest, WavesAreThoseOfThePins) {
  const test::TempFolder folder;
  const std::string file = folder.path() + "/pins.vcd";
  model.open_waves(file, {});
  put("five", 3);
  model.evaluate();
  model.dump_waves(1000, true);
  put("five", 4);
  model.evaluate();
  model.dump_waves(2000, true);
  model.close_waves();
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_NE(text.str().find("$timescale 1ps $end\n$scope module copies $end\n$var wire 5 p0 five $end\n"),
            std::string::npos)
      << text.str();
  const std::string last = text.str().substr(text.str().find("#2000"));
  EXPECT_EQ(last, "#2000\nb00100 p0\nb00100 p1\n") << "only what has changed";
  EXPECT_THROW(model.open_waves(folder.path() + "/none/pins.vcd", {}), std::runtime_error);
}

}  // namespace
}  // namespace wafertlm
