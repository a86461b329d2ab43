// SPDX-License-Identifier: Apache-2.0
#include "tests/support/idle_paths.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace wafertlm::test {

std::vector<TimePs> expected_idle_times(const std::vector<std::string>& cases) {
  const TempFolder folder;
  std::string text;
  for (const std::string& entry : cases) text += entry + "\n";
  const std::string answers = folder.path() + "/times";
  const std::string command = "python3 '" WAFERTLM_SOURCE_DIR "/tests/timing/idle_paths.py' '" +
                              folder.write("cases", text) + "' > '" + answers + "'";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  std::vector<TimePs> times;
  std::ifstream in(answers);
  for (TimePs time = 0; in >> time;) times.push_back(time);
  if (times.size() != cases.size())
    throw std::runtime_error(std::to_string(times.size()) + " times for " + std::to_string(cases.size()) +
                             " cases");
  return times;
}

}  // namespace wafertlm::test
