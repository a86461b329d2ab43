#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Errors planted into what models list and into what skips and plays: does run.acceleration: verify see each?

    planted_errors.py FOLDER [--only REGEX] [--list]

Copies the sources to FOLDER, plants all errors, each behind a switch (tests/mutation/switch.h), builds the tool once,
and runs presets that are cut as compare_presets.py cuts them, until one ends with what verify says. Of an error that
verify does not see, exact runs must give what runs without acceleration do: what it takes away follows from the rest
there. Takes a build and half an hour. Exit code 1: an error that nobody sees and that changes a result.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from compare_presets import EXPERIMENTS, SIZES, first_difference, run, without_what_may_differ

ROOT = pathlib.Path(__file__).parents[2]
PRESETS = ["resnet152_mesh", "transformer_17b_fred_d", "transformer_17b_mesh", "llama3_8b_fred_d", "dlrm_mesh",
           "llama3_8b_mesh"]
# What goes wrong; file; the line or part of it; what stands there instead ("": nothing).
ERRORS = [
    # Steady states: not compared, and not moved on.
    ("a line is not moved on as far as it should", "tlm/link/line.h", "return is_busy;",
     "free_at -= state.changes() && !state.at_rest(); return is_busy;"),
    ("a line's fraction is not compared", "tlm/link/line.h", "state.value(slack);", ""),
    ("credits are not compared", "tlm/link/credit_window.h", "state.value(credits);", ""),
    ("a promised credit stays where it was", "tlm/link/credit_window.h", "state.moment(at);", ""),
    ("a round-robin pointer is not compared", "tlm/link/cut_through_port.h", "state.value(next_input);", ""),
    ("a wake-up stays where it was", "tlm/kernel/wake_slot.h", "state.wake_up(at);", ""),
    ("a packet's head stays where it was", "tlm/link/packet_state.h", "state.moment(packet.ready_ps);", ""),
    ("a packet's tail stays where it was", "tlm/link/packet_state.h", "state.moment(packet.tail_ps);", ""),
    ("a packet keeps its place in the message", "tlm/link/packet_state.h", "state.count(packet.offset);", ""),
    ("an engine stays where it was", "models/endpoint/injector.cpp",
     "pace.list_state(state, packet_waiting ? StateVisitor::OnceOver::matters : StateVisitor::OnceOver::memory);", ""),
    ("an engine that waits for a packet of its message is not listed", "models/endpoint/injector.cpp",
     "if (packet_waiting || waits) list_active(active_message, state);", "if (packet_waiting) list_active(active_message, state);"),
    ("whose turn it is is not compared", "models/endpoint/injector.cpp", "state.derived(message->place);", ""),
    ("a flow's packets in a switch are not moved on", "tlm/link/flow_branch.h", "state.count(gone);", ""),
    ("a message's bytes are not moved on", "tlm/acceleration/steady_states.cpp", "state.count(each->injected_bytes);", ""),
    # Steady states: what they do.
    ("a skip is a period too long", "tlm/acceleration/steady_states.cpp",
     "MoveState move(at, component.growth, component.period_ps, periods);",
     "MoveState move(at, component.growth, component.period_ps, periods + (periods >> 63 ? 0 : 1));"),
    ("a stretch is put back a period too late", "tlm/acceleration/steady_states.cpp",
     "MoveState move(at, component.growth, component.period_ps, periods);",
     "MoveState move(at, component.growth, component.period_ps, periods + (periods >> 63 ? 1 : 0));"),
    ("nothing is asked for after a skip", "tlm/acceleration/steady_states.cpp",
     "  move(component, now, periods);\n  ask_again(component);", "  move(component, now, periods);"),
    # Episodes.
    ("the order of idle engines is not put back", "models/endpoint/injector.cpp", "state.value(longer);", ""),
    ("no value is put back", "tlm/acceleration/rest_record.h", "value = values_[next_value_++];", "++next_value_;"),
    ("counts do not grow", "tlm/acceleration/rest_record.h", "count += growth_[next_count_++];", "++next_count_;"),
    ("an operation ends a picosecond late", "tlm/acceleration/episodes.cpp", "planned_ps_ = start_ps_ + node_->outputs[seen_].after_ps;",
     "planned_ps_ = start_ps_ + node_->outputs[seen_].after_ps + 1;"),
]


def planted():
    """By file, the text with its errors, each behind its switch; all of a place in one line, so that they can be on one by one."""
    texts = {}
    for number, (what, name, good, bad) in enumerate(ERRORS, 1):
        text = texts.get(name) or (ROOT / name).read_text()
        if good not in text:
            sys.exit(f"{name}: there is no longer '{good}' ({what})")
        at = text.rindex(good)
        if "MoveState move(" in good:
            argument = bad[bad.index("periods + "):-2]
            changed = f"if (wafertlm_mutation::on({number})) periods = {argument};\n  {good}"
        elif bad:
            changed = f"if (wafertlm_mutation::on({number})) {{ {bad} }} else {{ {good} }}"
        else:
            changed = f"if (!wafertlm_mutation::on({number})) {{ {good} }}"
        text = text[:at] + changed + text[at + len(good):]
        include = '#include "tests/mutation/switch.h"\n'
        if include not in text:
            text = text.replace("#include", include + "#include", 1)
        texts[name] = text
    return texts


def build(folder):
    """A folder from an earlier time is brought up to date."""
    source = folder / "source"
    texts = planted()
    for name in subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n"):
        if not name:
            continue
        content = texts[name].encode() if name in texts else (ROOT / name).read_bytes()
        file = source / name
        if file.exists() and file.read_bytes() == content:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        shutil.copymode(ROOT / name, file)
    subprocess.run(["./build.sh", "release", "wafertlm"], cwd=source, check=True)
    return source / "build" / "wafertlm"


def settings_of(preset):
    return next(of for name, of in SIZES if preset.startswith(name))


def changed_result(tool, number, limit, right):
    """A preset and a field that the error changes in an exact run, or None. `right` keeps what is right, by preset."""
    with tempfile.TemporaryDirectory() as folder:
        for preset in PRESETS:
            def results(mode, number):
                os.environ["WAFERTLM_MUTANT"] = str(number)
                path = EXPERIMENTS / f"{preset}.yaml"
                return without_what_may_differ(run(tool, path, mode, settings_of(preset), limit, pathlib.Path(folder) / mode)[1])
            if preset not in right:
                right[preset] = results("off", 0)
            if found := first_difference(results("exact", number), right[preset]):
                return preset, found
    return None


VERIFIED = "acceleration: "  # what verify says begins with it


def seen_by(tool, number, limit):
    """How the first run ends that verify ends, else the first that does not end well: preset and message; else None."""
    env = {**os.environ, "WAFERTLM_MUTANT": str(number)}
    otherwise = None
    with tempfile.TemporaryDirectory() as folder:
        for preset in PRESETS:
            settings = settings_of(preset)
            words = [tool, "run", EXPERIMENTS / f"{preset}.yaml", "--out", f"{folder}/out", "--force"]
            for setting in [*settings, "run.acceleration=verify"]:
                words += ["--set", setting]
            try:
                done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=limit)
            except subprocess.TimeoutExpired:
                otherwise = otherwise or (preset, f"no end within {limit} s")
                continue
            if VERIFIED in done.stderr:
                return preset, done.stderr[done.stderr.index(VERIFIED):].splitlines()[0]
            if done.returncode != 0:
                otherwise = otherwise or (preset, done.stderr.strip().splitlines()[-1])
            elif number == 0:
                print(f"  {preset}: nothing planted, no difference", flush=True)
    return otherwise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", type=re.compile, help="errors whose description has this")
    parser.add_argument("--limit", type=int, default=600, help="seconds for a run")
    parser.add_argument("--list", action="store_true", help="only print the errors")
    given = parser.parse_args()
    chosen = [n for n, error in enumerate(ERRORS, 1) if not given.only or given.only.search(error[0])]
    if given.list:
        return print("\n".join(f"{n:2} {ERRORS[n - 1][0]}: {ERRORS[n - 1][1]}" for n in chosen))
    tool = build(given.folder)
    if wrong := seen_by(tool, 0, given.limit):
        sys.exit(f"{wrong[0]} differs without any error: {wrong[1]}")
    verified = otherwise = harmless = 0
    right = {}
    for number in chosen:
        seen = seen_by(tool, number, given.limit)
        if seen:
            verified += VERIFIED in seen[1]
            otherwise += VERIFIED not in seen[1]
            said = f"{seen[0]}: {seen[1][:200]}"
        elif wrong := changed_result(tool, number, 10 * given.limit, right):
            said = f"NOT SEEN, and changes {wrong[0]}: {wrong[1]}"
        else:
            harmless += 1
            said = "changes no result"
        print(f"{number:2} {ERRORS[number - 1][0]}: {said}", flush=True)
    print(f"of {len(chosen)} errors {verified} seen by verify, {otherwise} by other checks, {harmless} that change no result")
    return verified + otherwise + harmless != len(chosen)


if __name__ == "__main__":
    sys.exit(main())
