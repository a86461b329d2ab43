// SPDX-License-Identifier: Apache-2.0
#include "waveforms/vcd_merge.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <fstream>
#include <stdexcept>

namespace wafertlm {
namespace {

constexpr std::uint64_t kEnd = ~std::uint64_t{0};

/// A dump that is read line by line. Its identifiers get a character in front, so that no other has them.
class Part {
 public:
  Part(const std::string& path, char mark) : path_(path), file_(path), mark_(mark) {
    if (!file_) throw std::runtime_error("the waveform " + path + " cannot be read");
  }

  void copy_header(std::ostream& to, std::vector<VcdSignal>& signals) {
    std::vector<std::string> scopes;
    for (std::string word; word != "$enddefinitions";) {
      if (!(file_ >> word)) throw std::runtime_error(path_ + " ends in its header");
      const std::vector<std::string> words = up_to_end();
      if (word == "$scope") {
        scopes.push_back(words.at(1));
        to << "$scope " << words[0] << ' ' << words[1] << " $end\n";
      } else if (word == "$upscope") {
        scopes.pop_back();
        to << "$upscope $end\n";
      } else if (word == "$var") {
        to << "$var " << words.at(0) << ' ' << words.at(1) << ' ' << mark_ << words.at(2);
        for (std::size_t i = 3; i < words.size(); ++i) to << ' ' << words[i];
        to << " $end\n";
        std::string name;
        for (const std::string& scope : scopes) name += scope + ".";
        signals.push_back({name + words.at(3), static_cast<unsigned>(std::stoul(words[1]))});
      }
    }
    next_line();
  }
  /// Of the lines to come; those before any time have time 0.
  std::uint64_t time() const { return time_; }
  /// All of its present time.
  void copy_changes(std::ostream& to) {
    for (const std::uint64_t now = time_; time_ == now; next_line()) {
      if (line_.empty() || line_[0] == '#' || line_[0] == '$') continue;
      const bool is_vector = line_[0] == 'b' || line_[0] == 'r' || line_[0] == 's';
      const std::size_t id = is_vector ? line_.find(' ') + 1 : 1;
      to << line_.substr(0, id) << mark_ << line_.substr(id) << '\n';
    }
  }

 private:
  std::vector<std::string> up_to_end() {
    std::vector<std::string> words;
    for (std::string word; file_ >> word && word != "$end";) words.push_back(word);
    return words;
  }
  void next_line() {
    if (!std::getline(file_, line_))
      time_ = kEnd;
    else if (!line_.empty() && line_[0] == '#')
      time_ = std::stoull(line_.substr(1));
  }

  std::string path_;
  std::ifstream file_;
  char mark_;
  std::string line_;
  std::uint64_t time_ = 0;
};

}  // namespace

std::vector<std::vector<VcdSignal>> merge_vcd(const std::vector<std::string>& parts,
                                              const std::string& path) {
  std::vector<std::vector<VcdSignal>> signals(parts.size());
  std::deque<Part> open;
  std::ofstream file(path);
  file << "$timescale 1 ps $end\n";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    open.emplace_back(parts[i], static_cast<char>('A' + i));
    open.back().copy_header(file, signals[i]);
  }
  file << "$enddefinitions $end\n";
  for (;;) {
    std::uint64_t now = kEnd;
    for (const Part& part : open) now = std::min(now, part.time());
    if (now == kEnd) break;
    file << '#' << now << '\n';
    for (Part& part : open)
      if (part.time() == now) part.copy_changes(file);
  }
  if (!file.flush()) throw std::runtime_error("cannot write " + path + "; is the disk full?");
  return signals;
}

}  // namespace wafertlm
