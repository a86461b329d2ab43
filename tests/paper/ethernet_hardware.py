#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All-reduces that were measured with nccl-tests, beside ours:  ethernet_hardware.py WAFERTLM [--all]

The same parameters for all rows: headers of RoCE with packets of 4 KiB; a NIC sends payload at 384/400 of its line, and 3 us go from NIC to
NIC under one switch (both measured point to point at Oracle); NVLink has a flit of header for 16 flits of data, and 1 us from GPU to GPU.
Rates are the systems' own. Rings as NCCL has them: one for each NIC, which
goes through the GPUs of a server one after the other; it is entered and left by NICs of their own. Hierarchical: reduce-scatter in the
servers, rings along the rails, all-gather in the servers. Without --all only what takes less than a minute of processor time.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

GIB = 1 << 30
# name, servers, NIC and NVLink in GB/s, algorithm, [(bytes, measured us)]; a GPU has one NIC (Oracle: two of 200G, one of 400G here).
ROWS = (
    ("Oracle, 2x8 H100, 16x200G RoCE", 2, 50, 450, "hierarchical_2d", ((GIB, 4511.2), (4 * GIB, 17437), (16 * GIB, 69338))),
    ("Azure NDv4, 2x8 A100, 8x200G", 2, 25, 300, "rings", ((GIB, 2 * 15 / 16 * GIB / 183.8e3), (4 * GIB, 2 * 15 / 16 * 4 * GIB / 188.2e3))),
    ("CoreWeave, 8x8 H100, 8x400G", 8, 50, 450, "rings", ((GIB, 5808), (2 * GIB, 11163))),
)
PAYLOAD = 384 / 400 * (4096 + 82) / 4096  # of the line, with headers
QUICK = {("Oracle, 2x8 H100, 16x200G RoCE", GIB), ("Azure NDv4, 2x8 A100, 8x200G", GIB), ("CoreWeave, 8x8 H100, 8x400G", GIB)}


def rings(servers, each=8):
    """An MSCCL program: ring c enters a server at GPU c and leaves it at the one before."""
    ranks = servers * each
    orders = [[server * each + (c + i) % each for server in range(servers) for i in range(each)] for c in range(each)]
    text = [f'<algo name="rings" coll="allreduce" ngpus="{ranks}" nchannels="{each}" nchunksperloop="{each * ranks}" inplace="1" proto="Simple">']
    for rank in range(ranks):
        text.append(f'<gpu id="{rank}" i_chunks="{each * ranks}" o_chunks="{each * ranks}" s_chunks="0">')
        for c, order in enumerate(orders):
            at = order.index(rank)
            text.append(f'<tb id="{c}" send="{order[(at + 1) % ranks]}" recv="{order[at - 1]}" chan="{c}">')
            kinds = ["s"] + ["rrs"] * (ranks - 2) + ["rrcs"] + ["rcs"] * (ranks - 2) + ["r"]
            for k, kind in enumerate(kinds):
                chunk = c * ranks + (at - k) % ranks
                text.append(f'<step s="{k}" type="{kind}" srcbuf="i" srcoff="{chunk}" dstbuf="i" dstoff="{chunk}" cnt="1" depid="-1" deps="-1" '
                            'hasdep="0"/>')
            text.append("</tb>")
        text.append("</gpu>")
    return "\n".join(text + ["</algo>"])


def platform(servers, nic, inside):
    return (f"platform: servers\nwafer:\n  fabric:\n    kind: ethernet\n    network: {{topology: star, npus: {8 * servers}, nic_bandwidth: {round(nic * PAYLOAD * 1e9)} B/s, "
            f"server_npus: 8, server_bandwidth: {inside} GB/s, server_latency: 500 ns, server_header: 256 B}}\n    link_latency: 1400 ns\n"
            "    switches: {buffer: 256 MB, response_time: 1158 ns}\n    nics: {ack_every: 64}\nrun: {checkers: false}\n")


def main():
    tool, every = sys.argv[1], "--all" in sys.argv
    print(f"{'':34} {'algorithm':16} {'GiB':>4} {'measured, us':>13} {'ours':>9} {'':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, servers, nic, inside, algorithm, rows in ROWS:
            file = pathlib.Path(folder, "platform.yaml")
            file.write_text(platform(servers, nic, inside))
            program = pathlib.Path(folder, "rings.xml")
            if algorithm == "rings":
                program.write_text(rings(servers))
            for size, measured in rows:
                if not every and (name, size) not in QUICK:
                    continue
                words = ["--algorithm", str(program)] if algorithm == "rings" else ["--algorithm", algorithm, "--set", "collectives.chunks=64"]
                done = subprocess.run([tool, "collective", str(file), "--type", "all_reduce", "--size", f"{size}B", "--json", *words],
                                      capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    sys.exit(done.stderr)
                ours = json.loads(done.stdout)["rows"][0]["time_s"] * 1e6
                print(f"{name:34} {algorithm:16} {size / GIB:4.0f} {measured:13.1f} {ours:9.1f} {100 * (ours / measured - 1):+7.1f} %", flush=True)


if __name__ == "__main__":
    main()
