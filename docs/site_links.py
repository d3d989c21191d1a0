"""Finish the pages of Sphinx: links that leave the site, names in text, quotes of types, words for thumbnails, and what
the search finds."""

import os
import re
from pathlib import Path

from docutils import nodes

from pytrees._site import REPOSITORY

ROOT = Path(__file__).parents[1]
THUMBNAIL = re.compile(r"(auto_examples/\w+)/images/thumb/sphx_glr_(\w+)_thumb\.png$")
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")

# The pages on which other packages describe their names.
PAGES = {
    "sklearn": "https://scikit-learn.org/stable/modules/generated/{name}.html",
    "numpy": "https://numpy.org/doc/stable/reference/generated/{name}.html",
    "scipy": "https://docs.scipy.org/doc/scipy/reference/generated/{name}.html",
    "matplotlib": "https://matplotlib.org/stable/api/_as_gen/{name}.html",
    "pandas": "https://pandas.pydata.org/docs/reference/api/{name}.html",
}
# Sections and terms of scikit-learn's pages, in docstrings that estimators inherit from it.
OF_SCIKIT_LEARN = {
    "metadata_routing": "https://scikit-learn.org/stable/metadata_routing.html",
    "accuracy_score": "https://scikit-learn.org/stable/modules/model_evaluation.html#accuracy-score",
    "meta-estimator": "https://scikit-learn.org/stable/glossary.html#term-meta-estimator",
}


# Modules whose names pages give without the module. Names of other modules, such as `fit`, have other meanings, too.
MODULES_IN_TEXT = ("pytrees", "pytrees.causality", "pytrees.fourier", "pytrees.metrics", "pytrees.symbols")
MEMBERS = {"attribute", "method", "property"}
STRAIGHT = str.maketrans("“”‘’", "\"\"''")


def link_files_outside(app, page, source):
    """Let links to files that are not part of the site lead to the repository."""
    folder = (Path(app.srcdir) / page).parent

    def resolve(link):
        target, _, part = link[1].partition("#")
        path = Path(os.path.normpath(folder / target))
        if path.is_relative_to(app.srcdir) or not path.exists():
            return link[0]
        kind = "tree" if path.is_dir() else "blob"
        return f"]({REPOSITORY}/{kind}/main/{path.relative_to(ROOT).as_posix()}{'#' + part if part else ''})"

    source[0] = LINK.sub(resolve, source[0])


def link_other_packages(app, env, node, content):
    """Link names of packages that publish pages of their own, without an inventory, because there may be no network."""
    target = node.get("reftarget", "")
    page = OF_SCIKIT_LEARN.get(target) if node.get("refdomain") == "std" else None
    if page is None and "." in target:
        page = PAGES.get(target.partition(".")[0])
    if page is None:
        return None
    return nodes.reference("", "", content, internal=False, refuri=page.format(name=target))


def link_short_names(app, env, node, content):
    """Link a public name that a docstring gives without its module, or with its defining module."""
    if node.get("refdomain") != "py":
        return None
    parts = node["reftarget"].split(".")
    if parts[0] == "pytrees" and len(parts) > 2:
        parts = parts[2:]
    ending = "." + ".".join(parts)
    documented = env.domains["py"].objects
    found = [name for name, entry in documented.items() if name.endswith(ending) and not entry.aliased]
    if not found:
        return None
    # A function comes before a method of its name, and a name of `pytrees` before a name of its modules.
    found.sort(key=lambda name: (documented[name].objtype in MEMBERS, name.count(".")))
    return link_to(app, documented[found[0]], node.get("refdoc", env.docname), content)


def link_names_in_text(app, doctree, page):
    """Link public names that are code in the text of a page."""
    if page.startswith("api/generated/"):
        return
    documented = app.env.domains["py"].objects
    in_links = {node for link in doctree.findall(is_link_or_title) for node in link.findall(nodes.literal)}
    for node in list(doctree.findall(nodes.literal)):
        if node in in_links:
            continue
        name = node.astext().removesuffix("()").removeprefix("pytrees.")
        for module in MODULES_IN_TEXT:
            entry = documented.get(f"{module}.{name}")
            if entry is not None and entry.objtype not in MEMBERS | {"module"}:
                node.replace_self(link_to(app, entry, page, node.deepcopy()))
                break


def describe_thumbnails(app, doctree, page):
    """Give a thumbnail of the gallery the alternative text of the example's first picture, which it shows."""
    for image in doctree.findall(nodes.image):
        example = THUMBNAIL.search(image["uri"])
        if example is None or image.get("alt"):
            continue
        pictures = app.env.get_doctree(f"{example[1]}/{example[2]}").findall(nodes.Element)
        image["alt"] = next((picture["alt"] for picture in pictures if picture.get("alt")), "")


def hide_from_search(app, doctree):
    """Keep the HTML of estimators and frames, as the gallery shows them, out of the search: its text is labels and
    names of parameters."""
    for shown in doctree.findall(nodes.raw):
        if "output_html" in shown.astext():  # sphinx-gallery's class
            shown["classes"].append("no-search")


def drop_labels_of_scikit_learn(app, what, name, thing, options, lines):
    """Keep the text alone where a docstring of scikit-learn names a label of scikit-learn's site, as `score` does."""
    if (getattr(thing, "__module__", None) or "").startswith("sklearn."):
        lines[:] = [re.sub(r":ref:`([^`<]+) <\w+>`", r"\1", line) for line in lines]


def straighten_quotes(app, doctree):
    """Give types of parameters, such as {"sqrt", "log2"}, the quotes of the language back."""
    for kind in doctree.findall(nodes.classifier):
        for text in list(kind.findall(nodes.Text)):
            text.parent.replace(text, nodes.Text(text.translate(STRAIGHT)))


def is_link_or_title(node):
    """Tell whether names in a node are left alone."""
    return isinstance(node, nodes.reference | nodes.title)


def link_to(app, entry, page, content):
    """Return a link from a page to a documented object."""
    address = app.builder.get_relative_uri(page, entry.docname) + "#" + entry.node_id
    return nodes.reference("", "", content, internal=True, refuri=address)
