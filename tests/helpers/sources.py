"""Imports, definitions and lengths of the project's source files, read from their text: no build is needed."""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Import paths below `pytrees` that are promised to users.
PUBLIC_MODULES = "criteria dask datasets distances export fourier graphviz metrics plotting sequence simplify testing"
PUBLIC_MODULES = (*PUBLIC_MODULES.split(), "testing.strategies", "tree", "typing")

_IMPORT = re.compile(
    r"^[ \t]*from[ \t]+([\w.]+)[ \t]+c?import[ \t]*(\([^)]*\)|[^\n#]*)|^[ \t]*c?import[ \t]+([\w., \t]+)", re.M
)
_TYPE = re.compile(r"^[ \t]*(?:cdef|ctypedef)[ \t]+(?:packed[ \t]+)?(?:class|struct|union|enum)[ \t]+(\w+)", re.M)
_CYTHON_FUNCTION = re.compile(
    r"([ \t]*)(?:cdef|cpdef|def)\b(?![ \t]+(?:class|struct|union|enum|extern)\b)[^=#(]*\b(\w+)\("
)


@dataclass(frozen=True)
class Function:
    """A function of a file, and its number of lines without the docstring."""

    name: str
    n_lines: int


def source_files(*folders):
    """Return the Python and Cython files in folders of the project, as paths relative to its root."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return sorted(path.relative_to(ROOT) for path in found if path.suffix in {".py", ".pyx", ".pxd"})


def module_of(path):
    """Return the dotted name of a file's module; a package's is that of its folder. A .pyx and its .pxd are one."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path, *, for_types=True):
    """Return the names that a file imports or cimports anywhere, absolute: modules, and names with their module's.

    With `for_types` False those are left out that only type checkers see, which do nothing when the program runs.
    """
    text = (ROOT / path).read_text(encoding="utf-8")
    package = module_of(path) if path.stem == "__init__" else module_of(path).rpartition(".")[0]
    pairs = _python_imports(text, for_types) if path.suffix == ".py" else _cython_imports(text)
    found = set()
    for module, names in pairs:
        level = len(module) - len(module.lstrip("."))
        if level:
            parents = package.split(".")[: len(package.split(".")) - level + 1]
            module = ".".join([*parents, *filter(None, [module[level:]])])
        found |= {f"{module}.{name}" for name in names} if names else {module}
    return found


def _python_imports(text, for_types):
    tree = ast.parse(text)
    if not for_types:
        tree.body = [part for node in tree.body for part in (node.orelse if _is_for_types(node) else [node])]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)


def _is_for_types(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _cython_imports(text):
    for module, names, modules in _IMPORT.findall(text):
        if module:
            names = re.sub(r"#[^\n]*", "", names).strip("() \t\n")
            yield module, [name.split()[0] for name in names.split(",") if name.strip()]
        for name in filter(str.strip, modules.split(",")):
            yield name.split()[0], []


def import_graph(paths, *, for_types=True):
    """Return, for every module of these files, the others of them that it imports, as `imports` reads them."""
    modules = {module_of(path) for path in paths}
    graph = {module: set() for module in modules}
    for path in paths:
        for name in imports(path, for_types=for_types):
            # `from package import name` may import a module or something in the package.
            target = name if name in modules else name.rpartition(".")[0]
            if target in modules and target != module_of(path):
                graph[module_of(path)].add(target)
    return graph


def circles(graph):
    """Return the groups of modules that import each other, directly or through others."""
    reachable = {module: _reachable(graph, module) for module in graph}
    groups = {
        tuple(sorted(other for other in found if module in reachable[other]))
        for module, found in reachable.items()
        if module in found
    }
    return sorted(groups)


def _reachable(graph, start):
    found, stack = set(), [start]
    while stack:
        for module in graph[stack.pop()] - found:
            found.add(module)
            stack.append(module)
    return found


def defined_types(path):
    """Return the names of the classes, structs, unions and enums of C that a Cython file defines or declares."""
    return set(_TYPE.findall((ROOT / path).read_text(encoding="utf-8")))


def string_constants(path):
    """Return the strings in a Python file, docstrings among them."""
    nodes = ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def functions(path):
    """Return the functions of a file, methods among them."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return list(_python_functions(text) if path.suffix == ".py" else _cython_functions(text.splitlines()))


def _python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            documented = ast.get_docstring(node) is not None
            n_documentation = first.end_lineno - first.lineno + 1 if documented else 0
            yield Function(node.name, node.end_lineno - node.lineno + 1 - n_documentation)


def _cython_functions(lines):
    for start, line in enumerate(lines):
        found = _CYTHON_FUNCTION.match(line)
        if not found:
            continue
        indent, name = found.groups()
        body = start
        while _open_parentheses(lines[start : body + 1]) > 0:
            body += 1
        if not re.sub(r"#.*", "", lines[body]).rstrip().endswith(":"):
            continue  # a declaration
        end = body + 1
        while end < len(lines) and (not lines[end].strip() or lines[end].startswith(indent + " ")):
            end += 1
        block = "\n".join(lines[start:end]).rstrip()
        documentation = re.search(r':\s*\n\s*("""(?:.|\n)*?""")', block)
        n_documentation = documentation[1].count("\n") + 1 if documentation else 0
        yield Function(name, block.count("\n") + 1 - n_documentation)


def _open_parentheses(lines):
    text = "\n".join(re.sub(r"#.*", "", line) for line in lines)
    return text.count("(") - text.count(")")
