// SPDX-License-Identifier: Apache-2.0
#include "platform/report/instance_filter.h"

#include <fnmatch.h>

#include <algorithm>
#include <stdexcept>

#include "platform/text/quantity.h"
#include "platform/text/suggest.h"

namespace wafertlm {

InstanceFilter::InstanceFilter(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const auto wrong = [&](const std::string& why) {
      return std::invalid_argument(
          "--trace '" + text + "' names nothing to look at: " + why +
          "; expected INSTANCES, with @CLASS and :FROM-TO if need be, for example 'npu*@dp:0us-200us'");
    };
    Part part;
    const std::size_t colon = text.rfind(':');
    std::string rest = text.substr(0, colon);
    if (colon != std::string::npos) {
      const std::string window = text.substr(colon + 1);
      const std::size_t dash = window.find('-');
      if (dash == std::string::npos) throw wrong("the window has no '-'");
      try {
        part.from_ps = config::parse_time(window.substr(0, dash));
        part.to_ps = config::parse_time(window.substr(dash + 1));
      } catch (const std::invalid_argument& error) {
        throw wrong(error.what());
      }
      if (part.from_ps >= part.to_ps) throw wrong("the window is empty");
    }
    const std::size_t at = rest.find('@');
    if (at != std::string::npos) {
      part.traffic_class = rest.substr(at + 1);
      if (part.traffic_class.empty()) throw wrong("there is no class after '@'");
      rest.resize(at);
    }
    if (rest.empty()) throw wrong("there is no instance");
    part.glob = rest;
    parts_.push_back(std::move(part));
  }
}

void InstanceFilter::require_used(const std::vector<std::string>& instances,
                                  const std::vector<std::string>& classes) const {
  for (const Part& part : parts_) {
    if (std::none_of(instances.begin(), instances.end(), [&](const std::string& name) {
          return fnmatch(part.glob.c_str(), name.c_str(), 0) == 0;
        }))
      throw std::invalid_argument("--trace: nothing is called '" + part.glob +
                                  "'; there are such as npu3, hbm_3, io0, router0->router1 and l1_0->npu3, "
                                  "with the numbers and switches of the platform");
    if (part.traffic_class.empty() ||
        std::find(classes.begin(), classes.end(), part.traffic_class) != classes.end())
      continue;
    throw std::invalid_argument("--trace: there is no class '" + part.traffic_class + "'; there are " +
                                config::listed(classes));
  }
}

bool InstanceFilter::instance(const std::string& name) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const Part& part) { return fnmatch(part.glob.c_str(), name.c_str(), 0) == 0; });
}

bool InstanceFilter::takes(const std::string& name, const std::string& traffic_class, TimePs from_ps,
                           TimePs to_ps) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return from_ps < part.to_ps && to_ps >= part.from_ps &&
           (part.traffic_class.empty() || part.traffic_class == traffic_class) &&
           fnmatch(part.glob.c_str(), name.c_str(), 0) == 0;
  });
}

}  // namespace wafertlm
