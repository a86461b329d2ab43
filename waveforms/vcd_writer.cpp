// SPDX-License-Identifier: Apache-2.0
#include "waveforms/vcd_writer.h"

#include <bitset>
#include <map>
#include <stdexcept>

namespace wafertlm {
namespace {

/// Identifier codes are the printable characters 33 to 126, least significant first.
std::string code_of(std::size_t number) {
  std::string code;
  do {
    code += static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number != 0);
  return code;
}

}  // namespace

VcdWriter::VcdWriter(const std::string& path) : path_(path), file_(path) {
  if (!file_) throw std::invalid_argument("cannot write the waveform " + path);
}

VcdWriter::~VcdWriter() = default;

std::size_t VcdWriter::add_signal(const std::string& scope, const std::string& name, unsigned bits) {
  signals_.push_back({scope, name, code_of(signals_.size()), bits});
  return signals_.size() - 1;
}

void VcdWriter::write_header() {
  has_header_ = true;
  file_ << "$timescale 1 ps $end\n";
  std::map<std::string, std::vector<const Signal*>> scopes;
  for (const Signal& signal : signals_) scopes[signal.scope].push_back(&signal);
  for (const auto& [scope, signals] : scopes) {
    file_ << "$scope module " << scope << " $end\n";
    for (const Signal* signal : signals)
      file_ << "$var wire " << signal->bits << ' ' << signal->code << ' ' << signal->name << " $end\n";
    file_ << "$upscope $end\n";
  }
  file_ << "$enddefinitions $end\n#0\n$dumpvars\n";
  for (const Signal& signal : signals_) write_value(signal);
  file_ << "$end\n";
  written_ps_ = 0;
}

void VcdWriter::write_value(const Signal& signal) {
  if (signal.bits == 1) {
    file_ << (signal.value & 1) << signal.code << '\n';
    return;
  }
  const std::string digits = std::bitset<64>(signal.value).to_string();
  const std::size_t first = digits.find('1');
  file_ << 'b' << (first == std::string::npos ? "0" : digits.substr(first)) << ' ' << signal.code << '\n';
}

void VcdWriter::change(TimePs now, TimePs at, std::size_t signal, std::uint64_t value) {
  if (!has_header_) write_header();
  write_until(now);
  open_.push({at, order_++, signal, value});
}

/// Writes the changes before `at`.
void VcdWriter::write_until(TimePs at) {
  while (!open_.empty() && open_.top().at < at) {
    const TimePs time = open_.top().at;
    // Only the last of several changes at one time counts.
    std::map<std::size_t, std::uint64_t> last;
    for (; !open_.empty() && open_.top().at == time; open_.pop())
      last[open_.top().signal] = open_.top().value;
    for (const auto& [number, value] : last) {
      Signal& signal = signals_[number];
      if (signal.value == value) continue;
      signal.value = value;
      if (time != written_ps_) file_ << '#' << time << '\n';
      written_ps_ = time;
      write_value(signal);
    }
  }
}

void VcdWriter::finish(TimePs end_ps) {
  if (finished_) return;
  finished_ = true;
  if (!has_header_) write_header();
  write_until(end_ps + 1);
  file_ << '#' << end_ps << '\n';
  file_.close();
  if (!file_) throw std::runtime_error("cannot write the waveform " + path_ + "; is the disk full?");
}

}  // namespace wafertlm
