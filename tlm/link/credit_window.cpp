// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/credit_window.h"

namespace wafertlm {

void CreditWindow::insert_return(std::uint64_t bytes, TimePs at) {
  // A packet that left through a faster output: rare, and only a few places from the end.
  std::size_t place = returns_.size();
  while (place > 0 && returns_[place - 1].at > at) --place;
  returns_.insert(place, {at, bytes});
}

TimePs CreditWindow::time_of_promised_credits(std::uint64_t bytes) const {
  std::uint64_t room = credits_;
  for (std::size_t i = 0; i < returns_.size(); ++i) {
    room += returns_[i].bytes;
    if (room >= bytes) return returns_[i].at;
  }
  return kNever;
}

std::uint64_t CreditWindow::outstanding() const {
  std::uint64_t home = credits_;
  for (std::size_t i = 0; i < returns_.size(); ++i) home += returns_[i].bytes;
  return capacity_ - home;
}

}  // namespace wafertlm
