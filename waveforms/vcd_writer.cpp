// SPDX-License-Identifier: Apache-2.0
#include "waveforms/vcd_writer.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <utility>

namespace wafertlm {
namespace {

constexpr std::size_t kChunkChanges = 16'384, kMostChunks = 16, kTextBytes = 1 << 18;

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

VcdWriter::~VcdWriter() {
  if (!thread_.joinable()) {
    // The run was refused before it began: leave no empty file.
    file_.close();
    if (!finished_) std::remove(path_.c_str());
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::size_t VcdWriter::add_signal(const std::string& scope, const std::string& name, unsigned bits) {
  signals_.push_back({scope, name, code_of(signals_.size()), bits});
  latest_.emplace_back();
  return signals_.size() - 1;
}

void VcdWriter::start() {
  write_header();
  thread_ = std::thread([this] { write(); });
}

void VcdWriter::change(TimePs now, TimePs at, std::size_t signal, std::uint64_t value) {
  Latest& latest = latest_[signal];
  if (value == latest.value && at >= latest.at) return;  // no change
  latest = {at, value};
  chunk_.changes.push_back({at, value, static_cast<std::uint32_t>(signal)});
  chunk_.now = std::max(chunk_.now, now);
  if (chunk_.changes.size() >= kChunkChanges) hand_over();
}

void VcdWriter::hand_over() {
  if (!thread_.joinable()) start();
  const TimePs now = chunk_.now;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return full_.size() < kMostChunks; });
    full_.push_back(std::move(chunk_));
  }
  changed_.notify_all();
  chunk_ = {};
  chunk_.changes.reserve(kChunkChanges);
  chunk_.now = now;
}

void VcdWriter::write() {
  for (;;) {
    Chunk chunk;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return done_ || !full_.empty(); });
      if (full_.empty()) return;
      chunk = std::move(full_.front());
      full_.pop_front();
    }
    changed_.notify_all();
    const auto before = [](const Change& a, const Change& b) { return a.at < b.at; };
    std::stable_sort(chunk.changes.begin(), chunk.changes.end(), before);
    const auto old = static_cast<std::ptrdiff_t>(open_.size());
    open_.insert(open_.end(), chunk.changes.begin(), chunk.changes.end());
    std::inplace_merge(open_.begin(), open_.begin() + old, open_.end(), before);
    write_until(chunk.now);
  }
}

void VcdWriter::write_header() {
  text_ += "$timescale 1 ps $end\n";
  std::map<std::string, std::vector<const Signal*>> scopes;
  for (const Signal& signal : signals_) scopes[signal.scope].push_back(&signal);
  for (const auto& [scope, signals] : scopes) {
    text_ += "$scope module " + scope + " $end\n";
    for (const Signal* signal : signals)
      text_ +=
          "$var wire " + std::to_string(signal->bits) + ' ' + signal->code + ' ' + signal->name + " $end\n";
    text_ += "$upscope $end\n";
  }
  text_ += "$enddefinitions $end\n#0\n$dumpvars\n";
  for (const Signal& signal : signals_) write_value(signal);
  text_ += "$end\n";
  written_ps_ = 0;
}

void VcdWriter::write_value(const Signal& signal) {
  if (signal.bits == 1) {
    text_ += static_cast<char>('0' + (signal.value & 1));
  } else {
    char digits[66];
    char* first = digits + sizeof digits;
    std::uint64_t value = signal.value;
    *--first = ' ';
    do {
      *--first = static_cast<char>('0' + (value & 1));
      value >>= 1;
    } while (value != 0);
    text_ += 'b';
    text_.append(first, digits + sizeof digits);
  }
  text_ += signal.code;
  text_ += '\n';
}

void VcdWriter::write_text(std::size_t least) {
  if (text_.size() < least) return;
  file_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

/// Writes the changes before `at`.
void VcdWriter::write_until(TimePs at) {
  std::size_t done = 0;
  while (done < open_.size() && open_[done].at < at) {
    const TimePs time = open_[done].at;
    // Only the last of several changes at one time counts.
    for (; done < open_.size() && open_[done].at == time; ++done) {
      Signal& signal = signals_[open_[done].signal];
      signal.pending = open_[done].value;
      if (!signal.is_touched) touched_.push_back(open_[done].signal);
      signal.is_touched = true;
    }
    std::sort(touched_.begin(), touched_.end());
    for (const std::uint32_t number : touched_) {
      Signal& signal = signals_[number];
      signal.is_touched = false;
      if (signal.value == signal.pending) continue;
      signal.value = signal.pending;
      if (time != written_ps_) text_ += '#' + std::to_string(time) + '\n';
      written_ps_ = time;
      write_value(signal);
    }
    touched_.clear();
    write_text(kTextBytes);
  }
  open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(done));
}

void VcdWriter::finish(TimePs end_ps) {
  if (finished_) return;
  finished_ = true;
  chunk_.now = end_ps + 1;
  hand_over();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
  text_ += '#' + std::to_string(end_ps) + '\n';
  write_text(0);
  file_.close();
  if (!file_) throw std::runtime_error("cannot write the waveform " + path_ + "; is the disk full?");
}

}  // namespace wafertlm
