// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>

namespace wafertlm {

/// Runs work(0) … work(count − 1), each in a process of its own (SystemC allows one elaboration per process),
/// up to `jobs` at a time. `done` is called in order of the index, as soon as a result and all before it are
/// there. Results do not depend on `jobs`.
/// @throws std::invalid_argument or std::runtime_error with the text of what a `work` threw,
/// std::runtime_error if its process died; the other processes are ended then.
void run_in_children(std::size_t count, unsigned jobs, const std::function<nlohmann::json(std::size_t)>& work,
                     const std::function<void(std::size_t, const nlohmann::json&)>& done);

/// The same for one, and returns what it returned.
nlohmann::json run_in_child(const std::function<nlohmann::json()>& work);

}  // namespace wafertlm
