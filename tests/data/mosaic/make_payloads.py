#!/usr/bin/env python3
"""Writes modules of HLO with kernels of Mosaic GPU in custom calls, as JAX ships them, to tests/data/mosaic/payloads.

A kernel goes the way of JAX: every operation is renamed to stable_mosaic_gpu.NAME, the module gets the version of the
dialects, and MLIR writes it as bytecode of version 0. `mosaic_gpu_v2` carries it in the dictionary of a typed call,
`mosaic_gpu` behind 32 bytes of SHA-256. Older spellings are put in after the renaming, where nothing verifies them.

usage: make_payloads.py MLIR_OPT PLUGIN    (mlir-opt of LLVM 22, and hilo_mosaic_plugin.so)
"""

import hashlib
import os
import re
import subprocess
import sys

import kernels

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "payloads")


def run_mlir(tools, text, *flags):
    done = subprocess.run([tools[0], f"--load-dialect-plugin={tools[1]}", "--allow-unregistered-dialect", *flags, "-"],
                          input=text.encode(), stdout=subprocess.PIPE, check=True)
    return done.stdout


def closing(text, at):
    """The place after the bracket that closes the one at `at`; strings are passed over."""
    depth = 0
    while True:
        c = text[at]
        if c == '"':
            at = text.index('"', at + 1)
        elif c in "({[":
            depth += 1
        elif c in ")}]":
            depth -= 1
        at += 1
        if depth == 0:
            return at


def with_plain_attributes(text):
    """The generic form with what operations have of their own among the other attributes, as JAX leaves it."""
    out, at = "", 0
    while (start := re.search(r'"[a-z_0-9.]+"\(', text[at:])) is not None:
        begin, operands = at + start.start(), at + start.end() - 1
        end = closing(text, operands)
        out += text[at:end]
        own, regions, others = "", "", ""
        if text.startswith(" <{", end):
            close = closing(text, end + 2)
            own, end = text[end + 3:close - 1], close + 1
        if text.startswith(" ({", end):
            close = closing(text, end + 1)
            regions, end = with_plain_attributes(text[end:close]), close
        if text.startswith(" {", end):
            close = closing(text, end + 1)
            others, end = text[end + 2:close - 1], close
        attributes = ", ".join(part for part in (own, others) if part)
        out += regions + (f" {{{attributes}}}" if attributes else "")
        at = end
        assert at > begin
    return out + text[at:]


def serialized_text(tools, text, version):
    """The generic form with stable names."""
    generic = run_mlir(tools, text, "--mlir-print-op-generic").decode()
    renamed = re.sub(r'"((?!builtin\.module)[a-z_0-9]+\.[a-z_.0-9]+)"\(', r'"stable_mosaic_gpu.\1"(', generic)
    return with_plain_attributes(renamed), f"stable_mosaic_gpu.version = {version} : i64"


def serialize(tools, text, version, older):
    """Bytecode; `older` are pairs of a pattern and what stands in its place."""
    renamed, mark = serialized_text(tools, text, version)
    for pattern, replacement in older:
        renamed, count = re.subn(pattern, replacement, renamed)
        if count == 0:
            raise ValueError(f"nothing matches {pattern}")
    # The attributes of the outermost module come last.
    end = renamed.rindex("}) {") + len("}) {")
    renamed = renamed[:end] + mark + ", " + renamed[end:]
    return run_mlir(tools, renamed, "--emit-bytecode", "--emit-bytecode-version=0", "--verify-each=false")


def mlir_string(data):
    """Bytes as MLIR writes a string."""
    plain = set(range(0x20, 0x7F)) - {ord('"'), ord("\\")}
    return "".join(chr(b) if b in plain else f"\\{b:02X}" for b in data)


def c_string(data):
    """Bytes as HLO text writes a string: octal escapes."""
    plain = set(range(0x20, 0x7F)) - {ord('"'), ord("\\"), ord("'")}
    return "".join(chr(b) if b in plain else f"\\{b:03o}" for b in data)


def hlo(name, call):
    return f"""HloModule {name}

ENTRY %main (x: f32[64,64]) -> f32[64,64] {{
  %x = f32[64,64]{{1,0}} parameter(0)
  ROOT %kernel = f32[64,64]{{1,0}} custom-call(%x), {call}
}}
"""


def typed(name, data, extra=""):
    digest = hashlib.sha256(data).digest()
    config = (f'{{kernel_hash = "{mlir_string(digest)}", module = "{mlir_string(data)}", '
              f'use_custom_barrier = false, uses_xla_collective_metadata = false{extra}}}')
    return hlo(name, f'custom_call_target="mosaic_gpu_v2", operand_layout_constraints={{f32[64,64]{{1,0}}}}, '
                     f"api_version=API_VERSION_TYPED_FFI, backend_config={config}")


def opaque(name, data, number=None):
    head = hashlib.sha256(data).digest() if number is None else number.to_bytes(8, "little")
    return hlo(name, f'custom_call_target="mosaic_gpu", operand_layout_constraints={{f32[64,64]{{1,0}}}}, '
                     f'backend_config="{c_string(head + data)}"')


# Spellings that later versions of the dialects changed: of the serialized form.
NO_PEER = (r"(mosaic_gpu\.async_(?:load|store)\".*operandSegmentSizes = array<i32: [0-9, ]*), 0>", r"\1>")
INIT_SHARED = (r"nvvm\.mbarrier\.init\"", 'nvvm.mbarrier.init.shared"')
WAIT_SHARED = (r"nvvm\.mbarrier\.try_wait\.parity\"", 'nvvm.mbarrier.try_wait.parity.shared"')
EXPECT_SHARED = (r"nvvm\.mbarrier\.arrive\.expect_tx\"(.*) \{[^}]*\}", r'nvvm.mbarrier.arrive.expect_tx.shared"\1')
NO_TENSOR_FLAG = (r", orders_tensor_core = false", "")
LAUNCH_12 = (r"(operandSegmentSizes = array<i32: (?:[0-9]+, ){10}[0-9]+)>", r"\1, 0>")
NO_FILL_MODE = (r", oob_fill_mode = 2 : i32", "")


def cases():
    """(name, kernel, version, older, form)."""
    adds = [(64, 64, "f32", "arith.addf"), (32, 128, "f16", "arith.mulf"), (128, 64, "bf16", "arith.maximumf"),
            (16, 64, "i32", "arith.addi"), (64, 32, "f64", "arith.subf"), (128, 128, "i8", "arith.xori")]
    for rows, columns, element, operation in adds:
        name = f"pointwise_{element.lower()}"
        text = kernels.pointwise(name, rows, columns, element, operation)
        yield name, text, 6, (), typed
        yield name + "_old", text, 3, (NO_PEER, NO_FILL_MODE), opaque
    products = [(2, 4, 64, 64, 64, "f16", "f32"), (3, 6, 128, 128, 64, "bf16", "f32"),
                (4, 8, 64, 128, 128, "f8E4M3FN", "f32"), (2, 3, 64, 64, 128, "i8", "i32"),
                (2, 5, 128, 64, 64, "f16", "f16"), (2, 2, 64, 96, 64, "bf16", "f32")]
    for depth, steps, m, n, k, element, accumulator in products:
        name = f"matmul_{element.lower()}_{m}x{n}x{k}_{accumulator}"
        text = kernels.pipeline(name, depth, steps, m, n, k, element, accumulator)
        yield name, text, 7, (LAUNCH_12,), typed
        yield name + "_old", text, 1, (NO_PEER, NO_FILL_MODE, NO_TENSOR_FLAG), opaque
    for m, n, k, element in [(128, 64, 64, "f16"), (128, 128, 64, "bf16"), (128, 256, 128, "f8E5M2")]:
        name = f"tensor_cores_{element.lower()}"
        yield name, kernels.tensor_cores(name, m, n, k, element), 7, (), typed
    for version in (1, 4, 5, 6):
        name = f"lowered_version_{version}"
        older = [INIT_SHARED] if version < 5 else []
        older += [WAIT_SHARED, EXPECT_SHARED] if version < 6 else []
        form = typed if version > 4 else opaque
        yield name, kernels.lowered(name, 128), version, older, form
    name = "matmul_cluster"
    text = kernels.pipeline(name, 2, 4, 64, 64, 64, "f16", cluster=(2, 1, 1), grid=(8, 4, 1))
    yield name, text, 7, (), lambda n, d: typed(n, d, ', xla_replica_ids = "0,1", multimem_parameters = "0,1"')
    name = "numbered"
    yield name, kernels.pointwise(name, 64, 64, "f32", "arith.addf"), 1, (NO_PEER,), lambda n, d: opaque(n, d, 7)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    os.makedirs(OUT, exist_ok=True)
    count = 0
    for name, text, version, older, form in cases():
        data = serialize(arguments, text, version, older)
        with open(os.path.join(OUT, name + ".hlo"), "w", encoding="ascii") as file:
            file.write(form(name, data))
        count += 1
    print(f"{count} modules in {OUT}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
