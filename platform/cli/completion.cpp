// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/completion.h"

#include <fmt/format.h>

#include <map>

namespace wafertlm {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
  return fmt::format("{}", fmt::join(words, between));
}

/// "first|second" for a pattern of `case`.
std::string pattern(const std::vector<std::string>& words) { return joined(words, "|"); }

bool has_value(const ShownOption& option) { return !option.is_positional && !option.value.empty(); }

std::string names_of_commands(const ShownCommand& command) {
  std::vector<std::string> names;
  for (const ShownCommand& each : command.commands) names.push_back(each.name);
  return joined(names);
}

std::string names_of_options(const ShownCommand& command) {
  std::vector<std::string> names;
  for (const ShownOption& each : command.options)
    if (!each.is_positional) names.insert(names.end(), each.names.begin(), each.names.end());
  return joined(names);
}

/// Long lists of words that several options offer, each once.
class Offers {
 public:
  explicit Offers(const ShownCommand& root) {
    for (const ShownCommand* command : flattened(root))
      for (const ShownOption& option : command->options)
        if (!option.offers.empty()) names_.emplace(joined(option.offers), names_.size());
  }
  /// "offers_3", the variable that has them.
  std::string name(const ShownOption& option) const {
    return fmt::format("offers_{}", names_.at(joined(option.offers)));
  }
  /// A line for each, of this form.
  template <class Line>
  std::string lines(const Line& line) const {
    std::string text;
    for (const auto& [words, number] : names_) text += line(fmt::format("offers_{}", number), words);
    return text;
  }

 private:
  std::map<std::string, std::size_t> names_;
};

/// Of the command's first argument.
const ShownOption* offering_argument(const ShownCommand& command) {
  for (const ShownOption& each : command.options)
    if (each.is_positional) return each.offers.empty() ? nullptr : &each;
  return nullptr;
}

/// In bash and zsh: finds the command (`path`) in the words that `typed` stands for, and sets `words` by it
/// and the word before (`previous`).
std::string search_for_words(const ShownCommand& root, const char* typed) {
  const Offers offers(root);
  std::string text = offers.lines([](const std::string& name, const std::string& words) {
    return fmt::format("  local {}='{}'\n", name, words);
  });
  text += fmt::format("  for word in {}; do\n    case \"$path $word\" in\n", typed);
  for (const ShownCommand* command : flattened(root))
    if (command != &root) text += fmt::format("      '{}') path=\"$path $word\" ;;\n", command->path);
  text += "    esac\n  done\n  case \"$path\" in\n";
  for (const ShownCommand* command : flattened(root)) {
    text += fmt::format("    '{}')\n      case \"$previous\" in\n", command->path);
    for (const ShownOption& option : command->options)
      if (has_value(option))
        text += fmt::format(
            "        {}) words={} takes_value=1 ;;\n", pattern(option.names),
            option.offers.empty() ? "'" + joined(option.choices) + "'" : "$" + offers.name(option));
    const ShownOption* const argument = offering_argument(*command);
    text += fmt::format(
        "      esac\n"
        "      if [[ -z $takes_value ]]; then\n"
        "        if [[ $current == -* ]]; then words='{}'; else words='{}'{}; fi\n"
        "      fi ;;\n",
        names_of_options(*command), names_of_commands(*command),
        argument == nullptr ? "" : "\" $" + offers.name(*argument) + "\"");
  }
  return text + "  esac\n";
}

std::string fish_quoted(const std::string& text) {
  std::string done = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') done += '\\';
    done += c;
  }
  return done + "'";
}

}  // namespace

std::string bash_completion(const ShownCommand& root) {
  return fmt::format(
      "# bash completion of wafertlm, made by `wafertlm completion bash`\n"
      "_wafertlm() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local path=wafertlm word words='' takes_value=''\n"
      "{}"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  # A key goes on with its value.\n"
      "  [[ ${{COMPREPLY[0]}} != *= ]] || compopt -o nospace 2>/dev/null\n"
      "}}\n"
      "# Without a word of ours, a file.\n"
      "complete -o default -F _wafertlm wafertlm\n",
      search_for_words(root, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\""));
}

std::string zsh_completion(const ShownCommand& root) {
  return fmt::format(
      "#compdef wafertlm\n"
      "# zsh completion of wafertlm, made by `wafertlm completion zsh`\n"
      "_wafertlm() {{\n"
      "  local found\n"
      "  found=$(_wafertlm_words \"${{words[CURRENT]}}\" \"${{words[CURRENT-1]}}\" "
      "\"${{(@)words[2,CURRENT-1]}}\")\n"
      "  if [[ $found == *= ]]; then compadd -S '' -- ${{=found}}\n"
      "  elif [[ -z $found ]] || ! compadd -- ${{=found}}; then _files; fi\n"
      "}}\n"
      "_wafertlm_words() {{\n"
      "  local current=$1 previous=$2 path=wafertlm word words='' takes_value=''\n"
      "  shift 2\n"
      "{}"
      "  print -r -- \"$words\"\n"
      "}}\n"
      "compdef _wafertlm wafertlm\n",
      search_for_words(root, "\"$@\""));
}

std::string fish_completion(const ShownCommand& root) {
  const Offers offers(root);
  std::string text = "# fish completion of wafertlm, made by `wafertlm completion fish`\n";
  text += offers.lines([](const std::string& name, const std::string& words) {
    return fmt::format("set -g __wafertlm_{} {}\n", name, fish_quoted(words));
  });
  text +=
      "function __wafertlm_at\n"
      "  set -l path wafertlm\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    switch \"$path $word\"\n";
  for (const ShownCommand* each : flattened(root))
    if (each != &root)
      text += fmt::format("      case '{}'\n        set path '{}'\n", each->path, each->path);
  text += "    end\n  end\n  test \"$path\" = \"$argv\"\nend\n";
  for (const ShownCommand* command : flattened(root)) {
    const std::string at = fmt::format("complete -c wafertlm -n '__wafertlm_at {}'", command->path);
    for (const ShownCommand& each : command->commands)
      text += fmt::format("{} -f -a {} -d {}\n", at, each.name, fish_quoted(each.description));
    if (const ShownOption* const argument = offering_argument(*command))
      text += fmt::format("{} -a \"$__wafertlm_{}\"\n", at, offers.name(*argument));
    for (const ShownOption& option : command->options) {
      if (option.is_positional) continue;
      text += at;
      for (const std::string& name : option.names)
        text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (has_value(option)) text += " -r";
      if (!option.offers.empty()) text += " -a \"$__wafertlm_" + offers.name(option) + "\"";
      if (!option.choices.empty()) text += " -f -a " + fish_quoted(joined(option.choices));
      text += " -d " + fish_quoted(option.description) + "\n";
    }
  }
  return text;
}

}  // namespace wafertlm
