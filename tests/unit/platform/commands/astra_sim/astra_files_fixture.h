// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "platform/commands/astra_sim/astra_files.h"
#include "platform/text/config_error.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::astra_sim {

inline const std::string kRing =
    "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n";
inline const std::string kThree =
    "topology: [ Ring, FullyConnected, Switch ]\nnpus_count: [ 4, 2, 3 ]\nbandwidth: [ 50, 25.5, 1e-9 ]\n"
    "latency: [ 500, 0.5, 0 ]\n";

class AstraFiles : public testing::Test {
 protected:
  test::TempFolder folder_;
  Files files_;

  Conversion converted(const std::string& network, const std::string& system,
                       const std::string& memory = "") {
    files_.network = folder_.write("network.yml", network);
    files_.system = folder_.write("system.json", system);
    files_.remote_memory = memory.empty() ? "" : folder_.write("memory.json", memory);
    return convert(files_);
  }
  /// The file of this number, without comments; "" if there is none.
  static std::string file_of(const Conversion& made, std::size_t number) {
    const auto files = yaml_files(made);
    return number < files.size() ? std::regex_replace(files[number].second, std::regex(" *#[^\n]*"), "") : "";
  }
  static std::string platform_of(const Conversion& made) { return file_of(made, 0); }
  static std::string experiment_of(const Conversion& made) { return file_of(made, 1); }
  std::string yaml(const std::string& system) { return platform_of(converted(kRing, system)); }
  /// The text without the path of the folder in front and the place in the file, which
  /// AstraFilesPlaces looks at.
  std::string without_place(const std::string& text) {
    EXPECT_EQ(text.rfind(folder_.path() + "/", 0), 0U) << text;
    return std::regex_replace(text.substr(folder_.path().size() + 1), std::regex("^([a-z.]*):[0-9]+:[0-9]+"),
                              "$1");
  }
  std::vector<std::string> warnings(const std::string& system, const std::string& memory = "") {
    std::vector<std::string> texts;
    const std::string file = memory.empty() ? "system.json: " : "memory.json: ";
    for (const Warning& each : converted(kRing, system, memory).warnings) {
      texts.push_back(without_place(each.text));
      EXPECT_EQ(texts.back().substr(0, file.size()), file);
      texts.back().erase(0, file.size());
    }
    return texts;
  }
  std::string said(const std::string& network, const std::string& system, const std::string& memory = "") {
    return test::refusal_of<config::ConfigError>([&] { converted(network, system, memory); });
  }
  std::string refused(const std::string& network, const std::string& system, const std::string& memory = "") {
    const std::string text = said(network, system, memory);
    return text.empty() ? "" : without_place(text);
  }
};

inline void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
}

using Texts = std::vector<std::string>;

}  // namespace wafertlm::astra_sim
