# SPDX-License-Identifier: Apache-2.0
# pylint: disable=all


class _Trigger:
    def __init__(self, signal):
        pass

    def __await__(self):
        yield self.edge


class RisingEdge(_Trigger):
    edge = "rise"


class FallingEdge(_Trigger):
    edge = "fall"
