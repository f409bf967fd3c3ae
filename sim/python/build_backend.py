"""What pip calls (PEP 517): builds the module and the programs with CMake, and packs a wheel or the sources.

The wheel is laid out like the package of a build, build/release/python/starport: the package is the prefix of an
installation, with bin/starport, lib/starport/starport-simgrid.so, and share/starport.
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
# Found without importing the package, whose native module takes longer to load than many commands run.
SCRIPT = """#!python
import importlib.util
import os
import sys

package = importlib.util.find_spec("starport").submodule_search_locations[0]
program = os.path.join(package, "bin", "starport")
# What it starts in turn, `sweep --executor`, is this Python.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "/usr/bin:/bin")])
os.execv(program, ["starport", *sys.argv[1:]])
"""


def _version():
    return re.search(r"project\(starport VERSION ([0-9.]+)", (TOP / "CMakeLists.txt").read_text())[1]


def _project():
    try:
        import tomllib
    except ImportError:
        import tomli as tomllib
    return tomllib.loads((TOP / "pyproject.toml").read_text())["project"]


def _metadata():
    project = _project()
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {_version()}",
             f"Summary: {project['description']}", f"Author: {project['authors'][0]['name']}",
             f"License: {project['license']['text']}", "License-File: LICENSE",
             f"Keywords: {','.join(project['keywords'])}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {item}" for item in project["classifiers"]]
    lines += [f"Project-URL: {label}, {address}" for label, address in project.get("urls", {}).items()]
    for extra, packages in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {package}; extra == '{extra}'" for package in packages]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (TOP / project["readme"]).read_text()


def _build():
    """Builds what the wheel needs, and returns the build folder: $STARPORT_BUILD or build/release if it is for this
    Python's modules, else one of its own, without tests."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    build = pathlib.Path(os.environ.get("STARPORT_BUILD", TOP / "build" / "release"))
    if not (build / "python" / "starport" / "lib" / f"_starport{suffix}").exists():
        build = TOP / "build" / f"python-{sys.implementation.cache_tag}"
        subprocess.run(["cmake", "--preset", "release", "-B", build, f"-DPython3_EXECUTABLE={sys.executable}",
                        "-DBUILD_TESTING=OFF"], cwd=TOP, check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(len(os.sched_getaffinity(0))))
    subprocess.run(["cmake", "--build", build, "--target", "starport_python", "-j", jobs], check=True)
    if not list((build / "python" / "starport" / "lib").glob("_starport*.so")):
        sys.exit("starport: no Python headers or no pybind11. Install python3-dev and pybind11-dev")
    return build


def _stripped(path):
    """Returns the bytes of a program or library without debug information."""
    with tempfile.TemporaryDirectory() as directory:
        copy = shutil.copy(path, directory)
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", copy], check=True)
        return pathlib.Path(copy).read_bytes()


def _contents(build):
    """Returns the files of the package: contents by names."""
    package = build / "python" / "starport"
    contents = {}
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package).as_posix()
        if path.is_file() and not name.startswith("share/") and "__pycache__" not in name:
            binary = path.suffix == ".so" or name.startswith("bin/")
            contents[f"starport/{name}"] = _stripped(path) if binary else path.read_bytes()
    for folder in ["platforms", "experiments", "heuristics", "sim"]:
        for path in sorted((TOP / folder).rglob("*")):
            if path.suffix in (".json", ".ipynb") or path.parent == TOP / "heuristics" / "examples":
                contents[f"starport/share/starport/{path.relative_to(TOP)}"] = path.read_bytes()
    return contents


def _pack(directory, contents):
    """Writes a wheel with these files, the script and the metadata, and returns its name."""
    version = _version()
    about = f"starport-{version}.dist-info"
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    contents = {**contents,
                f"starport-{version}.data/scripts/starport": SCRIPT.encode(),
                f"{about}/METADATA": _metadata().encode(),
                f"{about}/LICENSE": (TOP / "LICENSE").read_bytes(),
                f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: starport\nRoot-Is-Purelib: false\n"
                                  f"Tag: {tag}\n".encode()}
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')}"
        f",{len(data)}\n" for name, data in contents.items())
    contents[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    wheel = f"starport-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/bin/" in name or "/scripts/" in name else 0o100644) << 16
            archive.writestr(entry, data)
    return wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes the metadata, for which pip would build the wheel otherwise."""
    about = pathlib.Path(metadata_directory, f"starport-{_version()}.dist-info")
    about.mkdir()
    (about / "METADATA").write_text(_metadata())
    (about / "LICENSE").write_bytes((TOP / "LICENSE").read_bytes())
    return about.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _pack(wheel_directory, _contents(_build()))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package of the build folder, whose Python files are those of the checkout."""
    return _pack(wheel_directory, {"starport.pth": f"{_build() / 'python'}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    """Packs the files that git knows, or those of unpacked sources."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TOP,
                            capture_output=True, text=True)
    paths = (listed.stdout.split("\0")[:-1] if listed.returncode == 0 and (TOP / ".git").exists() else
             [path.relative_to(TOP).as_posix() for path in sorted(TOP.rglob("*"))
              if path.is_file() and "build" != path.relative_to(TOP).parts[0] and "__pycache__" not in path.parts])
    name = f"starport-{_version()}"
    with tarfile.open(pathlib.Path(sdist_directory, f"{name}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in paths:
            if path != "PKG-INFO" and (TOP / path).is_file():
                archive.add(TOP / path, f"{name}/{path}")
        about = _metadata().encode()
        entry = tarfile.TarInfo(f"{name}/PKG-INFO")
        entry.size = len(about)
        archive.addfile(entry, io.BytesIO(about))
    return f"{name}.tar.gz"
