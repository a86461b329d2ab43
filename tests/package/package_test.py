#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The packages of a build: Debian's in a root of their own, installed, used, removed; the tar.gz, unpacked:  package_test.py BUILD_DIR CXX"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CXX = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)


def run(*words, code=0, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    assert done.returncode == code, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def cpack(kind, to, *more):
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", kind, "-B", to, *more, cwd=BUILD, umask=0o077)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        cpack("DEB", cls.path / "packages", "-D", "CPACK_COMPONENTS_ALL=runtime;development", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none")  # sooner
        cls.packages = {each.name.split("_")[0]: each for each in (cls.path / "packages").glob("*.deb")}
        cls.root = cls.path / "root"
        for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates"):
            (cls.root / folder).mkdir(parents=True)
        (cls.root / "var/lib/dpkg/status").touch()
        cls.dpkg("--install", *cls.packages.values())
        cls.program = cls.root / "usr/bin/wafertlm"

    @classmethod
    def dpkg(cls, *words):
        """A root with nothing in it but our packages: what they depend on is the system's."""
        return run("dpkg", f"--root={cls.root}", "--force-not-root", "--force-unsafe-io", "--force-depends", "--force-script-chrootless", "--log=/dev/null", "--path-include=/usr/*", *words)

    def tool(self, *words, code=0):
        """The installed program, with the environment of somebody who has just logged in."""
        return run(self.program, *words, code=code, cwd=self.path, env={"PATH": f"{self.root}/usr/bin:/usr/bin:/bin", "HOME": str(self.path)})

    def test_it_depends_on_what_it_links(self):
        self.assertEqual(set(self.packages), {"wafertlm", "libwafertlm-dev"})
        depends = {re.split(r"[ :(]", each.strip())[0] for each in run("dpkg-deb", "-f", self.packages["wafertlm"], "Depends").split(",")}
        needed = re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", self.program))
        self.assertGreaterEqual(len(needed), 10)
        files = dict(re.findall(r"(\S+) => (\S+)", run("ldd", self.program)))
        owners = set()
        for library in needed:
            if library not in files:
                continue  # the loader
            path = os.path.realpath(files[library])
            found = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True, check=False).stdout or run("dpkg", "-S", path.replace("/usr/lib", "/lib", 1))
            owners.add(found.split(":")[0])
        self.assertLessEqual(owners, depends)
        self.assertIn("wafertlm", run("dpkg-deb", "-f", self.packages["libwafertlm-dev"], "Depends"))

    def test_the_target_packages_builds_all_that_is_in_them(self):
        built = {pathlib.Path(line).name for line in run("ninja", "-C", BUILD, "-t", "inputs", "packages").splitlines()}
        packed = set(re.findall(r"/(lib\w+\.a)$", run("dpkg-deb", "--contents", self.packages["libwafertlm-dev"]), re.MULTILINE))
        self.assertGreater(len(packed), 20)
        self.assertEqual((packed | {"wafertlm"}) - built, set())
        self.assertFalse([name for name in built if name.endswith("_tests")])

    def test_modes_and_hardening(self):
        for package in self.packages.values():  # built under umask 077
            modes = {line.split()[0] for line in run("dpkg-deb", "--contents", package).splitlines()}
            self.assertLessEqual(modes, {"drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x"}, package)
        dynamic = run("objdump", "-p", self.program)
        self.assertRegex(dynamic, r"FLAGS_1 +0x0*8000001\b")  # BIND_NOW and PIE
        self.assertIn("RELRO", dynamic)

    def test_presets_are_found_by_name(self):
        configs = self.root / "usr/share/wafertlm/configs"
        text = self.tool("presets")
        self.assertIn(f"experiments, in {configs}/experiments", text)
        self.assertIn("\n  resnet50_dp20_mesh_5x4 ", text)
        self.assertIn("1.973 ms", self.tool("run", "resnet50_dp20_mesh_5x4", "--out", "out"))
        self.assertTrue((self.path / "out/results.json").exists())
        self.assertEqual((configs / "wafertlm.schema.json").read_text(), self.tool("schema"))
        # From a link to the program, too.
        (self.path / "bin").mkdir()
        (self.path / "bin/w").symlink_to(self.program)
        self.assertEqual(run(self.path / "bin/w", "presets"), text)

    def test_pages_and_completion(self):
        share = self.root / "usr/share"
        pages = {each.name for each in (share / "man/man1").iterdir()}
        self.assertLessEqual({"wafertlm.1", "wafertlm-run.1", "wafertlm-explain.1"}, pages)
        self.assertEqual((share / "man/man1/wafertlm-run.1").read_text(), self.tool("man", "run"))
        bash = share / "bash-completion/completions/wafertlm"
        self.assertIn("_wafertlm", run("bash", "-c", f"source {bash}; complete -p wafertlm"))
        for shell, file in (("bash", bash), ("zsh", share / "zsh/vendor-completions/_wafertlm"), ("fish", share / "fish/vendor_completions.d/wafertlm.fish")):
            self.assertEqual(file.read_text(), self.tool("completion", shell))

    def test_the_examples_run(self):
        examples = self.path / "examples"
        shutil.copytree(self.root / "usr/share/doc/wafertlm/examples", examples)
        example = examples / "half_the_links.yaml"
        example.write_text(example.read_text().replace("/usr/share", f"{self.root}/usr/share"))  # the root is not ours
        self.assertIn("half the link bandwidth", self.tool("run", example, "--out", "half"))

    def test_python_finds_the_program_beside_it(self):
        modules = self.root / "usr/lib/python3/dist-packages"
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.path), "PYTHONPATH": str(modules)}

        def python(*words):
            return run("/usr/bin/python3", *words, env=environment, cwd=self.path)

        self.assertIn("usage: python3 -m wafertlm", python("-m", "wafertlm", "--help"))
        self.assertEqual(python("-m", "wafertlm", "where").split(), ["package", str(modules / "wafertlm"), "program", str(self.program)])
        script = "import wafertlm; print(wafertlm.run('resnet50_dp20_mesh_5x4').iteration_time_s)"
        self.assertAlmostEqual(float(python("-c", script)), 1.973e-3, places=6)
        self.assertTrue((modules / "wafertlm/__pycache__").exists())  # that removal takes along
        self.assertEqual(len(list((self.root / "usr/share/doc/wafertlm/notebooks").iterdir())), 3)
        self.assertIn("python3 (>= 3.11)", run("dpkg-deb", "-f", self.packages["wafertlm"], "Recommends"))

    def test_pkg_config_and_cmake_package(self):
        lib = next((self.root / "usr").glob("**/pkgconfig"))
        environment = {**os.environ, "PKG_CONFIG_PATH": str(lib)}
        flags = run("pkg-config", "--static", "--cflags", "--libs", "wafertlm", env=environment).split()
        consumer = pathlib.Path(__file__).resolve().parents[1] / "consumer/main.cpp"
        run(CXX, consumer, "-o", self.path / "consumer", *flags)
        self.assertIn("5462 ps", run(self.path / "consumer"))
        config = next((self.root / "usr").glob("**/WaferTLMConfig.cmake"))
        self.assertTrue((config.parent / "WaferTLMTargets.cmake").exists())

    def test_z_removed_without_a_trace(self):
        self.dpkg("--remove", "libwafertlm-dev", "wafertlm")
        left = [str(each) for each in (self.root).rglob("*") if "var/lib/dpkg" not in str(each) and not each.is_dir()]
        self.assertEqual(left, [])
        self.assertFalse((self.root / "usr/share/wafertlm").exists())
        self.assertFalse((self.root / "usr/lib/python3").exists())


class Archive(unittest.TestCase):
    """The tar.gz, unpacked where nobody thought of."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        cpack("TGZ", cls.path / "packages")
        archive, = (cls.path / "packages").glob("*.tar.gz")
        place = cls.path / "some where"
        place.mkdir()
        run("tar", "-xzf", archive, "-C", place)
        cls.root, = place.iterdir()
        assert re.fullmatch(r"wafertlm-[0-9.]+-linux", cls.root.name) and archive.name == f"{cls.root.name}.tar.gz", archive
        cls.environment = {"PATH": "/usr/bin:/bin", "HOME": str(cls.path)}

    def test_it_brings_what_it_links_but_the_c_library(self):
        from_the_system = []
        for name, file in re.findall(r"(\S+) => (.+) \(0x", run("ldd", self.root / "bin/wafertlm", env=self.environment)):
            if pathlib.Path(os.path.realpath(file)).parent != self.root / "lib/wafertlm":
                from_the_system.append(name)
        self.assertLessEqual(set(from_the_system), {"libc.so.6", "libm.so.6", "libmvec.so.1"})
        licences = {each.name for each in (self.root / "lib/wafertlm").glob("*.copyright")}
        self.assertLessEqual({"libsystemc.copyright", "libstdc++6.copyright"}, licences)

    def test_a_preset_runs_by_its_name(self):
        text = run(self.root / "bin/wafertlm", "run", "resnet50_dp20_mesh_5x4", env=self.environment, cwd=self.path)
        self.assertIn("1.973 ms", text)
        self.assertIn(f"in {self.root}/share/wafertlm/configs", run(self.root / "bin/wafertlm", "presets", env=self.environment))

    def test_it_runs_in_a_root_with_nothing_but_the_c_library(self):
        root = self.path / "root"
        (root / "proc").mkdir(parents=True)
        libraries = re.findall(r"(/\S*/(?:libc|libm|libmvec)\.so\.\d|/lib\S*/ld-linux\S*)", run("ldd", self.root / "bin/wafertlm", env=self.environment))
        self.assertGreaterEqual(len(libraries), 3)
        for library in libraries:
            (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, root / library[1:])
        shutil.copytree(self.root, root / "opt/w", symlinks=True)
        inside = ["unshare", "--map-root-user", "--pid", "--fork", f"--root={root}", "--mount-proc"]
        if subprocess.run([*inside, "/opt/w/bin/wafertlm", "--version"], capture_output=True, check=False).stderr.startswith(b"unshare: "):
            self.skipTest("no namespaces here")
        self.assertIn("1.973 ms", run(*inside, "/opt/w/bin/wafertlm", "run", "resnet50_dp20_mesh_5x4", "--out", "/out"))
        self.assertTrue((root / "out/results.json").exists())

    def test_python_pages_and_completion_are_in_it(self):
        environment = {**self.environment, "PYTHONPATH": str(self.root / "lib/python3/dist-packages"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.assertIn(str(self.root / "bin/wafertlm"), run("/usr/bin/python3", "-m", "wafertlm", "where", env=environment))
        for file in ("share/man/man1/wafertlm-run.1", "share/bash-completion/completions/wafertlm", "share/doc/wafertlm/notebooks/own_wafer.ipynb"):
            self.assertTrue((self.root / file).is_file(), file)
        self.assertFalse((self.root / "include").exists())
        modes = {oct(each.stat().st_mode & 0o777) for each in self.root.rglob("*") if each.is_dir()}
        self.assertEqual(modes, {"0o755"})


if __name__ == "__main__":
    unittest.main()
