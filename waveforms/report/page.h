// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace wafertlm {

/// The report's page: charts, scripts and styles in one, with "@DATA@" where its JSON goes.
std::string_view report_page();

}  // namespace wafertlm
