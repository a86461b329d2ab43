// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/chrome_trace.h"

#include <fmt/core.h>

namespace wafertlm {
namespace {

std::string text_of(const ChromeTrace::Json& json) {
  return json.dump(-1, ' ', false, ChromeTrace::Json::error_handler_t::replace);
}

/// Microseconds, exactly.
std::string micros(TimePs ps) {
  constexpr TimePs kPsPerMicro = 1'000'000;
  return ps % kPsPerMicro == 0 ? std::to_string(ps / kPsPerMicro)
                               : fmt::format("{}.{:06}", ps / kPsPerMicro, ps % kPsPerMicro);
}

}  // namespace

ChromeTrace::ChromeTrace(std::ostream& to, const Json& header) : to_(to) {
  to_ << "{\n\"schemaVersion\": 1,\n";
  for (const auto& [key, value] : header.items()) to_ << text_of(key) << ": " << text_of(value) << ",\n";
  to_ << "\"traceEvents\": [\n";
}

void ChromeTrace::finish() { to_ << "\n]\n}\n"; }

void ChromeTrace::line(const std::string& text) {
  if (!first_) to_ << ",\n";
  first_ = false;
  to_ << text;
}

void ChromeTrace::name_process(std::uint64_t process, const std::string& name) {
  line(text_of({{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", name}}}}));
}

void ChromeTrace::name_thread(std::uint64_t process, std::uint64_t thread, const std::string& name) {
  line(text_of(
      {{"ph", "M"}, {"name", "thread_name"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}}));
}

void ChromeTrace::add(std::uint64_t process, std::uint64_t thread, const std::string& category,
                      const std::string& name, TimePs start, TimePs end, const Json& arguments) {
  line(fmt::format(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{}{}}})", category,
                   text_of(name), process, thread, micros(start), micros(end - start),
                   arguments.is_null() ? "" : ",\"args\":" + text_of(arguments)));
}

}  // namespace wafertlm
