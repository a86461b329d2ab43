// SPDX-License-Identifier: Apache-2.0
#include "tests/support/vcd_file.h"

#include <fstream>
#include <sstream>

namespace wafertlm::test {
namespace {

/// Calls `declared` (name, bits) for each signal and `changed` (name, time, value) for each change.
template <typename Declared, typename Changed>
void read(const std::string& path, const Declared& declared, const Changed& changed) {
  std::ifstream file(path);
  std::map<std::string, std::string> name_of;
  std::vector<std::string> scopes;
  bool initial = false;
  std::uint64_t now = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string word, kind, bits, code, name;
    in >> word;
    if (word == "$scope") {
      in >> kind >> name;
      scopes.push_back(name);
    } else if (word == "$upscope") {
      scopes.pop_back();
    } else if (word == "$var") {
      in >> kind >> bits >> code >> name;
      std::string full;
      for (const std::string& scope : scopes) full += scope + ".";
      name_of[code] = full + name;
      declared(full + name, bits);
    } else if (word == "$dumpvars") {
      initial = true;
    } else if (word == "$end") {
      initial = false;
    } else if (word[0] == '#') {
      now = std::stoull(word.substr(1));
    } else if (word[0] == '0' || word[0] == '1' || word[0] == 'b') {
      const bool is_vector = word[0] == 'b';
      if (is_vector) in >> code;
      const std::string& signal = name_of.at(is_vector ? code : word.substr(1));
      const std::uint64_t value = std::stoull(is_vector ? word.substr(1) : word.substr(0, 1), nullptr, 2);
      if (!initial) changed(signal, now, value);
    }
  }
}

}  // namespace

VcdChanges read_vcd(const std::string& path) {
  VcdChanges changes;
  read(
      path, [&](const std::string& name, const std::string&) { changes[name]; },
      [&](const std::string& name, std::uint64_t at, std::uint64_t value) {
        changes[name].emplace_back(at, value);
      });
  return changes;
}

std::vector<std::string> vcd_signals(const std::string& path) {
  std::vector<std::string> signals;
  read(
      path,
      [&](const std::string& name, const std::string& bits) { signals.push_back(name + "[" + bits + "]"); },
      [](const std::string&, std::uint64_t, std::uint64_t) {});
  return signals;
}

}  // namespace wafertlm::test
