# SPDX-License-Identifier: Apache-2.0
"""A program with two FRED switches for `wafertlm rtl stress`, built against the installed package."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
RTL = ROOT / "models/fred/rtl"
# One interconnect that ends in switches of 3 ports, and two of two levels that end in 2. Few channels and credits: all run out.
DESIGNS = {"fred5": "P=5 M=2 PLANES=1 W=64 VC=4 DEPTH=36 OUT_DEPTH=36 FLOWS=8 SLOTS=8",
           "fred7": "P=7 M=4 PLANES=2 W=32 VC=2 DEPTH=12 OUT_DEPTH=9 FLOWS=4 SLOTS=8"}
LATENCY = {"fred5": 7, "fred7": 7}
PACKAGES = ["mutant_pkg", "fred_pkg", "fred_mutation_pkg", "bf16_pkg"]


def sources(folder):
    """Packages first."""
    packages = [path for path in (folder / f"{name}.sv" for name in PACKAGES) if path.exists()]
    return packages + sorted(path for path in folder.glob("*.sv") if path not in packages)


def write_if_other(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def build(out, build_folder, rtl, name, options, jobs):
    """The program NAME in OUT/project with the sources in RTL, of the installed build; its path."""
    project = out / "project"
    project.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cmake", "--install", build_folder, "--prefix", out / "install"], check=True, stdout=subprocess.DEVNULL)
    files = " ".join(str(path) for path in sources(rtl))
    lines = ["cmake_minimum_required(VERSION 3.25)", "project(Stress LANGUAGES C CXX)", "set(CMAKE_CXX_STANDARD 17)", "find_package(WaferTLM REQUIRED)"]
    for design, parameters in DESIGNS.items():
        lines.append(f"wafertlm_add_rtl(NAME {design} TOP fred_switch PROTOCOL credit_stream CONFIGURATION fred LATENCY {LATENCY[design]} TURNS 8 "
                     f"INCLUDE_DIRS {rtl} PARAMETERS {parameters} SOURCES {files} VERILATOR_OPTIONS {options})")
    write_if_other(project / "CMakeLists.txt", "\n".join(lines + [f"wafertlm_add_tool({name})"]) + "\n")
    configure = ["cmake", "-S", project, "-B", project / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={out / 'install'}"]
    with open(out / "build.log", "w", encoding="utf-8") as log:
        for command in configure, ["cmake", "--build", project / "build", "-j", str(jobs)]:
            if subprocess.run(command, check=False, stdout=log, stderr=subprocess.STDOUT).returncode:
                raise SystemExit(f"the program does not build: see {out / 'build.log'}")
    return project / "build" / name
