# SPDX-License-Identifier: Apache-2.0
"""What a simulator says over the socket (models/rtl/remote/wafertlm_rtl.h), in Python: for what a good one does not do."""
import socket
import struct
import time

VERSION = "wafertlm-rtl 1"
AXI_FIFO = [VERSION, "protocol axi4_stream", "top axi_fifo", "parameter P 1", "parameter W 256", "input aclk 1", "input aresetn 1",
            "input s_tvalid 1", "input s_tdata 256", "input s_tlast 1", "input s_tid 16", "input s_tdest 8", "input s_tuser 64",
            "input m_tready 1", "output s_tready 1", "output m_tvalid 1", "output m_tdata 256", "output m_tlast 1",
            "output m_tid 16", "output m_tdest 8", "output m_tuser 64"]


class Simulator:
    def __init__(self, tool, path, lines):
        """Waits until WaferTLM, the process `tool`, listens, and says `lines`."""
        self.socket = socket.socket(socket.AF_UNIX)
        while self.socket.connect_ex(str(path)) != 0:
            assert tool.poll() is None, tool.communicate()
            time.sleep(0.02)
        self.send("".join(line + "\n" for line in lines).encode())

    def send(self, content):
        self.socket.sendall(struct.pack("=I", len(content)) + content)

    def receive(self):
        """None: WaferTLM has closed."""
        size = self._bytes(4)
        return None if size is None else self._bytes(*struct.unpack("=I", size))

    def _bytes(self, count):
        content = b""
        while len(content) < count:
            got = self.socket.recv(count - len(content))
            if not got:
                return None
            content += got
        return content

    def close(self):
        self.socket.close()
