"""What Doxygen lacks of Markdown as the pages have it.

    site.py PAGE           the page as Doxygen's filter: links to files from the top of the checkout
    site.py --copy SITE    the files that pages link, beside those pages
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
LINK = re.compile(r"\]\(([^)\s:]+)\)")


def target_of(page, link):
    """A linked file, from the top; None: the page itself, another one, or a folder."""
    path = TOP / os.path.normpath(page.parent.relative_to(TOP) / link.partition("#")[0])
    if link.startswith("#") or path.suffix == ".md" or not path.is_file():
        return None
    return path.relative_to(TOP)


def slug(heading):
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")


def filtered(page):
    text = page.read_text()
    linked = {link[1:] for link in LINK.findall(text) if link.startswith("#")}

    def from_the_top(match):
        link = match[1]
        if not link.startswith("#"):
            link = str(target_of(page, link) or link.partition("#")[0])
        return f"]({link})"

    def with_name(match):
        name = slug(match[2])
        return match[0] + (f" {{#{name}}}" if name in linked else "")
    return re.sub(r"^(##+) (.+)$", with_name, LINK.sub(from_the_top, text), flags=re.M)


def copy_to(site):
    pages = subprocess.run(["git", "ls-files", "*.md"], cwd=TOP, check=True, capture_output=True, text=True)
    for page in (TOP / name for name in pages.stdout.split()):
        for link in LINK.findall(page.read_text()):
            if file := target_of(page, link):
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(TOP / file, site / file)


if sys.argv[1] == "--copy":
    copy_to(pathlib.Path(sys.argv[2]))
else:
    sys.stdout.write(filtered(pathlib.Path(sys.argv[1]).resolve()))
