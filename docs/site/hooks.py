"""What MkDocs does not do by itself: links out of docs/ lead to pages of the site, and diagrams are drawn offline."""

from __future__ import annotations

import logging
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pymdownx.superfences import fence_code_format

log = logging.getLogger("mkdocs.hooks.podproof")

ROOT = Path(__file__).resolve().parents[2]
SOURCE = "source"
"""The folder of the site with the files outside docs/ that a page links to."""
MERMAID = ROOT / "tests" / "mermaid" / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"
"""Mermaid as npm installs it; without it, its diagrams are shown as text, and nothing is fetched from elsewhere."""
SCRIPT = "site/mermaid.min.js"
SHIM = "https://unpkg.com/iframe-worker/shim"
"""What the theme would fetch for that."""
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)\s#]+)(?=[)#])")
"""A relative link of a Markdown page, without its anchor."""
LANGUAGES = {".py": "python", ".toml": "toml", ".yml": "yaml", ".yaml": "yaml", ".json": "json", ".go": "go"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Draw Mermaid where it is at hand."""
    if MERMAID.exists():
        config.extra_javascript.append(SCRIPT)
        fence = {"name": "mermaid", "class": "mermaid", "format": fence_code_format}
        config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [fence]}
    else:
        log.info("no tests/mermaid/node_modules: Mermaid diagrams are shown as text (npm ci --prefix tests/mermaid)")
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files that pages link to, and those that these link to in turn."""
    if MERMAID.exists():
        files.append(File.generated(config, SCRIPT, abs_src_path=str(MERMAID)))
    waiting = [file for file in files if file.is_documentation_page()]
    while waiting:
        file = waiting.pop()
        for path in _linked(file.content_string, _in_repository(file.src_uri)):
            uri = _in_site(path)
            if uri.startswith(f"{SOURCE}/") and files.get_file_from_path(uri) is None and (ROOT / path).is_file():
                added = _page_of(config, path, uri)
                files.append(added)
                waiting += [added] if path.endswith(".md") else []
    return files


def on_page_markdown(markdown: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links out of docs/ at what `on_files` added, and read what is folded as Markdown too."""
    own = page.file.src_uri
    repository = _in_repository(own)

    def target(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(repository), match[1]))
        uri = _in_site(path)
        changed = uri.startswith(f"{SOURCE}/") or own.startswith(f"{SOURCE}/")
        return posixpath.relpath(uri, posixpath.dirname(own) or ".") if changed else match[1]

    if _is_code(own):
        return markdown
    # GitHub reads Markdown inside of this; here it has to be asked for.
    return LINK.sub(target, markdown).replace("<details>", '<details markdown="1">')


def on_post_page(output: str, /, *, page: Page, config: MkDocsConfig) -> str:
    """Take what lets a file be searched from the site itself."""
    own = posixpath.relpath("site/worker.js", posixpath.dirname(page.file.src_uri) or ".")
    return output.replace(f'src="{SHIM}"', f'src="{own}"')


def on_post_template(output: str, /, *, template_name: str, config: MkDocsConfig) -> str:
    """The same for the page that a server shows for what it does not find, under whatever address."""
    return output.replace(f'src="{SHIM}"', 'src="/site/worker.js"')


def _linked(text: str, page: str) -> Iterator[str]:
    """The files of the repository that a page links to."""
    for match in LINK.finditer(text):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(page), match[1]))


def _in_repository(uri: str) -> str:
    """Where a page of the site comes from."""
    return uri.removeprefix(f"{SOURCE}/") if uri.startswith(f"{SOURCE}/") else f"docs/{uri}"


def _in_site(path: str) -> str:
    """Where a file of the repository is in the site: under its own name, or as a page that shows it."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"{SOURCE}/{path}" if path.endswith(".md") else f"{SOURCE}/{path}.md"


def _is_code(uri: str) -> bool:
    return uri.startswith(f"{SOURCE}/") and "." in posixpath.basename(uri).removesuffix(".md")


def _page_of(config: MkDocsConfig, path: str, uri: str) -> File:
    """A Markdown file as it stands; any other as a page that shows its text."""
    if path.endswith(".md"):
        return File.generated(config, uri, abs_src_path=str(ROOT / path))
    text = (ROOT / path).read_text(encoding="utf-8")
    language = LANGUAGES.get(Path(path).suffix, "text")
    return File.generated(config, uri, content=f"# {path}\n\n````{language}\n{text}````\n")
