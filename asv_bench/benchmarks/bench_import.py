"""Start-up: the import of the package, in a fresh process every time."""


class Import:
    repeat = 11

    def timeraw_import(self):
        return "import pytrees", "import numpy, sklearn.base"
