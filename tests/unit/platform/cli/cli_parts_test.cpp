// SPDX-License-Identifier: Apache-2.0
// The command line of a small program: what all commands take, its help, pages and completions.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "platform/cli/common_options.h"
#include "platform/cli/completion.h"
#include "platform/cli/help_format.h"
#include "platform/cli/man_page.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/text/wrap.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using TypedWords = std::vector<std::string>;

/// wafertlm run FILE [--set TEXT] [--kind {a, b}] [-n]; trace info, which only prints JSON; report, whose
/// --json is a file; one command that is hidden.
struct SmallProgram {
  CLI::App app{"A small program", "wafertlm"};
  std::string file, set, kind, json;
  bool flag = false;

  SmallProgram() {
    CLI::App* run = app.add_subcommand("run", "Runs");
    run->add_option("FILE", file, "What to run")->required();
    run->add_option("--set", set, "A key");
    run->add_option("-k,--kind", kind, "Which")->check(CLI::IsMember({"a", "b"}));
    run->add_flag("-n", flag, "Don't");
    CLI::App* info = app.add_subcommand("trace", "Traces")->add_subcommand("info", "What is there");
    add_json_flag(*info, flag);
    CLI::App* report = app.add_subcommand("report", "Writes");
    report->add_option("--json", json, "A file of JSON");
    app.add_subcommand("hidden", "Not shown")->group("");
    app.footer("Examples:\n  wafertlm run a.yaml\n  wafertlm trace info \\\n    long\n  wafertlm tracer x");
  }
};

struct WordsRow {
  const char* name;
  TypedWords words, rest;
  const char* flags;  // q, v, c; then the JSON's place; ! in place of text
};

class CommonWords : public testing::TestWithParam<WordsRow> {};

TEST_P(CommonWords, AreTakenOutOfTheLine) {
  SmallProgram program;
  TypedWords words = GetParam().words;
  const CommonOptions found = take_common_options(program.app, words);
  EXPECT_EQ(words, GetParam().rest);
  EXPECT_EQ(std::string(found.is_quiet ? "q" : "") + (found.is_verbose ? "v" : "") +
                (found.has_no_colour ? "c" : "") + found.json + (found.json_in_place_of_text ? "!" : ""),
            GetParam().flags);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, CommonWords,
    testing::Values(
        WordsRow{"None", {"run", "a.yaml"}, {"run", "a.yaml"}, ""},
        WordsRow{"Quiet", {"-q", "run", "a.yaml"}, {"run", "a.yaml"}, "q"},
        WordsRow{"QuietBehind", {"run", "a.yaml", "--quiet"}, {"run", "a.yaml"}, "q"},
        WordsRow{"VerboseWithin", {"run", "-v", "a.yaml"}, {"run", "a.yaml"}, "v"},
        WordsRow{"NoColour", {"run", "--no-color", "--verbose", "x"}, {"run", "x"}, "vc"},
        WordsRow{"BehindDashesTheyAreWords", {"run", "-q", "--", "-v"}, {"run", "--", "-v"}, "q"},
        WordsRow{"Settings",
                 {"run", "--set", "a.b=1", "c[0]=2", "x.yaml"},
                 {"run", "--set", "a.b=1", "--set", "c[0]=2", "x.yaml"},
                 ""},
        WordsRow{"JsonAlone", {"trace", "info", "--json"}, {"trace", "info", "--json=-"}, "-"},
        WordsRow{
            "JsonToAFile", {"trace", "info", "--json", "x.json"}, {"trace", "info", "--json=-"}, "x.json!"},
        WordsRow{"JsonToTheOutput", {"trace", "info", "--json", "-"}, {"trace", "info", "--json=-"}, "-"},
        WordsRow{
            "JsonBeforeAWord", {"trace", "info", "--json", "job"}, {"trace", "info", "--json=-", "job"}, "-"},
        WordsRow{"JsonToAnyFile", {"trace", "info", "--json=x.txt"}, {"trace", "info", "--json=-"}, "x.txt!"},
        // A command that writes JSON itself keeps the file.
        WordsRow{"JsonOfItsOwn", {"report", "--json", "x.json"}, {"report", "--json=x.json"}, "x.json"},
        WordsRow{"JsonOfItsOwnAlone", {"report", "--json"}, {"report", "--json=-"}, "-"},
        WordsRow{"NoJson", {"run", "--json", "x.json"}, {"run", "--json", "x.json"}, ""}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(CommonWordsRefusal, NamesBoth) {
  SmallProgram program;
  TypedWords both = {"-q", "run", "-v"}, empty = {"trace", "info", "--json="};
  EXPECT_EQ(test::refusal_of([&] { take_common_options(program.app, both); }),
            "-q says less and -v says more; give one of them");
  EXPECT_EQ(test::refusal_of([&] { take_common_options(program.app, empty); }),
            "--json: the value is empty; give one, or leave it out");
}

TEST(PrintedToAFile, IsBackOnTheOutputBehindIt) {
  const test::TempFolder folder;
  const std::string file = folder.write("out", "a longer text than what is printed");
  testing::internal::CaptureStdout();
  std::printf("before ");
  {
    const PrintedTo to(file);
    std::printf("within");
  }
  std::printf("behind");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before behind");
  EXPECT_EQ(test::read_text(file), "within");
  EXPECT_EQ(test::refusal_of([&] { const PrintedTo to(folder.path() + "/no/out"); }),
            folder.path() + "/no/out cannot be written: No such file or directory");
}

TEST(ShownCommands, HaveTheirPathsOptionsAndChoices) {
  const SmallProgram program;
  const ShownCommand root = shown_command(program.app);
  TypedWords paths;
  for (const ShownCommand* each : flattened(root)) paths.push_back(each->path);
  EXPECT_EQ(paths, (TypedWords{"wafertlm", "wafertlm run", "wafertlm trace", "wafertlm trace info",
                               "wafertlm report"}));
  const ShownCommand& run = root.commands.at(0);
  ASSERT_EQ(run.options.size(), 5U);  // --help is the first
  const ShownOption &file = run.options[1], &set = run.options[2], &kind = run.options[3],
                    &flag = run.options[4];
  EXPECT_EQ(file.names, TypedWords{"FILE"});
  EXPECT_TRUE(file.is_positional && file.is_required);
  EXPECT_EQ(set.names, TypedWords{"--set"});
  EXPECT_EQ(set.value, "TEXT");
  EXPECT_FALSE(set.is_positional || set.is_required);
  EXPECT_EQ(kind.names, (TypedWords{"-k", "--kind"}));
  EXPECT_EQ(kind.choices, (TypedWords{"a", "b"}));
  EXPECT_EQ(flag.names, TypedWords{"-n"});
  EXPECT_EQ(flag.value, "");
}

TEST(Footers, TakeTheExamplesOfTheCommandFromAbove) {
  SmallProgram program;
  CLI::App* run = program.app.get_subcommand("run");
  EXPECT_EQ(footer_of(*run), "Examples:\n  wafertlm run a.yaml");
  EXPECT_EQ(footer_of(*program.app.get_subcommand("trace")->get_subcommand("info")),
            "Examples:\n  wafertlm trace info \\\n    long");
  EXPECT_EQ(footer_of(*program.app.get_subcommand("report")), "");
  run->footer("More.");
  EXPECT_EQ(footer_of(*run), "More.\nExamples:\n  wafertlm run a.yaml");
  run->footer("Example:\n  wafertlm run own.yaml");
  EXPECT_EQ(footer_of(*run), "Example:\n  wafertlm run own.yaml");
}

/// A command with each kind of option.
ShownCommand copying_command() {
  ShownCommand command;
  command.path = "wafertlm copy-it";
  command.name = "copy-it";
  command.description = "Copies .a\\b";
  command.footer = ".first\n  wafertlm copy-it x\nLast.";
  command.options = {{{"FROM"}, "FILE", "What", {}, {}, true, true},
                     {{"TO"}, "FILE", "Where", {}, {}, false, true},
                     {{"-f", "--form"}, "TEXT", "'Form'", {"et", "json"}, {}, false, false},
                     {{"--dry"}, "", "Only say", {}, {}, false, false}};
  return command;
}

// By man(7): hyphens are escaped, a line must not begin with a dot or a quote.
TEST(ManPages, AreInTheMacrosOfMan) {
  EXPECT_EQ(man_name(copying_command()), "wafertlm-copy-it");
  const std::string page = man_page(copying_command());
  EXPECT_EQ(page.substr(page.find(".SH NAME")),
            ".SH NAME\nwafertlm\\-copy\\-it \\- Copies .a\\eb\n"
            ".SH SYNOPSIS\n.B wafertlm copy\\-it\n[\\fIOPTIONS\\fR]\n\\fIFROM\\fR\n[\\fITO\\fR]\n"
            ".SH ARGUMENTS\n.TP\n\\fBFROM\\fR\nWhat\n.TP\n\\fBTO\\fR\nWhere\n"
            ".SH OPTIONS\n.TP\n\\fB\\-f\\fR, \\fB\\-\\-form\\fR \\fITEXT\\fR\n\\&'Form'\nOne of: et, json.\n"
            ".TP\n\\fB\\-\\-dry\\fR\nOnly say\n"
            ".SH NOTES\n\\&.first\n.nf\n  wafertlm copy\\-it x\n.fi\n.PP\nLast.\n"
            ".SH EXIT STATUS\n0 done, 1 the run failed, 2 bad input, 128 + N ended by signal N.\n");
  ShownCommand group;
  group.path = group.name = "wafertlm";
  group.commands = {copying_command()};
  const std::string above = man_page(group);
  EXPECT_NE(above.find(".SH COMMANDS\n.TP\n\\fBwafertlm\\-copy\\-it\\fR(1)\nCopies .a\\eb\n"),
            std::string::npos);
  EXPECT_NE(above.find(".SH SYNOPSIS\n.B wafertlm\n\\fICOMMAND\\fR\n"), std::string::npos);
}

TEST(FishCompletion, HasALineForEachCommandAndOption) {
  ShownCommand root;
  root.path = root.name = "wafertlm";
  root.commands = {copying_command()};
  const std::string text = fish_completion(root);
  EXPECT_NE(text.find("      case 'wafertlm copy-it'\n        set path 'wafertlm copy-it'\n"),
            std::string::npos);
  EXPECT_EQ(text.substr(text.find("complete")),
            "complete -c wafertlm -n '__wafertlm_at wafertlm' -f -a copy-it -d 'Copies .a\\\\b'\n"
            "complete -c wafertlm -n '__wafertlm_at wafertlm copy-it' -s f -l form -r -f -a 'et json' -d "
            "'\\'Form\\''\n"
            "complete -c wafertlm -n '__wafertlm_at wafertlm copy-it' -l dry -d 'Only say'\n");
}

TEST(Offers, OfArgumentsAndOptionsAreCompleted) {
  CLI::App app("A program", "wafertlm");
  std::string file, kind;
  std::vector<std::string> overrides;
  const WordList names = [] { return std::vector<std::string>{"fred_c", "fred_d"}; };
  CLI::App* run = app.add_subcommand("run", "Runs");
  run->add_option("FILE", file, "What")->check(completes(names));
  add_set_option(*run, overrides, [] { return std::vector<std::string>{"wafer.width"}; });
  EXPECT_EQ(run->help().find("fred_c"), std::string::npos) << "they may be many";
  const ShownCommand root = shown_command(app);
  EXPECT_EQ(root.commands[0].options[1].offers, names());
  const std::string bash = bash_completion(root), zsh = zsh_completion(root), fish = fish_completion(root);
  for (const std::string& script : {bash, zsh}) {
    EXPECT_NE(script.find("='fred_c fred_d'\n"), std::string::npos) << script;
    EXPECT_NE(script.find("='wafer.width='\n"), std::string::npos) << script;
  }
  EXPECT_NE(fish.find("set -g __wafertlm_offers_0 'fred_c fred_d'\n"), std::string::npos) << fish;
  EXPECT_NE(fish.find("'__wafertlm_at wafertlm run' -l set -r -a \"$__wafertlm_offers_1\""),
            std::string::npos);
}

TEST(Options, OfTheTableHaveOneMeaning) {
  CLI::App app("A program", "wafertlm");
  std::string out, again;
  CLI::Option* const option = add_shared_option(app, "--out", out, "a page");
  EXPECT_EQ(option->get_description(), "Where to write: a page");
  EXPECT_EQ(option->get_name(false, true), "-o,--out");
  EXPECT_EQ(option->get_type_name(), "PATH");
  EXPECT_THROW(option_row("--nothing"), std::logic_error);
  EXPECT_EQ(seconds_of("--limit", "1.5 s"), 1.5);
  EXPECT_NE(test::refusal_of([] { seconds_of("--limit", "x"); }).find("--limit x: "), std::string::npos);
  EXPECT_EQ(renaming_of_option("wafertlm libra", "--trace"), "; it is called --chakra now");
  EXPECT_EQ(renaming_of_option("wafertlm run", "--trace"), "");
}

struct CompletedRow {
  const char *name, *words, *current, *found;
};

class BashWords : public testing::TestWithParam<CompletedRow> {};

TEST_P(BashWords, AreThoseOfTheSmallProgram) {
  const SmallProgram program;
  const test::TempFolder folder;
  const std::string script = folder.write(
      "c.sh", bash_completion(shown_command(program.app)) + "COMP_WORDS=(wafertlm " + GetParam().words +
                  " '" + GetParam().current +
                  "')\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_wafertlm\necho \"${COMPREPLY[@]}\"\n");
  ASSERT_EQ(std::system(("bash " + script + " >" + folder.path() + "/out").c_str()), 0);
  EXPECT_EQ(test::read_text(folder.path() + "/out"), GetParam().found);
}

INSTANTIATE_TEST_SUITE_P(Lines, BashWords,
                         testing::Values(CompletedRow{"Commands", "", "", "run trace report\n"},
                                         CompletedRow{"Started", "", "r", "run report\n"},
                                         CompletedRow{"Below", "trace", "", "info\n"},
                                         CompletedRow{"Options", "run x", "--", "--help --set --kind\n"},
                                         CompletedRow{"Values", "run x --kind", "", "a b\n"},
                                         CompletedRow{"ShortValues", "run x -k", "b", "b\n"},
                                         CompletedRow{"AnyValue", "run x --set", "", "\n"},
                                         CompletedRow{"BehindAFlag", "trace -n", "i", "info\n"},
                                         CompletedRow{"BehindAFlagOfItsOwn", "run x -n", "--k", "--kind\n"},
                                         CompletedRow{"NotHidden", "", "h", "\n"}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(HelpTexts, GoOnInTheColumnOfTheDescription) {
  SmallProgram program;
  auto format = std::make_shared<HelpFormat>();
  format->column_width(20);
  program.app.formatter(format);
  program.app.add_flag(
      "--a-very-long-name-of-a-flag",
      "A description of more words than there is room for in a line, so that it goes on below, "
      "where it began");
  const std::string help = program.app.help();
  EXPECT_NE(
      help.find("  --a-very-long-name-of-a-flag\n"
                "                    A description of more words than there is room for in a line, so that "
                "it goes on\n"
                "                    below, where it began\n"),
      std::string::npos)
      << help;
  EXPECT_NE(help.find("\n  run               Runs\n"), std::string::npos) << help;
  EXPECT_NE(help.find("\n  wafertlm trace info \\\n    long\n"), std::string::npos) << help;
  EXPECT_EQ(help.find("hidden"), std::string::npos);
}

struct WrapRow {
  const char *text, *indent, *mark;
  std::size_t width;
  const char* lines;
};

class WrappedText : public testing::TestWithParam<WrapRow> {};

TEST_P(WrappedText, IsBrokenAtSpaces) {
  EXPECT_EQ(wrapped(GetParam().text, GetParam().width, GetParam().indent, GetParam().mark), GetParam().lines);
}

INSTANTIATE_TEST_SUITE_P(Texts, WrappedText,
                         testing::Values(WrapRow{"", "", "", 5, ""}, WrapRow{"ab cd", "", "", 5, "ab cd"},
                                         WrapRow{"ab cde", "", "", 5, "ab\ncde"},
                                         WrapRow{"ab cd", "", "", 4, "ab\ncd"},
                                         WrapRow{"a b c d", "  ", "", 3, "a b\n  c\n  d"},
                                         WrapRow{"aa bb cc", "", " \\", 7, "aa bb \\\ncc"},
                                         WrapRow{"abcdef gh", "", "", 3, "abcdef\ngh"}));

}  // namespace
}  // namespace wafertlm
