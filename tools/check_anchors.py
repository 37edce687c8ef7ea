#!/usr/bin/env python3
"""Checks that links to headings of the documents, `[text](page.md#heading)`, name headings that exist."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def anchor(heading: str) -> str:
    """The anchor that web pages make of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).lower().replace("`", "")
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def main() -> int:
    pages = [*sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("*/README.md"))]
    texts = {page: re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8")) for page in pages}
    anchors = {page: {anchor(head) for head in re.findall(r"(?m)^#+ (.*)$", text)} for page, text in texts.items()}
    wrong = 0
    for page, text in texts.items():
        for target, name in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", text):
            to = (page.parent / target).resolve() if target else page
            if to in anchors and name not in anchors[to]:
                print(f"{page.relative_to(ROOT)}: {target or page.name} has no heading #{name}")
                wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
