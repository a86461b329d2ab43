#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fabrics of kind `ethernet` through the tool:  ethernet_test.py WAFERTLM"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
PRESETS = pathlib.Path(__file__).resolve().parents[2] / "configs" / "platforms"
LEAF_SPINE = str(PRESETS / "ethernet_leaf_spine_32.yaml")
EFLOPS = str(PRESETS / "ethernet_eflops_64.yaml")
TYPES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter", "barrier")
# Section 1 of IEEE 802.3, RFC 791, RFC 768 and IBTA annex 17: preamble, MAC, IPv4, UDP, BTH, ICRC, FCS, gap; RETH in the first packet.
OVERHEAD, RETH, MTU = 8 + 14 + 20 + 8 + 12 + 4 + 4 + 12, 16, 4096


def wire(payload):
    return payload + OVERHEAD * -(-payload // MTU) + RETH


def run(*arguments):
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False)


class Ethernet(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def good(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def bad(self, text, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(text, done.stderr)

    def write(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text)
        return str(path)

    def platform(self, network, rest=""):
        return self.write("platform.yaml", "platform: p\nwafer:\n  fabric:\n    kind: ethernet\n    link_latency: 500 ns\n"
                          f"    network: {{{network}}}\n{rest}")

    def row(self, platform, *arguments):
        (row,) = json.loads(self.good("collective", platform, "--json", *arguments))["rows"]
        self.assertGreaterEqual(row["time_ps"], row["bound_ps"])
        return row

    def test_a_message_takes_its_frames_its_way_and_a_store(self):
        two = self.platform("topology: star, npus: 2, nic_bandwidth: 50 GB/s")
        for size in (1, 4096, 4097, 1 << 20):
            with self.subTest(size=size):
                row = self.row(two, "--type", "broadcast", "--size", f"{size}B", "--algorithm", "tree", "--set", "collectives.chunks=1")
                padding = 1 if size == 4097 else 0  # 63 bytes from header to FCS
                first = min(size, MTU) + OVERHEAD + RETH  # the switch stores it before it goes on
                self.assertEqual(row["time_ps"], 20 * (wire(size) + padding + first) + 2 * 500_000)

    def test_a_message_is_there_when_its_last_ack_is(self):
        two = self.platform("topology: star, npus: 2, nic_bandwidth: 50 GB/s")
        at = ("--type", "broadcast", "--size", "1MiB", "--algorithm", "tree", "--set", "collectives.chunks=1")
        row, acknowledged = self.row(two, *at), self.row(two, *at, "--set", "wafer.fabric.nics.completion=last_ack")
        # Preamble, MAC, IPv4, UDP, BTH, AETH, ICRC, FCS and gap, over two cables.
        self.assertEqual(acknowledged["time_ps"] - row["time_ps"], 2 * (500_000 + 20 * (OVERHEAD + 4)))

    def test_messages_with_queue_pairs_of_their_own_take_ways_of_their_own(self):
        slow_cables = self.platform("topology: leaf_spine, leaves: 2, npus_per_switch: 1, spines: 8, nic_bandwidth: 50 GB/s, "
                                    "switch_bandwidth: 6.25 GB/s")
        time = {}
        for connections in ("lasting", "per_message"):
            row = self.row(slow_cables, "--type", "broadcast", "--size", "1MiB", "--algorithm", "tree", "--set", "collectives.chunks=64",
                           "--set", f"wafer.fabric.nics.connections={connections}")
            time[connections] = row["time_ps"]
        self.assertGreaterEqual(time["lasting"], 160 * (1 << 20))
        # 64 draws of eight ways: more than a third on one of them has a chance of 1 in 100,000.
        self.assertLess(time["per_message"], time["lasting"] / 3)

    def test_parameters_of_congestion_control(self):
        marks = "    switches: {ecn_kmin: 20 kB, ecn_kmax: 40 kB}\n"
        base = "topology: star, npus: 5"
        at = ("--type", "gather", "--size", "64MiB", "--algorithm", "direct")

        def time(nics):
            return self.row(self.platform(base, marks + f"    nics: {{congestion_control: dcqcn{nics}}}\n"), *at)["time_ps"]

        given = ", parameters: {cnp_interval: 50 us, alpha_timer: 55 us, g: 0.00390625, additive_increase: 5 MB/s}"
        published = time("")
        self.assertEqual(time(given), published)
        self.assertLess(time(", rates_are_for: 5 GB/s"), published)
        self.bad("has no effect with congestion_control: dcqcn", "check",
                 self.platform(base, marks + "    nics: {congestion_control: dcqcn, parameters: {eta: 0.9}}\n"))
        for timer in ("alpha_timer", "increase_timer"):  # it would run for ever
            self.bad("a time from 1 ns", "check", self.platform(base, marks + f"    nics: {{congestion_control: dcqcn, parameters: {{{timer}: 0 s}}}}\n"))
        self.bad("low_rtt is longer than high_rtt", "check",
                 self.platform(base, "    nics: {congestion_control: timely, parameters: {low_rtt: 1 ms}}\n"))
        self.bad("none of whose parameters is a rate", "check",
                 self.platform(base, "    nics: {congestion_control: hpcc, rates_are_for: 5 GB/s}\n"))

    def test_every_collective_in_every_way_of_losing_and_repairing(self):
        base = "topology: leaf_spine, leaves: 2, npus_per_switch: 4, spines: 2, nic_bandwidth: 50 GB/s, switch_bandwidth: 25 GB/s"
        lossy = "timeout: 200 us, repair: selective_repeat"
        ways = {
            "pfc": "    switches: {buffer: 4 MB}\n",
            "drop": f"    switches: {{buffer: 300 kB, loss: drop}}\n    nics: {{{lossy}}}\n",
            "go back": "    switches: {buffer: 300 kB, loss: drop, ecn_kmin: 20 kB, ecn_kmax: 40 kB}\n"
                       "    nics: {timeout: 200 us, congestion_control: dctcp}\n",
            "trim": "    switches: {buffer: 4 MB, loss: trim, queue_limit: 50 kB, load_balancing: spray, ecn_kmin: 20 kB, ecn_kmax: 40 kB}\n"
                    f"    nics: {{{lossy}, reordering: 0, congestion_control: nscc}}\n",
            "receiver": "    switches: {buffer: 4 MB, loss: trim, queue_limit: 50 kB}\n"
                        f"    nics: {{{lossy}, reordering: 0, congestion_control: receiver_driven, queue_pairs: 2}}\n",
        }
        for name, rest in ways.items():
            platform = self.platform(base, rest)
            for kind in TYPES if name == "pfc" else ("all_reduce", "all_to_all"):
                with self.subTest(way=name, kind=kind):
                    row = self.row(platform, "--type", kind, "--size", "0B" if kind == "barrier" else "1MiB", "--set", "run.functional=true")
                    if kind != "barrier":
                        self.assertTrue(row["values_proven"])

    def test_every_topology(self):
        for network, npus in (("topology: fat_tree, switch_ports: 4", 16), ("topology: fat_tree, switch_ports: 4, oversubscription: 2", 32),
                              ("topology: rails, servers: 4, rails: 2, spines: 1", 8),
                              ("topology: dragonfly, groups: 3, routers: 2, npus_per_switch: 2, global_cables: 1", 12),
                              ("topology: bigraph, row: 2, npus_per_switch: 2", 8)):
            with self.subTest(network=network):
                platform = self.platform(network)
                self.assertIn(f"{npus} NPUs with a NIC", self.good("check", platform))
                self.row(platform, "--type", "all_to_all", "--size", "64KiB", "--set", "run.functional=true")

    def test_eflops_takes_its_bound_and_latency(self):
        """2 (P - 1)/P S/B with headers, and per step the way of the last packet, within 1 %: no message waits for another."""
        size = 1 << 21
        for npus, each in ((16, 1), (64, 4)):
            with self.subTest(npus=npus):
                sizes = ["wafer.fabric.network.row=8", f"wafer.fabric.network.npus_per_switch={each}"]
                sets = [word for each_set in sizes for word in ("--set", each_set)]
                time = self.row(EFLOPS, "--type", "all_reduce", "--size", f"{size}B", *sets)["time_ps"]
                expected, part = 0, size // 2
                while part >= size // npus:
                    last = (part - 1) % MTU + 1 + OVERHEAD
                    expected += 2 * (40 * wire(part) + 2 * 40 * last + 3 * 500_000)
                    part //= 2
                self.assertAlmostEqual(time / expected, 1, delta=.01)
                if npus == 64:
                    blocked = self.row(EFLOPS, "--type", "all_reduce", "--size", f"{size}B", *sets, "--set", "wafer.fabric.network.ranks=blocked")
                    self.assertGreater(blocked["time_ps"] / time, 1.3)

    def test_results_name_the_root_of_a_pause(self):
        platform = self.platform("topology: leaf_spine, leaves: 2, npus_per_switch: 2, spines: 1, nic_bandwidth: 50 GB/s, switch_bandwidth: 12.5 GB/s",
                                 "    switches: {buffer: 1 MB}\n")
        job = self.write("job.yaml", f"experiment: e\nplatform: {platform}\nworkload:\n  workload: w\n  layers: resnet50\n  data_parallel: 4\n"
                         "  batch_per_npu: 1\n  bytes_per_element: 2\n  effective_rate: 400 TFLOPS\niterations: 1\n")
        out = self.folder.name + "/out"
        self.good("run", job, "--out", out, "--set", "platform.collectives.by_type.all_reduce=direct")
        results = json.loads(pathlib.Path(out, "results.json").read_text())
        ports = {port["name"]: port for port in results["ethernet"]["ports"]}
        self.assertGreater(results["ethernet"]["pauses"], 0)
        self.assertEqual(results["ethernet"]["drops"], 0)
        for npu in range(4):  # the cable up is an eighth of what its leaf takes in
            self.assertEqual(ports[f"npu{npu}->leaf{npu // 2}"]["paused_by"][0]["name"], f"leaf{npu // 2}->spine0")
        paused = [port for port in ports.values() if port["paused_s"] > 0]
        self.assertTrue(paused)
        collectives = {each["id"] for each in results["collectives"]}
        for port in paused:
            self.assertAlmostEqual(sum(cause["paused_s"] for cause in port["paused_by"]), port["paused_s"], places=12)
            for cause in port["paused_by"]:
                self.assertLessEqual({each["id"] for each in cause["operations"]}, collectives)
                self.assertAlmostEqual(sum(each["paused_s"] for each in cause["operations"]), cause["paused_s"], places=12)
        ethernet = results["ethernet"]
        self.assertEqual(sum(each["messages"] for each in ethernet["connections"]), ethernet["messages"])
        self.assertEqual(sum(each["packets"] for each in ethernet["connections"]), ethernet["data_packets"])
        self.assertGreaterEqual(ethernet["slowdown"]["p50"], 1)
        self.assertGreater(ethernet["queue_bytes"]["p99"], 0)
        self.assertLess(ethernet["queue_bytes"]["most"], ethernet["most_queued_bytes"])  # without the packet itself
        said = self.good("explain", "--quick", out)
        self.assertRegex(said, r"\n  [0-9.]+ % of the exposed time is pause of npu[0-3]->leaf[01], because "
                               r"leaf[01]->spine0 takes too little: filled by all_reduce \d+\n")
        # What was resolved says the same again.
        again = self.folder.name + "/again"
        self.good("run", out + "/resolved.yaml", "--out", again)
        repeated = json.loads(pathlib.Path(again, "results.json").read_text())
        del results["host"], repeated["host"]
        self.assertEqual(results, repeated)

    def flows(self, platform, *arguments):
        out = self.folder.name + "/flows.json"
        text = self.good("traffic", platform, "--json", out, *arguments)
        return text, json.loads(pathlib.Path(out).read_text())

    def test_flows_of_an_incast_share_the_last_cable(self):
        star = self.platform("topology: star, npus: 5, nic_bandwidth: 50 GB/s")
        text, found = self.flows(star, "--pattern", "incast", "--hotspot", "3", "--flow", "1MiB")
        self.assertEqual([(each["from"], each["to"]) for each in found["flows"]], [(n, 3) for n in (0, 1, 2, 4)])
        last = max(each["completion_ps"] for each in found["flows"])
        self.assertEqual(last, 20 * (4 * wire(1 << 20) + MTU + OVERHEAD + RETH) + 2 * 500_000)
        self.assertEqual(found["packet_hops"], found["ethernet"]["data_packets"] * 4)  # and an ACK each
        self.assertIn("4 flows of 1 MiB", text)
        # Alone: all but the last packet at the rate of the cable, and the way of the last one. The first is longer.
        (text, found) = self.flows(star, "--pattern", "permutation", "--permutation", self.write("p.txt", "2 0"), "--flow", "1MiB")
        packet = MTU + OVERHEAD
        alone = 20 * (wire(1 << 20) - packet) + 2 * 20 * packet + 2 * 500_000
        (flow,), (row,) = found["flows"], found["ethernet"]["connections"]
        self.assertAlmostEqual(row["slowdown_most"], flow["completion_ps"] / alone, places=9)
        self.assertAlmostEqual(row["completion_most_s"], flow["completion_ps"] * 1e-12, places=15)
        self.assertEqual((row["from"], row["to"], row["messages"], row["bytes"]), (2, 0, 1, 1 << 20))

    def test_flows_of_permutations(self):
        for pattern in ("random_permutation", "uniform"):
            _, found = self.flows(LEAF_SPINE, "--pattern", pattern, "--flow", "64KiB", "--seed", "7")
            _, again = self.flows(LEAF_SPINE, "--pattern", pattern, "--flow", "64KiB", "--seed", "7")
            _, other = self.flows(LEAF_SPINE, "--pattern", pattern, "--flow", "64KiB", "--seed", "8")
            self.assertEqual(found["flows"], again["flows"])
            self.assertNotEqual(found["flows"], other["flows"])
            self.assertEqual([each["from"] for each in found["flows"]], list(range(32)))
            self.assertTrue(all(each["from"] != each["to"] for each in found["flows"]))
            if pattern == "random_permutation":
                self.assertEqual(sorted(each["to"] for each in found["flows"]), list(range(32)))
            self.assertGreaterEqual(found["last_over_bound"], 1)
        self.bad("give --flow SIZE", "traffic", LEAF_SPINE, "--load", "0.1")
        self.bad("packets travel on this one", "traffic", str(PRESETS / "wafer_mesh_5x4.yaml"), "--flow", "1MiB")
        self.bad("a flow has a byte or more", "traffic", LEAF_SPINE, "--flow", "0B")
        self.bad("only used with --pattern hotspot and incast", "traffic", LEAF_SPINE, "--flow", "1KiB", "--hotspot", "1")
        self.bad("there is no such node", "traffic", LEAF_SPINE, "--flow", "1KiB", "--pattern", "incast", "--hotspot", "32")

    def test_messages_of_a_server_take_its_switch(self):
        network = ("topology: rails, servers: 2, rails: 2, spines: 1, nic_bandwidth: 50 GB/s, server_npus: 2, server_bandwidth: 100 GB/s, "
                   "server_latency: 300 ns, server_header: 256 B")
        platform = self.platform(network)
        size, packet = 1 << 20, MTU + 256
        _, found = self.flows(platform, "--pattern", "permutation", "--permutation", self.write("in.txt", "2 3"), "--flow", "1MiB")
        self.assertEqual(found["flows"][0]["completion_ps"], 10 * packet * (size // MTU + 1) + 2 * 300_000)
        self.assertEqual(found["ethernet"]["messages"], 0)
        _, found = self.flows(platform, "--pattern", "permutation", "--permutation", self.write("out.txt", "0 2"), "--flow", "1MiB")
        self.assertEqual(found["flows"][0]["completion_ps"], 20 * (wire(size) + MTU + OVERHEAD + RETH) + 2 * 500_000)
        self.assertEqual(found["ethernet"]["messages"], 1)
        # Hierarchical: all of the vector over each cable inside, 2/g (n - 1)/n of it over each NIC.
        row = self.row(platform, "--type", "all_reduce", "--size", "4MiB", "--algorithm", "hierarchical_2d", "--set", "collectives.chunks=8",
                       "--set", "run.functional=true")
        self.assertTrue(row["values_proven"])
        self.assertEqual(row["busiest_link_payload_bytes"], 4 << 20)
        self.assertEqual(sum(each["bytes"] for each in row["ethernet"]["connections"] if each["from"] == 0), 2 << 20)
        self.assertEqual({(each["from"], each["to"]) for each in row["ethernet"]["connections"]}, {(0, 2), (2, 0), (1, 3), (3, 1)})
        for kind in TYPES:
            self.row(platform, "--type", kind, "--size", "0B" if kind == "barrier" else "64KiB", "--set", "run.functional=true")
        self.assertIn("servers   of 2 NPUs, joined at 100.0 GB/s each", self.good("check", platform))
        self.bad("do not divide into servers of 3", "check", platform, "--set", "wafer.fabric.network.server_npus=3")

    def test_a_collective_has_what_results_have(self):
        row = self.row(LEAF_SPINE, "--type", "all_to_all", "--size", "1MiB")
        self.assertEqual(row["ethernet"]["messages"], 32 * 31)
        self.assertEqual(len(row["ethernet"]["connections"]), 32 * 31)

    def test_what_has_no_effect_or_does_not_fit_is_refused(self):
        for key, value, text in (
                ("switches.headroom", "1kB", "it needs 116392"), ("credit_delay", "3ns", "no effect on an Ethernet"),
                ("network.row", "3", "'wafer.fabric.network.topology: bigraph'"), ("network.rows", "3", "did you mean 'wafer.fabric.network.row'"),
                ("switches.loss", "drop", "nics.timeout"), ("nics.timeout", "1ms", "nothing is lost"),
                ("nics.congestion_control", "hpcc", "does not look at marks"), ("nics.congestion_control", "dcqm", "dcqcn"),
                ("network.spines", "0", "spines"), ("switches.load_balancing", "spray", "selective_repeat"),
                ("packet_bytes", "64KiB", "9 KiB"), ("virtual_channels", "8", "one priority"), ("bit_error_rate", "1e-9", "bit errors"),
                ("switches.buffer", "100kB", "of headroom and reserve")):
            with self.subTest(key=key):
                self.bad(text, "check", LEAF_SPINE, "--set", f"wafer.fabric.{key}={value}")
        for control in ("hpcc", "powertcp"):
            sets = (f"nics.congestion_control={control}", "switches.load_balancing=spray", "nics.repair=selective_repeat", "nics.reordering=0")
            self.bad("which can be less than 8 packets", "check", str(PRESETS / "ethernet_plain_32.yaml"),
                     "--set", f"wafer.fabric.nics.congestion_control={control}", "--set", "wafer.fabric.nics.ack_every=8")
            self.bad("compares the counters of one way", "check", str(PRESETS / "ethernet_plain_32.yaml"),
                     *(word for each in sets for word in ("--set", f"wafer.fabric.{each}")))


if __name__ == "__main__":
    unittest.main()
