// SPDX-License-Identifier: Apache-2.0
// SteadyStates with run.acceleration: verify: what was expected against what came.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "tlm/acceleration/steady_states.h"
#include "tlm/kernel/say.h"

namespace wafertlm {

/// Notes what would be skipped to: it is moved there, and back.
void SteadyStates::expect(Component& component, std::uint64_t periods, TimePs now) {
  const TimePs then = now + periods * component.period_ps;
  MoveState on(now, component.growth, component.period_ps, periods);
  list(component, on);
  RecordState record(then, component.expected);
  list(component, record);
  MoveState back(then, component.growth, component.period_ps, 0 - periods);
  list(component, back);
}

/// The last of the periods is simulated: what does not repeat has not been moved on as it should.
void SteadyStates::skip_and_expect(Component& component, std::uint64_t periods, TimePs now) {
  skip(component, periods - 1, now);
  RecordState record(component.reference.at_ps, component.expected);
  list(component, record);
  for (std::size_t i = 0; i < component.growth.size(); ++i)
    component.expected.counts[i] += component.growth[i];
  component.expected.at_ps += component.period_ps;
}

void SteadyStates::fail(const Component& component, const std::string& what) const {
  const Message& message = *component.messages.front();
  throw std::logic_error(say("acceleration: at ", scheduler_.now(), " ps ", component.messages.size(),
                             " messages that share links, one of them from endpoint ",
                             index_of(message.key.source), " to ", index_of(message.destination), ", ",
                             what));
}

/// @throws std::logic_error: it has not become what was expected.
void SteadyStates::verify(Component& component, TimePs now) {
  const TimePs at = component.expected.at_ps;
  if (now < at) return;
  StateRecord is;
  RecordState record(now, is);
  list(component, record);
  const auto differ = [&](const char* what, const std::vector<std::uint64_t>& expected,
                          const std::vector<std::uint64_t>& found) {
    const auto [a, b] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
    if (a == expected.end() && b == found.end()) return;
    const auto text = [](const auto& place, const auto& end) {
      return place == end ? std::string("nothing") : std::to_string(*place);
    };
    fail(component, say("have ", what, " number ", a - expected.begin(), ", which is ", text(b, found.end()),
                        " and was expected to be ", text(a, expected.end()), " at ", at, " ps"));
  };
  differ("state", component.expected.values, is.values);
  differ("count", component.expected.counts, is.counts);
  component.expected.at_ps = 0;
  ++counts_.verified;
}

}  // namespace wafertlm
