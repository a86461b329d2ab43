# SPDX-License-Identifier: Apache-2.0
"""The reference of all keys by their paths, as Markdown, from what `wafertlm keys --json` prints."""


def cell(text):
    return " ".join(str(text).replace("|", "\\|").replace("<", "&lt;").split())


def anchor(kind, path):
    """Of a key: "platform.wafer.fabric.link_bandwidth"."""
    return f"{kind}.{path}".replace("[]", "")


def row(key):
    name = anchor(key["kind"], key["path"])
    default = key["default"] if key["default"] in ("", "required") else f"`{cell(key['default'])}`"
    return f'| <a id="{name}"></a>[`{key["path"]}`](#{name}) | {cell(key["value"])} | {default} | {cell(key["description"])} |'


def keys_page(keys):
    kinds = list(dict.fromkeys(key["kind"] for key in keys))
    lines = ["# Keys", "", "Every key of every kind of file by its path, which `--set` takes, too; `[]` are the items of a list. A value may be written as "
             "`{value: 750 GB/s, provenance: \"where it comes from\"}`. Keys that no file has take their default; unknown keys, and keys without effect, are "
             "errors. `wafertlm keys WORD` finds them at the desk.", "", "Kinds of files: " + ", ".join(f"[{kind}](#{kind})" for kind in kinds) + ".", ""]
    for kind in kinds:
        lines += [f'<a id="{kind}"></a>', "", f"## {kind}", "", "| Key | Value | Default | Meaning |", "|---|---|---|---|"]
        lines += [row(key) for key in keys if key["kind"] == kind]
        lines.append("")
    return "\n".join(lines)
