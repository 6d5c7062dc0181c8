#!/usr/bin/env python3
"""Checks every #include "..." under core/, ui/, app/ and plugins/ against the rooms and arrows below.

This table is the one written statement of Hilo's architecture: which room may include which. A room is
a folder with everything below it, unless a longer entry names a part of it. A file may always include
its own room and core/base. `ROOT` as argument checks another tree than this checkout.

No room may reach itself: neither by the arrows of the table nor by the includes there are.

Prints each violation as FILE:LINE: message, each cycle as a line. Exit status: 0 none, 1 some, 2 wrong usage.
"""

import os
import re
import sys

HLO = [
    "core/hlo/ir", "core/hlo/text", "core/hlo/proto", "core/hlo/proto/schema", "core/hlo/dump", "core/hlo/verify",
    "core/hlo/expand", "core/hlo/eval",
]
CODEGEN = [
    "core/compiler/codegen/emit", "core/compiler/codegen/lower", "core/compiler/codegen/cpu",
    "core/compiler/codegen/cpu/choices", "core/compiler/codegen/plain", "core/compiler/codegen/tiles",
    "core/compiler/codegen/gpu", "core/compiler/codegen/warpgroup", "core/compiler/codegen/simulate",
    "core/compiler/codegen/absent",
]
COMPILER = [
    "core/compiler/pass", "core/compiler/passes", "core/compiler/spmd", "core/compiler/spmd/shardy",
    "core/compiler/schedule", "core/compiler/buffers", *CODEGEN, "core/compiler/pipelines", "core/compiler/toolchain",
]
RUNTIME = [
    "core/runtime/program", "core/runtime/device", "core/runtime/device/cuda", "core/runtime/device/simulated",
    "core/runtime/ptx", "core/runtime/ffi", "core/runtime/libraries", "core/runtime/libraries/files",
    "core/runtime/thunk", "core/runtime/thunk/host", "core/runtime/thunk/device",
    "core/runtime/collectives",
    "core/runtime/executor", "core/runtime/trace",
    "core/runtime/worker", "core/runtime/engine",
]
# The rooms of the workspace, each with those of the same that it may include; all may include what is below
# the workspace. Its root holds the queue of jobs.
WORKSPACE = {
    "": [],
    "open": [""],
    "text": [""],
    "schedule": ["", "open"],
    "caveats": ["open", "schedule"],
    "run": ["", "open"],
    "values": ["", "open", "run"],
    "store": ["", "run"],
    "passes": ["", "open", "text", "run", "schedule"],
    "document": ["", "open", "passes", "store"],
    "path": ["", "open", "document", "run"],
    "memory": ["", "open", "passes", "path"],
    "peak": ["", "layouts", "memory", "partition", "passes", "schedule"],
    "kernels": ["", "open", "path"],
    "thunks": ["", "open", "run", "values"],
    "compiled": ["", "open", "run", "thunks"],
    "tune": ["", "passes", "run", "store"],
    "check": ["", "open", "path", "run"],
    "layouts": ["", "open", "passes", "schedule"],
    "overlays": ["", "partition", "passes", "run", "thunks", "values"],
    "partition": ["", "open", "passes", "run", "schedule", "values"],
    "watch": ["", "open", "run", "memory", "schedule"],
    "bisect": ["", "open", "passes", "run", "watch"],
    "reduce": ["", "open", "document", "passes", "run", "store", "watch"],
    "session": ["", "open", "text", "run", "values", "store", "passes", "document", "path", "thunks", "partition", "layouts", "caveats"],
}
WORKSPACE_ROOMS = [f"core/workspace/{room}".rstrip("/") for room in WORKSPACE]
BELOW_WORKSPACE = [*COMPILER, *RUNTIME, "core/runtime/apart", "core/runtime/pjrt", "core/analysis", *HLO, "core/plugin_host"]

# What a client of the workspace may read besides it: plain result structs, of rooms or of single headers.
RESULTS = [
    *WORKSPACE_ROOMS, "core/hlo/ir", "core/analysis",
    "core/compiler/pass/pass.h", "core/compiler/pass/pass_settings.h", "core/compiler/pass/pipeline.h",
]
UI_PARTS = ["ui/models", "ui/canvas", "ui/widgets", "ui/style"]

# Room -> rooms, and single headers of others, that it may include.
ARROWS = {
    "core/base": [],
    "core/hlo/ir": [],
    "core/hlo/text": ["core/hlo/ir"],
    "core/hlo/proto": ["core/hlo/ir", "core/hlo/proto/schema"],
    "core/hlo/proto/schema": [],
    "core/hlo/verify": ["core/hlo/ir"],
    "core/hlo/expand": ["core/hlo/ir", "core/hlo/text", "core/hlo/verify"],
    "core/hlo/eval": ["core/hlo/ir", "core/hlo/expand"],
    "core/hlo/dump": ["core/hlo/ir", "core/hlo/text", "core/hlo/proto", "core/hlo/proto/schema"],
    "core/analysis": HLO,
    "core/compiler/pass": ["core/analysis", *HLO],
    "core/compiler/passes": [
        "core/compiler/pass", "core/compiler/schedule", "core/compiler/spmd", "core/compiler/spmd/shardy",
        "core/compiler/codegen/cpu/choices", "core/analysis", *HLO,
    ],
    "core/compiler/spmd/shardy": ["core/compiler/spmd", "core/compiler/pass", "core/analysis", *HLO],
    "core/compiler/spmd": ["core/compiler/pass", "core/analysis", *HLO],
    "core/compiler/schedule": ["core/compiler/pass", "core/analysis", *HLO],
    "core/compiler/buffers": ["core/compiler/pass", "core/compiler/schedule", "core/analysis", *HLO],
    "core/compiler/codegen/emit": ["core/runtime/program", "core/analysis", *HLO],
    "core/compiler/codegen/lower": [
        "core/compiler/codegen/emit", "core/compiler/buffers", "core/runtime/program", "core/analysis", "plugins/sdk", *HLO,
    ],
    # What one kind of processor wants. Another kind is a room beside it, and neither knows the other.
    "core/compiler/codegen/cpu": [
        "core/compiler/codegen/cpu/choices", "core/compiler/codegen/tiles", "core/compiler/codegen/lower",
        "core/compiler/codegen/emit",
        "core/runtime/program", "core/analysis", *HLO,
    ],
    # One loop an instruction, for any kind of target.
    "core/compiler/codegen/plain": [
        "core/compiler/codegen/lower", "core/compiler/codegen/emit", "core/runtime/program", "core/analysis", *HLO,
    ],
    # Kernels that are grids, in shapes of their own; those of plain for arrays smaller than their bounds.
    "core/compiler/codegen/gpu": [
        "core/compiler/codegen/plain", "core/compiler/codegen/tiles", "core/compiler/codegen/lower",
        "core/compiler/codegen/emit", "core/runtime/program", "core/analysis", *HLO,
    ],
    # Tile programs as code, whatever the kind of processor.
    "core/compiler/codegen/tiles": [
        "core/compiler/codegen/lower", "core/compiler/codegen/emit", "core/runtime/program", "core/analysis", *HLO,
    ],
    # Kernels of warpgroups whose layouts are known.
    "core/compiler/codegen/warpgroup": [
        "core/compiler/codegen/gpu", "core/compiler/codegen/emit", "core/runtime/program", "core/analysis", *HLO,
    ],
    # What passes have to know of processors: no LLVM.
    "core/compiler/codegen/cpu/choices": ["core/compiler/pass", "core/compiler/schedule", "core/analysis", *HLO],
    # PTX to host code that a simulated device runs; which processor that is, the cpu engine's table says.
    "core/compiler/codegen/simulate": [
        "core/compiler/codegen/emit",
        "core/compiler/codegen/cpu/cpu_target.h", "core/runtime/ptx",
        "core/runtime/device", "core/runtime/device/simulated", "core/runtime/program", "core/analysis", *HLO,
    ],
    # What the others are called by, refused: of a build without LLVM.
    "core/compiler/codegen/absent": [
        "core/compiler/codegen/emit", "core/compiler/codegen/lower", "core/compiler/codegen/cpu",
        "core/compiler/codegen/plain", "core/compiler/codegen/gpu", "core/compiler/codegen/simulate",
        "core/compiler/codegen/warpgroup", *HLO,
    ],
    # NVIDIA's programs and libraries, found on the machine.
    "core/compiler/toolchain": ["core/analysis/cost/processor_limits.def", "core/runtime/libraries/files"],
    "core/compiler/pipelines": [*COMPILER, "core/analysis", *HLO],
    "core/runtime/program": ["core/hlo/ir"],
    "core/runtime/device": ["core/hlo/ir"],  # The interface of a device, and the host.
    # Another kind of device is a room beside it, and neither knows the other.
    "core/runtime/device/cuda": ["core/runtime/device"],
    "core/runtime/device/simulated": ["core/runtime/device"],
    # Libraries of a GPU's maker, called without its headers; where they lie, toolchain tells users too.
    "core/runtime/libraries": [
        "core/runtime/libraries/files", "core/runtime/program", "core/runtime/device", "core/hlo/ir",
    ],
    "core/runtime/libraries/files": [],
    "core/runtime/ptx": [],
    "core/runtime/trace": ["core/runtime/program", "core/runtime/device", "core/hlo/ir"],
    "core/runtime/collectives": ["core/runtime/device", "core/hlo/ir"],
    # XLA's C interface to custom calls.
    "core/runtime/ffi": ["core/runtime/program", "core/hlo/ir"],
    "core/runtime/thunk": [
        "core/runtime/program", "core/runtime/collectives", "core/runtime/ffi", "core/hlo/ir", "plugins/sdk",
    ],
    # What runs a thunk on one kind of device. Another kind is a room beside it, and neither knows the other.
    "core/runtime/thunk/host": [
        "core/runtime/thunk", "core/runtime/ffi", "core/runtime/program", "core/runtime/device", "core/hlo/ir", "plugins/sdk",
    ],
    # On a device through its interface alone; what it has no code for is done as on the host.
    "core/runtime/thunk/device": [
        "core/runtime/thunk", "core/runtime/thunk/host", "core/runtime/program", "core/runtime/device", "core/hlo/ir",
    ],
    "core/runtime/executor": [
        "core/runtime/program", "core/runtime/device", "core/runtime/thunk", "core/runtime/thunk/host",
        "core/runtime/thunk/device", "core/runtime/libraries", "core/runtime/libraries/files",
        "core/runtime/collectives", "core/runtime/trace", "core/hlo/ir",
    ],
    "core/runtime/worker": [
        "core/runtime/program", "core/runtime/device", "core/runtime/thunk", "core/runtime/executor", "core/runtime/trace",
        "core/hlo/ir",
    ],
    "core/runtime/engine": [*RUNTIME, "core/hlo/ir"],
    # Engines in another process or on another machine: the line to them, both its ends.
    "core/runtime/apart": ["core/runtime/engine", *RUNTIME, "core/hlo/ir"],
    # PJRT's C API, and what calls a library that has it.
    "core/runtime/pjrt": ["core/runtime/engine", *RUNTIME, "core/hlo/ir"],
    "core/plugin_host": ["plugins/sdk"],
    **{
        f"core/workspace/{room}".rstrip("/"): [
            *BELOW_WORKSPACE, *(f"core/workspace/{other}".rstrip("/") for other in others)
        ]
        for room, others in WORKSPACE.items()
    },
    "ui/style": RESULTS,
    "ui/models": [*RESULTS, "ui/style"],
    "ui/canvas": [*RESULTS, "ui/style"],
    "ui/widgets": [*RESULTS, "ui/style", "ui/models"],
    "ui/views/*": [*RESULTS, *UI_PARTS],  # One view never includes another: the selection bus joins them.
    "ui/shell": [*RESULTS, *UI_PARTS, "ui/views/*"],
    "app/cli": RESULTS,
    "app/loader": [*RUNTIME, "core/hlo/ir", "core/hlo/eval", "core/plugin_host"],  # Runs saved programs: no compiler.
    # The process that loads libraries of PJRT.
    "app/pjrt_host": ["core/runtime/apart", "core/runtime/pjrt", *RUNTIME, "core/hlo/ir"],
    # Hilo's engines behind PJRT's C API.
    "app/pjrt": [*RESULTS, "core/runtime/pjrt", "core/runtime/engine", "core/runtime/program", "core/hlo/proto", "core/hlo/proto/schema"],
    "app/studio": ["ui/shell", *WORKSPACE_ROOMS],
    "plugins/sdk": [],
    "plugins/contained": [],
    # The schema: generated messages, no code of ours.
    "plugins/*": ["plugins/sdk", "plugins/contained", "core/hlo/proto/schema"],
}
BASE = "core/base"
NO_BASE = ["plugins/sdk", "plugins/contained", "plugins/*"]  # A plug-in stands on the SDK's C interface alone.

# Libraries seen by some rooms only: (what the include looks like, its name, where it is allowed).
LIBRARIES = [
    (re.compile(r"(Q[A-Z]\w*|Qt\w*/.+|q[a-z]+\w*\.h)$"), "Qt", ["ui/", "app/studio/"]),
    (re.compile(r"(llvm|llvm-c|mlir|mlir-c)/"), "LLVM", ["core/compiler/codegen/", "plugins/stablehlo/", "plugins/mosaic/"]),
]

CHECKED = ["core", "ui", "app", "plugins"]
SOURCE_ENDINGS = (".h", ".cpp", ".def", ".inc", ".c", ".cc", ".hpp", ".mm")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


FLAT = ["core/workspace"]  # Rooms whose folders are rooms of their own, each with a row.


def room_of(path):
    """The room that holds `path`, as (its key in ARROWS, its own folder), or None."""
    parts = path.split("/")
    for length in range(len(parts) - 1, 0, -1):
        folder = "/".join(parts[:length])
        if folder in FLAT and length < len(parts) - 1:
            return None
        if folder in ARROWS:
            return folder, folder
        pattern = "/".join(parts[: length - 1] + ["*"])
        if pattern in ARROWS:
            return pattern, folder
    return None


def complaint(path, quoted, target, exists):
    """What is wrong with `path` including `target`, or None."""
    for look, name, places in LIBRARIES:
        if look.match(target) and not path.startswith(tuple(places)):
            return f"{name} header <{target}> is allowed only under {', '.join(places)}"
    if not quoted:
        return None
    if target.split("/")[0] not in CHECKED + ["tests", "packaging"]:
        if exists(os.path.join(os.path.dirname(path), target)):
            return f'"{target}" must be written from the repository root'
        return None  # A library's header or a generated one.
    source_room = room_of(path)
    target_room = room_of(target)
    if target_room is None:
        return f'"{target}" lies in no room that may be included'
    if source_room == target_room:
        return None
    if target_room[0] == BASE and source_room[0] not in NO_BASE:
        return None
    if target_room[0] in ARROWS[source_room[0]] or target in ARROWS[source_room[0]]:
        return None
    return f'{source_room[1]} may not include {target_room[1]} ("{target}")'


def cycle_in(arrows):
    """Rooms that reach themselves, as one way round: [a, b, a]; None when there is none."""
    done = set()

    def walk(room, path):
        if room in path:
            return path[path.index(room):] + [room]
        if room in done:
            return None
        for target in sorted(arrows.get(room, ())):
            cycle = walk(target, path + [room])
            if cycle:
                return cycle
        done.add(room)
        return None

    return next((cycle for room in sorted(arrows) if (cycle := walk(room, []))), None)


def violations_in(root):
    """All violations in the tree at `root`, each a printable line, and the number of files read."""
    found, files_read, includes = [], 0, {}
    exists = lambda relative: os.path.isfile(os.path.join(root, relative))
    for top in CHECKED:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(names):
                if not name.endswith(SOURCE_ENDINGS):
                    continue
                path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
                files_read += 1
                if room_of(path) is None:
                    found.append(f"{path}:1: lies in no room; add one to packaging/dev/check_arrows.py or move it")
                    continue
                with open(os.path.join(root, path), encoding="utf-8", errors="replace") as source:
                    for number, line in enumerate(source, 1):
                        match = INCLUDE.match(line)
                        if not match:
                            continue
                        target_room = room_of(match[2]) if match[1] == '"' else None
                        if target_room and target_room != room_of(path):
                            includes.setdefault(room_of(path)[1], set()).add(target_room[1])
                        wrong = complaint(path, match[1] == '"', match[2], exists)
                        if wrong:
                            found.append(f"{path}:{number}: {wrong}")
    table = {room: {target for target in targets if target in ARROWS and target != room} for room, targets in ARROWS.items()}
    for what, arrows in (("the table", table), ("the includes", includes)):
        cycle = cycle_in(arrows)
        if cycle:
            found.append(f"a cycle in {what}: {' -> '.join(cycle)}")
    return found, files_read


def main(arguments):
    if len(arguments) > 1 or arguments[:1] in (["-h"], ["--help"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    here = os.path.dirname(os.path.abspath(__file__))
    root = arguments[0] if arguments else os.path.join(here, "..", "..")
    if not os.path.isdir(root):
        print(f"check_arrows: no folder {root}", file=sys.stderr)
        return 2
    found, files_read = violations_in(root)
    for line in found:
        print(line)
    print(f"{files_read} files, {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
