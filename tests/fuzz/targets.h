// SPDX-License-Identifier: Apache-2.0
// A target does with an input what a command does with a file; README.md says what that is.
#pragma once
#include <string>

namespace wafertlm::fuzz {

void astra_sim(const std::string& input);
void comm_groups(const std::string& input);
void config(const std::string& input);
void efficiency(const std::string& input);
void et(const std::string& input);
void et_gz(const std::string& input);
void json(const std::string& input);
void kineto(const std::string& input);
void msccl(const std::string& input);
void placement(const std::string& input);
void pytorch_et(const std::string& input);
void recording(const std::string& input);
void results(const std::string& input);

}  // namespace wafertlm::fuzz
