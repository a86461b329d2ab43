// SPDX-License-Identifier: Apache-2.0
// Logs of transactions, and where two of them begin to differ.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "tests/support/temp_folder.h"
#include "waveforms/transaction_log.h"

namespace wafertlm {
namespace {

constexpr int kFirst = 0, kSecond = 0, kOther = 0;  // their addresses tell transactions apart

struct Times {
  TimePs begin = 10, head = 12, end = 20;
};
struct Logged {
  SocketTransaction what;
  Times first, second{30, 33, 44}, other{15, 16, 18};
  bool has_second = true;
};

class TransactionDiff : public testing::Test {
 protected:
  /// Two sockets: "left" with two packets, "right" with one.
  std::string log(const std::string& name, const Logged& run) const {
    const std::string path = folder_.path() + "/" + name;
    TransactionLog log(path);
    const std::size_t left = log.add_socket("left", "fabric"), right = log.add_socket("right", "fabric");
    SocketTransaction what = run.what;
    what.sequence = 1;
    log.begun(left, &kFirst, run.first.begin, run.first.head, what);
    log.begun(right, &kOther, run.other.begin, run.other.head, run.what);
    log.phase(right, &kOther, SocketPhase::end_req, run.other.end, run.other.end);
    log.phase(left, &kFirst, SocketPhase::end_req, run.first.end, run.first.end);
    if (run.has_second) {
      what.sequence = 2;
      log.begun(left, &kSecond, run.second.begin, run.second.head, what);
      log.phase(left, &kSecond, SocketPhase::end_req, run.second.end - 1, run.second.end);
    }
    log.finish(100);
    return path;
  }
  /// Of a run as it is, and one in which something is otherwise.
  std::string difference(const std::function<void(Logged&)>& change) const {
    Logged run;
    const std::string as_it_is = log("a", run);
    change(run);
    return first_divergence(as_it_is, log("b", run));
  }
  void expect(const std::function<void(Logged&)>& change, const std::string& beginning) const {
    const std::string text = difference(change);
    EXPECT_EQ(text.substr(0, text.find('\n')), beginning) << text;
  }

  test::TempFolder folder_;
};

TEST_F(TransactionDiff, EqualRuns) {
  EXPECT_EQ(difference([](Logged&) {}), "");
}

TEST_F(TransactionDiff, TheFirstPhaseWithAnotherTime) {
  expect([](Logged& run) { run.second.end = 47; },
         "first divergence at 44 ps on left, transaction 1: end_req_ps");
  expect([](Logged& run) { run.second.head = 31; },
         "first divergence at 31 ps on left, transaction 1: head_ps");
  expect([](Logged& run) { run.first.end = 19, run.second.begin = 29; },
         "first divergence at 19 ps on left, transaction 0: end_req_ps");
  expect([](Logged& run) { run.first.begin = 11; },
         "first divergence at 10 ps on left, transaction 0: begin_req_ps");
}

TEST_F(TransactionDiff, TheEarliestOfAllSockets) {
  expect([](Logged& run) { run.other.end = 17, run.first.end = 21; },
         "first divergence at 17 ps on right, transaction 0: end_req_ps");
  expect([](Logged& run) { run.other.end = 19, run.first.head = 13; },
         "first divergence at 12 ps on left, transaction 0: head_ps");
}

TEST_F(TransactionDiff, AnythingElseDiffersAsItBegins) {
  expect([](Logged& run) { run.what.bytes = 5; }, "first divergence at 10 ps on left, transaction 0: bytes");
  expect([](Logged& run) { run.what.destination = 5, run.what.tag = 6; },
         "first divergence at 10 ps on left, transaction 0: destination, tag");
  expect([](Logged& run) { run.has_second = false; },
         "first divergence at 30 ps on left, transaction 1: only one has it");
  EXPECT_NE(difference([](Logged& run) { run.has_second = false; }).find("b: no such transaction\n"),
            std::string::npos);
}

TEST_F(TransactionDiff, LogsThatCannotBeCompared) {
  const std::string whole = log("a", {});
  EXPECT_THROW(first_divergence(whole, folder_.path() + "/none"), std::invalid_argument);
  EXPECT_THROW(first_divergence(whole, folder_.write("text", "no log")), std::invalid_argument);
  const std::string other = folder_.path() + "/other";
  {
    TransactionLog log(other);
    log.add_socket("left", "fabric");
    log.finish(100);
  }
  try {
    first_divergence(whole, other);
    ADD_FAILURE() << "a socket is missing in one of them";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("has the socket right"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace wafertlm
