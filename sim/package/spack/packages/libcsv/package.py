# UNTESTED, as starport/package.py is: Spack has no recipe of its own for it.
from spack.package import *


class Libcsv(AutotoolsPackage):
    """Reads and writes CSV."""

    homepage = "https://github.com/rgamble/libcsv"
    git = "https://github.com/rgamble/libcsv.git"

    license("LGPL-2.1-or-later")
    version("master", branch="master")

    depends_on("c", type="build")
