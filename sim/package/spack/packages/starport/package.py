# UNTESTED: written from Spack's documentation, never run. From a checkout:
#   spack repo add sim/package/spack && spack dev-build starport@main
from spack.package import *


class Starport(CMakePackage):
    """Schedules of matrix products on heterogeneous platforms, simulated and compared."""

    license("Apache-2.0")
    version("main")  # of the checkout that spack dev-build finds itself in

    variant("mpi", default=True, description="Run products for real, under MPI")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")
    depends_on("valijson", type="build")
    depends_on("boost@1.74: +program_options")
    depends_on("fmt@9:")
    depends_on("libcsv")
    depends_on("nlohmann-json@3.11:")
    depends_on("openssl")
    depends_on("simgrid@3.32:")
    depends_on("sqlitecpp@3.2:")
    depends_on("zlib-api")
    depends_on("openblas", when="+mpi")
    depends_on("mpi", when="+mpi")
    depends_on("xxhash", when="+mpi")
    depends_on("gnuplot", type="run")

    generator("ninja")

    def cmake_args(self):
        without = "OFF" if self.spec.satisfies("+mpi") else "ON"
        return ["-DBUILD_TESTING=OFF",
                f"-DCMAKE_DISABLE_FIND_PACKAGE_MPI={without}",
                f"-DCMAKE_DISABLE_FIND_PACKAGE_BLAS={without}"]
