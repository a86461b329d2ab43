// SPDX-License-Identifier: Apache-2.0
#include "platform/text/wrap.h"

#include <sstream>

namespace wafertlm {

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent,
                    const std::string& mark) {
  std::string done;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!done.empty()) done += '\n';
    std::size_t lead = line.find_first_not_of(' ');
    if (lead == std::string::npos) continue;
    while (line.size() > width) {
      const std::size_t room = width - mark.size();
      std::size_t at = line.rfind(' ', room);
      if (at == std::string::npos || at <= lead) at = line.find(' ', room);
      if (at == std::string::npos) break;
      done += line.substr(0, at) + mark + '\n';
      line = indent + line.substr(line.find_first_not_of(' ', at));
      lead = indent.size();
    }
    done += line;
  }
  return done;
}

}  // namespace wafertlm
