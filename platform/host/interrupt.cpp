// SPDX-License-Identifier: Apache-2.0
#include "platform/host/interrupt.h"

#include <array>
#include <csignal>

namespace wafertlm {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t noted = 0;  // a signal handler can reach nothing else

void note(int signal) { noted = signal; }

}  // namespace

InterruptNotes::InterruptNotes() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  for (const int signal : kSignals) {
    struct sigaction before {};
    // Ignored (nohup) it stays.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
}

InterruptNotes::~InterruptNotes() {
  for (const int signal : kSignals) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == note) std::signal(signal, SIG_DFL);
  }
}

int InterruptNotes::signal() { return noted; }

std::string signal_name(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

}  // namespace wafertlm
