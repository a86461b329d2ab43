// SPDX-License-Identifier: Apache-2.0
// The DMA engine in RTL: 100,000 bursts of random copies against a memory, and bugs that are found and named.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <systemc>

#include "models/rtl/axi4/stress/copy_stress.h"
#include "tests/rtl/axi4/faulty_model.h"

namespace wafertlm {
namespace {

const RtlDesign& dma_design() {
  return find_rtl_design("axi_dma", rtl_designs(), rtl_is_built(), [](RtlProtocol) { return true; });
}

/// Modules cannot be made after the start.
struct DmaModels {
  DmaModels() : right(dma_design().make("dma")), twin(dma_design().make("dma_twin")) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  std::unique_ptr<RtlModel> right, twin;
};
DmaModels& dma_models() {
  static DmaModels made;
  return made;
}

Axi4StressResult run(RtlModel& model, RtlModel* twin, std::uint32_t cases) {
  Axi4StressOptions options;
  options.cases = cases;
  options.seconds = 0;
  options.transactions = 100;
  return stress_axi4_copy(dma_design(), model, twin, options);
}

TEST(AxiDma, CopiesInAHundredThousandBursts) {
  const Axi4StressResult result = run(*dma_models().right, dma_models().twin.get(), 135);
  EXPECT_TRUE(result.passed()) << to_text(*result.failure);
  EXPECT_GE(result.transactions, 100'000U);
}

struct DmaBug {
  const char* name;
  std::function<void(FaultyModel&)> plant;
  std::vector<std::string> rules;
  bool is_of_twin = false;
};

void flip_bit(RtlPin& pin, std::uint32_t bit) { pin.set(bit, 1, pin.get(bit, 1) ^ 1); }

/// A pin always has these bits.
std::function<void(FaultyModel&)> forced(const char* name, std::uint32_t bits, std::uint64_t value) {
  return [=](FaultyModel& m) { m.plant(name, [=](RtlPin& pin) { pin.set(0, bits, value); }); };
}

const std::vector<DmaBug>& dma_bugs() {
  static const std::vector<DmaBug> all = {
      {"the last strobe of a beat is lost",
       [](FaultyModel& m) { m.plant("m_axi_wstrb", [](RtlPin& pin) { pin.set(15, 1, 0); }); },
       {"WDATA"}},
      {"a burst goes on over 4 KB",
       [](FaultyModel& m) {
         m.plant("m_axi_arlen", [&m](RtlPin& pin) {
           if (m.at("m_axi_araddr", 12) + 16 * (pin.get(0, 8) + 1) >= 4080) pin.set(0, 8, pin.get(0, 8) + 2);
         });
       },
       {"ARADDR_BOUNDARY"}},
      {"WLAST a beat early",
       [](FaultyModel& m) { m.plant("m_axi_awlen", [](RtlPin& pin) { pin.set(0, 8, pin.get(0, 8) + 1); }); },
       {"WLAST_EARLY", "AWADDR_BOUNDARY"}},
      {"a beat too many",
       [](FaultyModel& m) {
         m.plant("m_axi_awlen", [](RtlPin& pin) {
           if (pin.get(0, 8) != 0) pin.set(0, 8, pin.get(0, 8) - 1);
         });
       },
       {"WDATA_NUM"}},
      {"lanes are swapped",
       [](FaultyModel& m) {
         m.plant("m_axi_wdata", [](RtlPin& pin) { std::swap(pin.words[0], pin.words[1]); });
       },
       {"WDATA"}},
      {"an address bit is stuck",
       [](FaultyModel& m) { m.plant("m_axi_awaddr", [](RtlPin& pin) { pin.set(4, 1, 0); }); },
       {"WDATA"}},
      {"ARVALID falls without ARREADY",
       [](FaultyModel& m) {
         m.plant("m_axi_arvalid", [&m](RtlPin& pin) {
           if (m.at("m_axi_arready") == 0 && m.edges() % 2 == 0) pin.set(0, 1, 0);
         });
       },
       {"ARVALID_STABLE"}},
      {"WDATA changes while it waits",
       [](FaultyModel& m) {
         m.plant("m_axi_wdata", [&m](RtlPin& pin) {
           if (m.at("m_axi_wready") == 0) flip_bit(pin, 100);
         });
       },
       {"W_STABLE"}},
      {"narrow beats have all strobes", forced("m_axi_wstrb", 16, 0xffff), {"WSTRB", "WDATA"}},
      {"WRAP in place of INCR", forced("m_axi_arburst", 2, 2), {"ARLEN_WRAP", "ARADDR_WRAP_ALIGN"}},
      {"beats wider than the bus", forced("m_axi_arsize", 3, 5), {"ARSIZE"}},
      {"exclusive bursts of any length", forced("m_axi_arlock", 1, 1), {"ARLOCK_LEN", "ARLOCK_ALIGN"}},
      {"BREADY never comes",
       [](FaultyModel& m) {
         m.plant("m_axi_bready", [](RtlPin& pin) { pin.set(0, 1, 0); });
         m.plant("m_axi_bvalid", [](RtlPin& pin) { pin.set(0, 1, 0); });
       },
       {"BREADY_MAX_WAIT"}},
      {"ARVALID in the reset",
       [](FaultyModel& m) {
         m.plant("m_axi_arvalid", [&m](RtlPin& pin) {
           if (m.at("aresetn") == 0) pin.set(0, 1, 1);
         });
       },
       {"ARVALID_RESET"}},
      {"AWID has no reset: X",
       [](FaultyModel& m) { m.plant("m_axi_awid", [](RtlPin& pin) { flip_bit(pin, 2); }); },
       {"AW_X"},
       true},
  };
  return all;
}

TEST(AxiDma, EveryPlantedBugIsFoundAndNamed) {
  for (const DmaBug& bug : dma_bugs()) {
    FaultyModel faulty(*dma_models().right), twin(*dma_models().twin);
    bug.plant(bug.is_of_twin ? twin : faulty);
    const Axi4StressResult result = run(faulty, bug.is_of_twin ? &twin : nullptr, 8);
    ASSERT_FALSE(result.passed()) << bug.name;
    EXPECT_EQ(std::count(bug.rules.begin(), bug.rules.end(), result.failure->rule->name), 1)
        << bug.name << ": " << to_text(*result.failure);
    std::cout << bug.name << ": " << to_text(*result.failure) << "\n";
  }
}

}  // namespace
}  // namespace wafertlm
