// SPDX-License-Identifier: Apache-2.0
#include "waveforms/vcd_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <map>
#include <stdexcept>

namespace wafertlm {
namespace {

constexpr std::size_t kTextBytes = 1 << 18;  // written at a time

/// Identifier codes are the printable characters 33 to 126, least significant first.
std::string code_of(std::size_t number) {
  std::string code;
  do {
    code += static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number != 0);
  return code;
}

using BitsOfByte = std::array<char, 8>;
constexpr std::array<BitsOfByte, 256> make_bits() {
  std::array<BitsOfByte, 256> table{};
  for (unsigned value = 0; value < 256; ++value)
    for (unsigned bit = 0; bit < 8; ++bit) table[value][7 - bit] = (value >> bit & 1) != 0 ? '1' : '0';
  return table;
}
constexpr std::array<BitsOfByte, 256> kBits = make_bits();

/// Of 8 bits; 7 for 0, which has a digit too.
int byte_leading_zeros(std::uint64_t byte) { return __builtin_clz(static_cast<unsigned>(byte) | 1) - 24; }

}  // namespace

VcdWriter::VcdWriter(const std::string& path) : path_(path), file_(path) {
  if (!file_) throw std::invalid_argument("cannot write the waveform " + path);
}

VcdWriter::~VcdWriter() {
  if (has_header_) return;
  // The run was refused before it began: leave no empty file.
  file_.close();
  std::remove(path_.c_str());
}

std::size_t VcdWriter::add_signal(const std::string& scope, const std::string& name, unsigned bits) {
  const std::string code = code_of(signals_.size()) + '\n';
  Signal signal{};
  signal.bits = bits;
  if (code.size() > sizeof signal.code) throw std::invalid_argument("too many signals in " + path_);
  signal.code_size = static_cast<unsigned char>(code.copy(signal.code, sizeof signal.code));
  signals_.push_back(signal);
  names_.push_back({scope, name});
  return signals_.size() - 1;
}

void VcdWriter::touch(std::size_t number, std::uint64_t value) {
  Signal& signal = signals_[number];
  signal.pending = value;
  if (signal.is_touched || value == signal.value) return;
  signal.is_touched = true;
  touched_.push_back(static_cast<std::uint32_t>(number));
}

void VcdWriter::advance(TimePs now) {
  while (!later_.empty() && later_.top().at <= now) {
    const Later next = later_.top();
    later_.pop();
    if (next.at > now_) write_present();
    now_ = next.at;
    touch(next.signal, next.value);
  }
  if (now > now_) {
    write_present();
    now_ = now;
  }
}

void VcdWriter::change(TimePs at, std::size_t signal, std::uint64_t value) {
  if (at > now_)
    later_.push({at, order_++, value, static_cast<std::uint32_t>(signal)});
  else if (at == now_)
    touch(signal, value);
  else
    throw std::logic_error(fmt::format("{}: a change at {} ps was announced at {} ps", path_, at, now_));
}

void VcdWriter::write_header() {
  has_header_ = true;
  std::string text = "$timescale 1 ps $end\n";
  std::map<std::string, std::vector<std::size_t>> scopes;
  for (std::size_t i = 0; i < names_.size(); ++i) scopes[names_[i].scope].push_back(i);
  for (const auto& [scope, signals] : scopes) {
    text += "$scope module " + scope + " $end\n";
    for (const std::size_t i : signals)
      text += fmt::format("$var wire {} {} {} $end\n", signals_[i].bits, code_of(i), names_[i].name);
    text += "$upscope $end\n";
  }
  file_ << text << "$enddefinitions $end\n#0\n$dumpvars\n";
  for (const Signal& signal : signals_) write_value(signal);
  write_text();
  file_ << "$end\n";
}

char* VcdWriter::room(std::size_t bytes) {
  if (filled_ + bytes > text_.size()) {
    write_text();
    text_.resize(kTextBytes);
  }
  return text_.data() + filled_;
}

void VcdWriter::write_text() {
  file_.write(text_.data(), static_cast<std::streamsize>(filled_));
  filled_ = 0;
}

void VcdWriter::write_time(TimePs at) {
  constexpr std::size_t kMaxBytes = 24;
  char* const to = room(kMaxBytes);
  *to = '#';
  char* const end = std::to_chars(to + 1, to + kMaxBytes, at).ptr;
  *end = '\n';
  filled_ += static_cast<std::size_t>(end + 1 - to);
}

void VcdWriter::write_value(const Signal& signal) {
  char* const line = room(sizeof signal.code + 72);
  char* to = line;
  if (signal.bits == 1) {
    *to++ = static_cast<char>('0' + (signal.value & 1));
  } else {
    *to++ = 'b';
    // Whole bytes from the second on; the first begins with its highest 1.
    int byte = (63 - __builtin_clzll(signal.value | 1)) / 8;
    const BitsOfByte& first = kBits[signal.value >> (8 * byte) & 0xFF];
    const int leading = byte_leading_zeros(signal.value >> (8 * byte) & 0xFF);
    to = std::copy(first.begin() + leading, first.end(), to);
    while (--byte >= 0) {
      const BitsOfByte& bits = kBits[signal.value >> (8 * byte) & 0xFF];
      to = std::copy(bits.begin(), bits.end(), to);
    }
    *to++ = ' ';
  }
  std::copy(std::begin(signal.code), std::end(signal.code), to);  // all of it: a copy of known size
  filled_ += static_cast<std::size_t>(to - line) + signal.code_size;
}

/// What has changed at the present time.
void VcdWriter::write_present() {
  if (touched_.empty()) return;
  if (!has_header_) write_header();
  std::sort(touched_.begin(), touched_.end());  // no matter who was first in this moment
  bool has_time = now_ == 0;                    // the header's
  for (const std::uint32_t number : touched_) {
    Signal& signal = signals_[number];
    signal.is_touched = false;
    if (signal.value == signal.pending) continue;
    signal.value = signal.pending;
    if (!has_time) write_time(now_);
    has_time = true;
    write_value(signal);
  }
  touched_.clear();
}

void VcdWriter::finish(TimePs end_ps) {
  advance(end_ps);
  write_present();
  if (!has_header_) write_header();
  write_time(end_ps);
  write_text();
  file_.close();
  if (!file_) throw std::runtime_error("cannot write the waveform " + path_ + "; is the disk full?");
}

}  // namespace wafertlm
