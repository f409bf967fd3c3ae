# UNTESTED, as starport/package.py is: Spack has no recipe of its own for it.
from spack.package import *


class Sqlitecpp(CMakePackage):
    """SQLite from C++."""

    homepage = "https://srombauts.github.io/SQLiteCpp"
    git = "https://github.com/SRombauts/SQLiteCpp.git"

    license("MIT")
    version("3.3.1", tag="3.3.1")

    depends_on("cxx", type="build")
    depends_on("cmake", type="build")
    depends_on("sqlite")

    def cmake_args(self):
        return ["-DSQLITECPP_INTERNAL_SQLITE=OFF", "-DBUILD_SHARED_LIBS=ON"]
