"""C right on odd shapes, against a product computed here, element by element: random sides,
heuristics, files, raw and NumPy's of either byte order, doubles and floats. Says how many were
right."""

import argparse
import array
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import ranks

PLATFORM = """{"schema_version": 1, "name": "two", "block_size": %d, "workers": [
  {"c_s": 0.0002, "w_s": 0.0004, "m_blocks": 30}, {"c_s": 0.0004, "w_s": 0.0006, "m_blocks": 45}]}"""
HEURISTICS = ["Het", "Hom", "HomI", "ORROML", "OMMOML", "ODDOML", "BMM", "Polaris"]


CODES = {"float64": "d", "float32": "f"}
ROUNDING = {"float64": 1e-12, "float32": 1e-6}


def header(rows, columns, order, version, code):
    text = f"{{'descr': '{order}f{array.array(code).itemsize}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    length = 2 if version == 1 else 4
    text = text.ljust(-(8 + length + len(text) + 1) % 64 + len(text)) + "\n"
    return (b"\x93NUMPY" + bytes([version, 0])
            + struct.pack("<H" if version == 1 else "<I", len(text)) + text.encode())


def write(path, matrix, kind, code):
    rows, columns = len(matrix), len(matrix[0])
    flat = array.array(code, [value for row in matrix for value in row])
    order, version = {"raw": ("<", 0), "v1": ("<", 1), "v2": ("<", 2), "big": (">", 1)}[kind]
    if (order == "<") != (sys.byteorder == "little"):
        flat.byteswap()
    start = b"" if version == 0 else header(rows, columns, order, version, code)
    path.write_bytes(start + flat.tobytes())


def read(path, columns, code):
    """As this program leaves it: in the machine's order, behind a header or none."""
    data = path.read_bytes()
    if data.startswith(b"\x93NUMPY"):
        length = struct.unpack("<H", data[8:10])[0] + 10 if data[6] == 1 \
            else struct.unpack("<I", data[8:12])[0] + 12
        data = data[length:]
    flat = array.array(code, data)
    return [flat[first:first + columns] for first in range(0, len(flat), columns)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/release/starport-mpi")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    draw = random.Random(options.seed)
    environment = {**os.environ, **ranks.VARIABLES}
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        a_file, b_file, c_file, platform = (pathlib.Path(folder) / name
                                            for name in ("a", "b", "c", "platform.json"))
        for number in range(options.count):
            m, k, n = (draw.randint(1, 45) for _ in range(3))
            q, heuristic = draw.choice([3, 4, 7, 10]), HEURISTICS[number % len(HEURISTICS)]
            element = draw.choice(list(CODES))
            kinds = [draw.choice(["raw", "v1", "v2", "big"]) for _ in range(3)]
            a, b, c = ([[draw.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)]
                       for rows, columns in ((m, k), (k, n), (m, n)))
            a, b, c = ([array.array(CODES[element], row) for row in matrix] for matrix in (a, b, c))
            for path, matrix, kind in zip((a_file, b_file, c_file), (a, b, c), kinds):
                write(path, matrix, kind, CODES[element])
            platform.write_text(PLATFORM % q)
            done = subprocess.run(
                [*ranks.ANYWHERE, "-n", "3", program, "execute",
                 str(platform), "--problem", f"{m}x{k}x{n}", "--heuristics", heuristic, "--a",
                 str(a_file), "--b", str(b_file), "--c", str(c_file), "--element-type", element],
                env=environment, capture_output=True, text=True)
            columns_of_b = list(zip(*b))
            right = done.returncode == 0 and all(
                abs(found - (start + sum(x * y for x, y in zip(row, column)))) < ROUNDING[element] * (k + 1)
                for row, start_row, found_row in zip(a, c, read(c_file, n, CODES[element]))
                for column, start, found in zip(columns_of_b, start_row, found_row))
            if not right:
                wrong += 1
                print(f"{heuristic} {m}x{k}x{n}, blocks of {q}, {element}, {kinds}: "
                      + (done.stderr if done.returncode else "wrong"))
    print(f"{options.count - wrong} of {options.count} are right")
    sys.exit(wrong > 0)


main()
