"""Hooks of MkDocs: prepares the pages of docs/ for its Markdown dialect, and adds pages of the topmost directory.

The pages are CommonMark with links between files of the checkout. MkDocs needs list entries that are indented by
four columns, and links between pages only.
"""

import os
import posixpath
import re

from mkdocs.structure.files import File

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), "..", ".."))

# Pages of the topmost directory, with their names in the site.
ADDED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting.md",
}
STYLE = "site.css"

LINK = re.compile(r"(!?)\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"( *)```(.*)")
ENTRY = re.compile(r"( *)([*+-]|\d+\.)( +)(\S.*)")
INDENTATION = 4


def on_files(files, config):
    for source, name in ADDED.items():
        files.append(File.generated(config, name, content=read(source)))
    files.append(File.generated(config, STYLE, content=read("deploy/site/" + STYLE)))
    return files


def on_page_markdown(markdown, page, config, **_):
    return with_links("\n".join(indented(markdown.split("\n"))), page.file.src_uri, config)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def indented(lines):
    """Indents text in list entries by four columns a level, and removes the marks of code blocks."""
    columns = []  # where the text of each open entry begins
    after_blank = True
    fence = None  # indentation of the open code block
    for line in lines:
        indentation = len(line) - len(line.lstrip(" "))
        match = FENCE.match(line)
        if fence is not None:
            yield " " * INDENTATION * len(columns) + line[min(fence, indentation):] if line.strip() else ""
            if match and not match.group(2):
                fence = None
            after_blank = True
            continue
        if not line.strip():
            after_blank = True
            yield ""
            continue
        while after_blank and columns and indentation < columns[-1]:
            columns.pop()
        entry = ENTRY.match(line)
        if match:
            fence = indentation
            yield " " * INDENTATION * len(columns) + "```" + match.group(2).split(" ")[0]
        elif entry:
            while columns and indentation < columns[-1]:
                columns.pop()
            if not after_blank and not columns and not starts_entry(previous):
                yield ""
            yield " " * INDENTATION * len(columns) + entry.group(2) + " " + entry.group(4)
            columns.append(entry.start(4))
        else:
            yield " " * INDENTATION * len(columns) + line.lstrip(" ")
        previous = line if entry or not columns else previous
        after_blank = False


def starts_entry(line):
    return ENTRY.match(line) is not None


def with_links(markdown, uri, config):
    """Replaces links to files outside of the site by links to the repository, or by their text."""
    source = next((name for name, added in ADDED.items() if added == uri), "docs/" + uri)

    def replaced(match):
        picture, text, link = match.groups()
        path, mark, anchor = link.partition("#")
        if not path or re.match(r"[a-z]+:", link):
            return match.group(0)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        in_site = ADDED.get(target) or (target[len("docs/"):] if target.startswith("docs/") else None)
        if in_site:
            return f"{picture}[{text}]({posixpath.relpath(in_site, posixpath.dirname(uri) or '.')}{mark}{anchor})"
        if config.repo_url:
            return f"{picture}[{text}]({config.repo_url.rstrip('/')}/blob/{config.extra['revision']}/{target}{mark}{anchor})"
        return f"`{text}`" if re.fullmatch(r"[\w./-]+", text) else text

    parts = re.split(r"(^ *```.*?^ *```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if i % 2 else LINK.sub(replaced, part) for i, part in enumerate(parts))
