# SPDX-License-Identifier: Apache-2.0
"""Random cases from the command line:  TEST WAFERTLM [--cases N] [--seed N]"""
import argparse
import os
import pathlib
import sys
import tempfile


def run(few, check, done):
    """`check(tool, seed, folder)` of `few` cases and more with WAFERTLM_CASES; names the seed that fails. @return the tool"""
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--cases", type=int, default=few * int(os.environ.get("WAFERTLM_CASES", "1")))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.cases):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(options.tool, seed, pathlib.Path(folder))
            except AssertionError:
                print(f"seed {seed}:", file=sys.stderr)
                raise
    print(f"{options.cases} {done}")
    return options.tool
