# SPDX-License-Identifier: Apache-2.0
"""JSON that commands write, to be compared."""


def without_host(document):
    """What is the same in each run."""
    if isinstance(document, list):
        return [without_host(each) for each in document]
    if isinstance(document, dict):
        return {key: without_host(value) for key, value in document.items() if key != "host"}
    return document
