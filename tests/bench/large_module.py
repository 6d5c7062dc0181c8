#!/usr/bin/env python3
"""A made-up training step of very many instructions, and what commands take for it.

    tests/bench/large_module.py write FILE [INSTRUCTIONS] [LIVE] [step|fused]
    tests/bench/large_module.py measure HILO FILE [NAME...]

`write` makes a scheduled module as XLA prints one, some 210 bytes an instruction: layers forwards and backwards, LIVE
values that wait for the way back, LIVE weights whose gradients are all-reduced asynchronously. `step` has all
instructions in the entry, `fused` has fusions, each with a computation of its own. `measure` runs each of COMMANDS, or
those whose NAMEs are given, and prints seconds of one processor, of the clock, and the most memory a process held,
beside the size of the text. Run by hand.
"""

import os
import subprocess
import sys
import tempfile

COMMANDS = {
    "verify": ["verify"],
    "convert": ["convert", "-o", "OUT.hlo"],
    "info": ["info"],
    "cost": ["cost"],
    "memory": ["memory"],
    "schedule": ["schedule"],
    "schedule gpu": ["schedule", "--preset", "gpu"],
    "thunks": ["thunks", "--no-run"],
    "query": ["query", "op=tanh"],
    "diff": ["diff", "FILE"],
}
SHAPE = "f32[64,128]{1,0}"
TURNED = "f32[128,64]{1,0}"
WEIGHT = "f32[128,128]{1,0}"


class Text:
    def __init__(self, file, fused):
        self.file, self.fused, self.ids = file, fused, 0
        self.entry = []

    def name(self, opcode):
        self.ids += 1
        return f"%{opcode}.{self.ids}"

    def metadata(self, scope, opcode):
        return (f', metadata={{op_name="jit(step)/jit(main)/{scope}/{opcode}" source_file="/home/user/model/layers.py" '
                f"source_line={self.ids % 900 + 1}}}")

    def op(self, shape, opcode, operands, scope, attributes=""):
        """operands: (shape, name) pairs."""
        name = self.name(opcode)
        args = ", ".join(f"{s} {n}" for s, n in operands)
        self.entry.append(f"  {name} = {shape} {opcode}({args}){attributes}{self.metadata(scope, opcode)}\n")
        return (shape, name)

    def chain(self, operands, scope, forwards):
        """Four instructions of one value and another one: in the entry, or as a fusion."""
        if not self.fused:
            return self.chain_body(operands, scope, forwards, self.entry)
        body, name = [], self.name("fused_computation")
        inner = []
        for i, (shape, _) in enumerate(operands):
            inner.append((shape, self.name("param")))
            body.append(f"  {inner[i][1]} = {shape} parameter({i})\n")
        self.chain_body(inner, scope, forwards, body)
        body[-1] = "  ROOT " + body[-1][2:]
        arguments = ", ".join(f"{n[1:]}: {s}" for s, n in inner)
        self.file.write(f"{name} ({arguments}) -> {SHAPE} {{\n{''.join(body)}}}\n\n")
        return self.op(SHAPE, "fusion", operands, scope, f", kind=kLoop, calls={name}")

    def chain_body(self, operands, scope, forwards, body):
        outer, self.entry = self.entry, body
        turned = self.op(TURNED, "transpose", operands[:1], scope, ", dimensions={1,0}")
        back = self.op(SHAPE, "reshape", [turned], scope)
        product = self.op(SHAPE, "multiply", [back, operands[-1]], scope)
        result = self.op(SHAPE, "tanh" if forwards else "negate", [product], scope)
        self.entry = outer
        return result


def write(path, instructions=1_000_000, live=4_000, form="step"):
    fused = form == "fused"
    layers = instructions // (16 if fused else 10)
    with open(path, "w") as file:
        file.write("HloModule jit_step, is_scheduled=true\n\n%add_f32 (x: f32[], y: f32[]) -> f32[] {\n"
                   "  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n  ROOT %add.0 = f32[] add(f32[] %x, f32[] %y)\n}\n\n")
        text = Text(file, fused)
        every = max(1, layers // live)
        weights = [(WEIGHT, f"%w.{i}") for i in range(0, layers, every)]
        first = (SHAPE, "%batch")
        text.entry.append(f"  %batch = {SHAPE} parameter(0)\n")
        text.entry += [f"  {name} = {WEIGHT} parameter({i + 1})\n" for i, (_, name) in enumerate(weights)]
        saved, value = [], first
        for layer in range(layers):
            scope = f"layers_{layer // 40}/block_{layer % 40}"
            if layer % every == 0:
                saved.append(value)
            dot = text.op(SHAPE, "dot", [value, weights[layer // every]], scope,
                          ", lhs_contracting_dims={1}, rhs_contracting_dims={0}")
            value = text.chain([dot], scope, True)
        gradient, results, pending = value, [], None
        for layer in reversed(range(layers)):
            scope = f"transpose(layers_{layer // 40})/block_{layer % 40}"
            dot = text.op(SHAPE, "dot", [gradient, weights[layer // every]], scope,
                          ", lhs_contracting_dims={1}, rhs_contracting_dims={1}")
            gradient = text.chain([dot, saved[layer // every]], scope, False)
            if layer % every:
                continue
            if pending:
                results.append(text.op(WEIGHT, "all-reduce-done", [pending], scope))
            product = text.op(WEIGHT, "dot", [saved[layer // every], gradient], scope,
                              ", lhs_contracting_dims={0}, rhs_contracting_dims={0}")
            pending = text.op(WEIGHT, "all-reduce-start", [product], scope,
                              f", channel_id={len(results) + 1}, replica_groups={{{{0,1}}}}, to_apply=%add_f32")
        results.append(text.op(WEIGHT, "all-reduce-done", [pending], scope))
        shapes = ", ".join(shape for shape, _ in results)
        arguments = ", ".join(f"{n[1:]}: {s}" for s, n in [first, *weights])
        file.write(f"ENTRY %main ({arguments}) -> ({shapes}) {{\n{''.join(text.entry)}")
        file.write(f"  ROOT %results = ({shapes}) tuple({', '.join(f'{s} {n}' for s, n in results)})\n}}\n")


def measure(hilo, path, names):
    size = os.path.getsize(path)
    print(f"{path}: {size / 1e6:.0f} MB of text")
    print(f"{'command':<14} {'processor':>10} {'clock':>8} {'memory':>10} {'x text':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or COMMANDS:
            arguments = [a.replace("OUT", folder + "/out").replace("FILE", path) for a in COMMANDS[name]]
            command = ["/usr/bin/time", "-f", "%U %S %e %M", "-o", folder + "/time", hilo, arguments[0], path, *arguments[1:]]
            status = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            user, system, wall, kilobytes = map(float, open(folder + "/time").read().splitlines()[-1].split())
            failed = f"  exit {status.returncode}: {status.stderr.strip()[:100]}" if status.returncode else ""
            print(f"{name:<14} {user + system:>8.1f} s {wall:>6.1f} s {kilobytes / 1e3:>7.0f} MB "
                  f"{kilobytes * 1024 / size:>7.1f}{failed}", flush=True)


def main(arguments):
    if arguments[:1] == ["write"] and len(arguments) >= 2:
        write(arguments[1], *map(int, arguments[2:4]), *arguments[4:5])
    elif arguments[:1] == ["measure"] and len(arguments) >= 3:
        measure(arguments[1], arguments[2], arguments[3:])
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
