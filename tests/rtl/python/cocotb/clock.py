# SPDX-License-Identifier: Apache-2.0
# pylint: disable=all


class Clock:
    def __init__(self, signal, period, units):
        pass

    def start(self):
        pass
