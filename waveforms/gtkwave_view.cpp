// SPDX-License-Identifier: Apache-2.0
#include "waveforms/gtkwave_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace wafertlm {
namespace {

/// GTKWave's unit of zoom is a frame of 200 pixels; so many are in the part of a small window with the waves.
constexpr double kFrames = 2.2;

const char* flags_of(WaveFormat format) {
  static constexpr const char* kFlags[] = {"@28", "@28", "@24", "@22"};
  return kFlags[static_cast<std::size_t>(format)];
}

}  // namespace

void GtkwaveView::open(const std::string& group, bool is_closed) {
  close();
  group_ = group;
  is_closed_ = is_closed;
  text_ += (is_closed ? "@c00200\n-" : "@800200\n-") + group + "\n";
}

void GtkwaveView::close() {
  if (!group_.empty()) text_ += (is_closed_ ? "@1401200\n-" : "@1000200\n-") + group_ + "\n";
  group_.clear();
}

void GtkwaveView::add(const std::string& signal, unsigned bits, WaveFormat format, const std::string& names,
                      const std::string& alias) {
  text_ += names.empty() ? std::string(flags_of(format)) + "\n" : "@2022\n^1 " + names + "\n";
  if (!alias.empty()) text_ += "+{" + alias + "} ";
  text_ += signal + (bits > 1 ? fmt::format("[{}:0]", bits - 1) : "") + "\n";
}

void GtkwaveView::add_part(const std::string& signal, unsigned bits, unsigned first, unsigned count,
                           WaveFormat format, const std::string& alias) {
  text_ += fmt::format("{}\n#{{{}}}", flags_of(format), alias);
  // Bits are counted from the left.
  for (unsigned bit = first + count; bit > first; --bit)
    text_ += fmt::format(" ({}){}[{}:0]", bits - bit, signal, bits - 1);
  text_ += '\n';
}

std::string GtkwaveView::write(const std::string& path) const {
  std::string to = path.empty() ? shown_ + ".gtkw" : path;
  std::ofstream file(to);
  file << "[*] WaferTLM\n[dumpfile] \"" << shown_ << "\"\n[timestart] " << from_ps_
       << "\n[sst_width] 200\n[signals_width] 260\n";
  // Zoom: -log2 of the picoseconds per frame; the primary marker and those from A on.
  file << '*' << -std::log2(std::max(static_cast<double>(to_ps_ - from_ps_), 1.0) / kFrames);
  for (int marker = 0; marker < 28; ++marker)
    file << ' ' << (marker_ps_ && marker < 2 ? std::to_string(*marker_ps_) : "-1");
  file << '\n' << text_;
  if (!group_.empty()) throw std::logic_error("a group of " + to + " is open");
  if (!file.flush()) throw std::runtime_error("cannot write " + to + "; is the disk full?");
  return to;
}

void write_names(const std::string& path, unsigned bits, const std::vector<std::string>& names) {
  std::ofstream file(path);
  const unsigned digits = (bits + 3) / 4;
  for (std::size_t i = 0; i < names.size(); ++i) file << fmt::format("{:0{}X} {}\n", i, digits, names[i]);
  if (!file.flush()) throw std::runtime_error("cannot write " + path + "; is the disk full?");
}

}  // namespace wafertlm
