# SPDX-License-Identifier: Apache-2.0
"""The reference of all keys, as Markdown, from the JSON Schema that `wafertlm schema` prints."""


def cell(text):
    return " ".join(str(text).replace("|", "\\|").split())


def anchor(name):
    return name.replace("_", "-").lower()


def value_of(schema):
    """What may be written, in words, with links to structs."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1].removesuffix("_changes")
        return f"[{name}](#{name})"
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    forms = schema.get("anyOf") or schema.get("oneOf")
    if forms:
        # {value, provenance} may stand in place of any value.
        plain = [form for form in forms if "provenance" not in form.get("properties", {})]
        words = list(dict.fromkeys(value_of(form) for form in plain))
        return " or ".join(word for word in words if word)
    kind = schema.get("type")
    if kind == "array":
        return f"list of {value_of(schema.get('items', {}))}"
    if "examples" in schema:
        return f"such as `{schema['examples'][0]}`" + (f" ({schema['description']})" if "description" in schema else "")
    if kind in ("integer", "number") and "minimum" in schema:
        most = f" to {schema['maximum']}" if "maximum" in schema else " or more"
        return f"{kind}, {schema['minimum']}{most}"
    if kind == "boolean":
        return "`true`, `false`"
    return "text" if isinstance(kind, list) else kind or ""


def row(name, schema, required):
    meaning = schema.get("description", "")
    shown = dict(schema)
    if "anyOf" in shown or "oneOf" in shown or "$ref" in shown or "examples" not in shown:
        shown.pop("description", None)
    default = schema.get("default")
    if default is not None:
        text = str(default).lower() if isinstance(default, bool) else str(default)
        meaning = meaning.replace(f" (default: {text})", "")
    else:
        text = ""
    must = "required" if name in required else f"`{cell(text)}`" if text else ""
    return f"| `{name}` | {cell(value_of(shown))} | {must} | {cell(meaning)} |"


def keys_page(schema):
    lines = ["# Keys", "", "Every key of every kind of file. A value may be written as `{value: 750 GB/s, provenance: \"where it comes from\"}`. "
             "Keys that no file has take their default; unknown keys, and keys without effect, are errors.", ""]
    for name, struct in schema["$defs"].items():
        if name.endswith("_changes") or "properties" not in struct:
            continue
        lines += [f'<a id="{name}"></a>', "", f"## {name}", "", "| Key | Value | Default | Meaning |", "|---|---|---|---|"]
        lines += [row(key, each, struct.get("required", [])) for key, each in struct["properties"].items() if isinstance(each, dict)]
        lines.append("")
    return "\n".join(lines)
