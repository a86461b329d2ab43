// SPDX-License-Identifier: Apache-2.0
// The engine's end of a simulator in another process; real ones, and what they get wrong: tests/rtl/remote.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <future>
#include <stdexcept>

#include "models/rtl/remote/remote_design.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

using Words = std::vector<std::uint32_t>;

/// A simulator in a thread, that speaks when a test says so.
class Far {
 public:
  /// Comes when somebody listens.
  explicit Far(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    for (;;) {
      socket_ = socket(AF_UNIX, SOCK_STREAM, 0);
      if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return;
      close(socket_);
      usleep(1000);
    }
  }
  ~Far() { close(socket_); }
  Far(const Far&) = delete;
  Far& operator=(const Far&) = delete;
  void say(const void* bytes, std::uint32_t size) {
    ::send(socket_, &size, sizeof size, MSG_NOSIGNAL);
    ::send(socket_, bytes, size, MSG_NOSIGNAL);
  }
  void say(const Words& words) { say(words.data(), static_cast<std::uint32_t>(words.size() * 4)); }
  Words hear() {
    std::uint32_t size = 0;
    recv(socket_, &size, sizeof size, MSG_WAITALL);
    Words words(size / 4);
    if (size != 0) recv(socket_, words.data(), size, MSG_WAITALL);
    return words;
  }

 private:
  int socket_;
};

/// P=2, W=32.
const std::string kLink =
    "wafertlm-rtl 1\nprotocol axi4_stream\ntop two\nparameter P 2\nparameter W 32\nparameter LATENCY 3\n"
    "parameter QUEUE fifo\ninput aclk 1\ninput aresetn 1\ninput s_tvalid 2\ninput s_tdata 64\ninput s_tlast "
    "2\n"
    "input s_tid 32\ninput s_tdest 16\ninput s_tuser 128\ninput m_tready 2\noutput m_tdata 64\n"
    "output s_tready 2\noutput m_tvalid 2\noutput m_tlast 2\noutput m_tid 32\noutput m_tdest 16\n"
    "output m_tuser 128\n";

struct RemoteRtl : testing::Test {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/socket";
  static constexpr double kEver = 1e6;
  std::unique_ptr<Far> far;

  RtlDesign connected(RtlPatience patience = {kEver, kEver}) {
    auto coming = std::async(std::launch::async, [this] {
      auto made = std::make_unique<Far>(path);
      made->say(kLink.data(), static_cast<std::uint32_t>(kLink.size()));
      return made;
    });
    RtlDesign design = remote_rtl_design(path, patience);
    far = coming.get();
    EXPECT_TRUE(far->hear().empty()) << "it was refused";
    return design;
  }
  static void put(RtlModel& model, const char* name, std::uint64_t value) {
    RtlPin& pin = model.pin(name);
    pin.set(0, std::min(pin.bits, 64U), value);
    pin.push();
  }
  static std::uint64_t get(RtlModel& model, const char* name) {
    RtlPin& pin = model.pin(name);
    pin.pull();
    return pin.get(0, std::min(pin.bits, 64U));
  }
};

TEST_F(RemoteRtl, TellsItsFacts) {
  const RtlDesign design = connected();
  EXPECT_EQ(design.name, "two");
  EXPECT_EQ(design.ports, 2U);
  EXPECT_EQ(design.flit_bits, 32U);
  EXPECT_EQ(design.channels, 1U);
  EXPECT_EQ(design.latency, 3U);
  EXPECT_EQ(design.queue, InputQueue::fifo);
  EXPECT_EQ(design.parameters, (std::vector<std::string>{"LATENCY=3", "P=2", "QUEUE=fifo", "W=32"}));
}

// Inputs: aclk at bit 0, aresetn 1, s_tvalid 2-3, s_tdata 4-67; outputs: m_tdata 0-63, s_tready 64-65.
TEST_F(RemoteRtl, MovesWhatChangedInOneMessageForEachLook) {
  const RtlDesign design = connected();
  const auto model = design.make("rtl");
  put(*model, "s_tdata", 0xabcd'0123'4567'89ef);
  put(*model, "aresetn", 0);
  model->evaluate();
  put(*model, "aclk", 1);
  model->evaluate();
  far->say({0, 0x1234'5678, 0, 2, 2, 0});
  EXPECT_EQ(get(*model, "m_tdata"), 0x1234'5678U);
  EXPECT_EQ(get(*model, "s_tready"), 2U) << "no second message";
  EXPECT_EQ(far->hear(), (Words{0, 3, 0, 0x5678'9ef0, 1, 0xbcd0'1234, 2, 0xa, 0, 1, 0, 0x5678'9ef1}));
  model->evaluate();
  far->say({1, 5, 0});
  EXPECT_EQ(get(*model, "m_tdata"), 0x5'1234'5678U);
  EXPECT_EQ(far->hear(), (Words{0, 0})) << "nothing changed";
  EXPECT_THROW(model->pin("m_tkeep"), std::invalid_argument);
}

TEST_F(RemoteRtl, UnknownBitsMatterWhereTheyAreShown) {
  const RtlDesign design = connected();
  const auto model = design.make("rtl");
  const auto look = [&](Words outputs) {
    model->evaluate();
    far->say(outputs);
    return get(*model, "m_tdata");
  };
  const Words all_unknown = {0, 0, ~0U, 1, 0, ~0U, 2, 0, ~0U, 3, 0, ~0U,
                             4, 0, ~0U, 5, 0, ~0U, 6, 0, ~0U, 7, 0, ~0U};
  put(*model, "aresetn", 0);
  EXPECT_EQ(look(all_unknown), 0U) << "the reset is held";
  put(*model, "aresetn", 1);
  put(*model, "aclk", 1);
  EXPECT_EQ(look({}), 0U) << "the clock is high";
  put(*model, "aclk", 0);
  model->dump_waves(5000, true);
  // Ready 64-65 and valid 66-67 are known, and nothing is valid.
  EXPECT_EQ(look({2, 3, ~0xfU}), 0U);
  // Port 1 is valid, whose data are the second word.
  try {
    look({2, 0xb, ~0xfU, 1, 7, 0});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "two: m_tdest of port 1 is unknown (X or Z) in the cycle at 5000 ps");
  }
}

TEST_F(RemoteRtl, NobodyIsWaitedForForEver) {
  EXPECT_EQ(test::refusal_of([&] {
              remote_rtl_design(path, {0.05, kEver});
            }),
            "remote:" + path + ": no simulator came in 0.05 s; start it with +wafertlm=" + path);
  const RtlDesign design = connected({kEver, 1});
  const auto model = design.make("rtl");
  model->evaluate();
  model->dump_waves(7000, false);
  try {
    get(*model, "m_tdata");
    FAIL();
  } catch (const RtlRemoteEnded& error) {
    EXPECT_EQ(error.what(),
              "the simulator at " + path + " has not answered for 1 s, in the cycle at 7000 ps");
  }
}

TEST_F(RemoteRtl, AnEndIsTold) {
  const RtlDesign design = connected();
  const auto model = design.make("rtl");
  far.reset();
  model->evaluate();
  EXPECT_THROW(get(*model, "m_tdata"), RtlRemoteEnded);
  EXPECT_THROW(model->set_plusargs({"x=1"}), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
