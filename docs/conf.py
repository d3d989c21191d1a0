"""Sphinx: `make docs` builds the site into build/docs, without a network."""

import inspect
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import site_links  # noqa: E402

import pytrees  # noqa: E402
from pytrees._site import REPOSITORY, SITE  # noqa: E402


def commit_here():
    """Return the commit that the site is built from; nothing if there is no clone or no git."""
    if not (HERE.parent / ".git").exists():
        return ""
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, cwd=HERE, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


project = "pytrees"
author = "the pytrees developers"
copyright = author
version = release = pytrees.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.linkcode",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
]
exclude_patterns = ["gallery/**"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
nitpicky = True
highlight_language = "none"  # blocks without a language are output

# Pages
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# API: numpydoc validates the text that is shown; members are on the page of their class.
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
toc_object_entries_show_parents = "hide"
templates_path = ["_templates"]

# Looks
html_theme = "pydata_sphinx_theme"
html_title = "pytrees"
html_context = {"commit": commit_here(), "repository": REPOSITORY}
html_baseurl = SITE + "/"
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "github_url": REPOSITORY,
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    "logo": {"text": "pytrees", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg"},
    "show_nav_level": 1,
    "show_toc_level": 2,
    # The gallery's thumbnails take the room of its table of contents, which the navigation has, too.
    "secondary_sidebar_items": {"**": ["page-toc"], "auto_examples/index": []},
    "footer_start": ["copyright", "built_from"],
    "footer_end": [],
}

# Gallery: examples are executed; the page of a name shows the examples that use it.
has_gallery = any((HERE / "gallery").glob("*/plot_*.py"))
autosummary_context = {"gallery": has_gallery}
if has_gallery:
    import site_gallery

    extensions.append("sphinx_gallery.gen_gallery")
    sphinx_gallery_conf = {
        "examples_dirs": "gallery",
        "gallery_dirs": "auto_examples",
        "subsection_order": [f"gallery/{section}" for section in site_gallery.SECTIONS],
        "within_subsection_order": "site_gallery.place",
        "minigallery_sort_order": "site_gallery.place",
        "image_scrapers": ("site_gallery.scrape",),
        "thumbnail_size": (560, 392),
        "filename_pattern": r"/plot_",
        "reference_url": {"pytrees": None},
        "doc_module": ("pytrees",),
        "backreferences_dir": "api/generated/examples",
        "remove_config_comments": True,
        "download_all_examples": False,
        "show_memory": False,
        "show_signature": False,
        "plot_gallery": True,
        "write_computation_times": False,
        "abort_on_example_error": True,
    }


def linkcode_resolve(domain, info):
    """Return the address of an object's source."""
    thing = sys.modules.get(info["module"])
    for name in info["fullname"].split("."):
        thing = getattr(thing, name, None)
    try:
        thing = inspect.unwrap(thing)
        path = Path(inspect.getsourcefile(thing)).relative_to(HERE.parent)
        line = inspect.getsourcelines(thing)[1]
    except (TypeError, ValueError, OSError):
        return None
    return f"{REPOSITORY}/blob/main/{path.as_posix()}#L{line}"


def setup(app):
    app.connect("source-read", site_links.link_files_outside)
    app.connect("autodoc-process-docstring", site_links.drop_labels_of_scikit_learn)
    app.connect("doctree-read", site_links.straighten_quotes)
    app.connect("doctree-read", site_links.hide_from_search)
    app.connect("missing-reference", site_links.link_other_packages)
    app.connect("missing-reference", site_links.link_short_names)
    app.connect("doctree-resolved", site_links.link_names_in_text)
    app.connect("doctree-resolved", site_links.describe_thumbnails)
