"""What pip calls (PEP 517): builds the module with CMake, in the checkout, and packs a wheel."""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).parent
TOP = HERE.parent.parent
BUILD = TOP / "build" / "release"


def _version():
    return re.search(r"project\(starport VERSION ([0-9.]+)", (TOP / "CMakeLists.txt").read_text())[1]


def _build_module():
    subprocess.run(["cmake", "--preset", "release", f"-DPython3_EXECUTABLE={sys.executable}"],
                   cwd=TOP, check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(len(os.sched_getaffinity(0))))
    subprocess.run(["cmake", "--build", BUILD, "--target", "starport_python", "-j", jobs], check=True)
    return next((BUILD / "python" / "starport").glob("_starport*.so"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    module = _build_module()
    version = _version()
    about = f"starport-{version}.dist-info"
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub("[-.]", "_", sysconfig.get_platform())
    tag = f"{python}-{python}-{platform}"
    contents = {
        "starport/__init__.py": (HERE / "starport" / "__init__.py").read_bytes(),
        f"starport/{module.name}": module.read_bytes(),
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: starport\nVersion: {version}\n"
                             "Summary: Matrix-product schedules on heterogeneous platforms, "
                             "simulated and compared\n".encode(),
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: starport\nRoot-Is-Purelib: false\n"
                          f"Tag: {tag}\n".encode(),
    }
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')}"
        f",{len(data)}\n" for name, data in contents.items())
    contents[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    wheel = f"starport-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("Starport is installed from a checkout: pip install ./sim/python")
