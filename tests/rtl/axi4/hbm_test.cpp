// SPDX-License-Identifier: Apache-2.0
// The HBM controller in RTL under stress: 100,000 transactions that it serves right, and bugs at its pins
// that are found and named.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <systemc>

#include "models/rtl/axi4/stress/memory_stress.h"
#include "tests/rtl/axi4/faulty_model.h"

namespace wafertlm {
namespace {

const RtlDesign& design() {
  return find_rtl_design("axi_hbm", rtl_designs(), rtl_is_built(), [](RtlProtocol) { return true; });
}

/// Modules cannot be made after the start.
struct Models {
  Models() : right(design().make("rtl")), twin(design().make("twin")) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  std::unique_ptr<RtlModel> right, twin;
};
Models& models() {
  static Models made;
  return made;
}

TEST(AxiHbm, ServesAHundredThousandTransactions) {
  Axi4StressOptions options;
  options.cases = 340;
  options.seconds = 0;
  const Axi4StressResult result = stress_axi4_memory(design(), *models().right, models().twin.get(), options);
  EXPECT_TRUE(result.passed()) << to_text(*result.failure);
  EXPECT_GE(result.transactions, 100'000U);
  EXPECT_EQ(result.cases, 340U);
}

TEST(AxiHbm, TheSameSeedPlaysTheSame) {
  Axi4StressOptions options;
  options.cases = 3;
  options.seconds = 0;
  const auto a = stress_axi4_memory(design(), *models().right, nullptr, options);
  const auto b = stress_axi4_memory(design(), *models().right, nullptr, options);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.beats, b.beats);
}

/// A bug at the pins, and the rules that may name it.
struct Bug {
  const char* name;
  std::function<void(FaultyModel&)> plant;
  std::vector<std::string> rules;
  bool is_of_twin = false;  // what depends on the time before the reset
};

void flip(RtlPin& pin, std::uint32_t bit) { pin.set(bit, 1, pin.get(bit, 1) ^ 1); }

const std::vector<Bug>& bugs() {
  static const std::vector<Bug> all = {
      {"strobes are one lane off",
       [](FaultyModel& m) {
         m.plant("s_axi_wstrb", [](RtlPin& pin) {
           const std::uint64_t strobes = pin.get(0, 64);
           pin.set(0, 64, strobes << 1 | strobes >> 63);
         });
       },
       {"RDATA"}},
      {"the beat that ends at 4 KB is not written",
       [](FaultyModel& m) {
         m.plant("s_axi_wstrb", [&m](RtlPin& pin) {
           if (m.at("s_axi_wlast") != 0 &&
               m.at("s_axi_awaddr", 12) + 64 * (m.at("s_axi_awlen", 8) + 1) >= 4096)
             pin.set(0, 64, 0);
         });
       },
       {"RDATA"}},
      {"RID has a wrong bit",
       [](FaultyModel& m) { m.plant("s_axi_rid", [](RtlPin& pin) { flip(pin, 1); }); },
       {"RID"}},
      {"BID is always 0",
       [](FaultyModel& m) { m.plant("s_axi_bid", [](RtlPin& pin) { pin.set(0, 4, 0); }); },
       {"BID", "BRESP_WLAST"}},
      {"B comes with the address",
       [](FaultyModel& m) {
         m.plant("s_axi_bvalid", [&m](RtlPin& pin) {
           if (m.at("s_axi_awvalid") != 0) pin.set(0, 1, 1);
         });
       },
       {"BID", "BRESP_WLAST", "BRESP_AW"}},
      {"WRAP is taken for INCR",
       [](FaultyModel& m) {
         m.plant("s_axi_arburst", [](RtlPin& pin) {
           if (pin.get(0, 2) == 2) pin.set(0, 2, 1);
         });
       },
       {"RDATA"}},
      {"FIXED is taken for INCR",
       [](FaultyModel& m) {
         m.plant("s_axi_awburst", [](RtlPin& pin) {
           if (pin.get(0, 2) == 0) pin.set(0, 2, 1);
         });
       },
       {"RDATA"}},
      {"RLAST a beat early",
       [](FaultyModel& m) {
         m.plant("s_axi_arlen", [](RtlPin& pin) {
           if (pin.get(0, 8) > 3) pin.set(0, 8, pin.get(0, 8) - 1);
         });
       },
       {"RLAST_EARLY"}},
      {"RVALID falls without RREADY",
       [](FaultyModel& m) {
         m.plant("s_axi_rvalid", [&m](RtlPin& pin) {
           if (m.edges() % 17 == 0) pin.set(0, 1, 0);
         });
       },
       {"RVALID_STABLE", "RLAST_EARLY"}},
      {"RDATA changes while it waits",
       [](FaultyModel& m) {
         m.plant("s_axi_rdata", [&m](RtlPin& pin) {
           if (m.at("s_axi_rready") == 0) flip(pin, 511);
         });
       },
       {"R_STABLE"}},
      {"EXOKAY for all",
       [](FaultyModel& m) { m.plant("s_axi_bresp", [](RtlPin& pin) { pin.set(0, 2, 1); }); },
       {"BRESP_EXOKAY"}},
      {"an error now and then",
       [](FaultyModel& m) {
         m.plant("s_axi_rresp", [&m](RtlPin& pin) {
           if (m.at("s_axi_rid", 4) == 13) pin.set(0, 2, 2);
         });
       },
       {"RRESP", "R_STABLE"}},
      {"an answer is lost",
       [](FaultyModel& m) { m.plant("s_axi_bready", [](RtlPin& pin) { pin.set(0, 1, 1); }); },
       {"BVALID_STABLE", "BRESP_ALL_DONE"}},
      {"BVALID waits for BREADY for ever",
       [](FaultyModel& m) {
         m.plant("s_axi_bready", [](RtlPin& pin) { pin.set(0, 1, 0); });
         m.plant("s_axi_bvalid", [](RtlPin& pin) { pin.set(0, 1, 0); });
       },
       {"BRESP_ALL_DONE"}},
      {"WREADY never comes",
       [](FaultyModel& m) {
         m.plant("s_axi_wvalid", [](RtlPin& pin) { pin.set(0, 1, 0); });
         m.plant("s_axi_wready", [](RtlPin& pin) { pin.set(0, 1, 0); });
       },
       {"WREADY_MAX_WAIT"}},
      {"BVALID in the reset",
       [](FaultyModel& m) {
         m.plant("s_axi_bvalid", [&m](RtlPin& pin) {
           if (m.at("aresetn") == 0) pin.set(0, 1, 1);
         });
       },
       {"BVALID_RESET"}},
      {"RRESP has no reset: X",
       [](FaultyModel& m) { m.plant("s_axi_rresp", [](RtlPin& pin) { pin.set(0, 2, 1); }); },
       {"R_X"},
       true},
      {"AWREADY depends on what was before the reset: X",
       [](FaultyModel& m) {
         m.plant("s_axi_awready", [&m](RtlPin& pin) {
           if (m.edges() % 64 == 0) pin.set(0, 1, 0);
         });
       },
       {"AW_X"},
       true},
      {"half as fast",
       [](FaultyModel& m) {
         m.plant("s_axi_wready", [&m](RtlPin& pin) {
           if (m.edges() % 2 == 0) pin.set(0, 1, 0);
         });
         m.plant("s_axi_wvalid", [&m](RtlPin& pin) {
           if (m.edges() % 2 == 0) pin.set(0, 1, 0);
         });
       },
       {"W_RATE", "B_LATENCY"}},
  };
  return all;
}

TEST(AxiHbm, EveryPlantedBugIsFoundAndNamed) {
  for (const Bug& bug : bugs()) {
    FaultyModel faulty(*models().right), twin(*models().twin);
    bug.plant(bug.is_of_twin ? twin : faulty);
    Axi4StressOptions options;
    options.cases = 20;
    options.seconds = 0;
    options.shrink_plays = 60;
    const Axi4StressResult result =
        stress_axi4_memory(design(), faulty, bug.is_of_twin ? &twin : nullptr, options);
    ASSERT_FALSE(result.passed()) << bug.name;
    const std::string rule = result.failure->rule->name;
    EXPECT_EQ(std::count(bug.rules.begin(), bug.rules.end(), rule), 1)
        << bug.name << ": " << to_text(*result.failure);
    EXPECT_FALSE(result.stimulus.empty());
    std::cout << bug.name << ": " << to_text(*result.failure) << " (" << result.stimulus.size() << " left)\n";
  }
}

}  // namespace
}  // namespace wafertlm
