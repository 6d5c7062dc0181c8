"""Builds an HLO module and prints it as XLA does (long text form). Plain Python, for make_transformer_step.py.

Every operation infers the shape of its result from its operands and asserts that they fit, so what comes
out is well typed by construction. Arrays have the default layout (last dimension fastest).
"""

import contextlib
import os
import re
import struct

SOURCE_FILE = "train_step.py"


class Shape:
    """An array shape (element type and dimensions) or, with `parts`, a tuple of shapes."""

    def __init__(self, kind, dims=(), parts=None):
        self.kind, self.dims, self.parts = kind, tuple(dims), parts

    def __eq__(self, other):
        return (self.kind, self.dims, self.parts) == (other.kind, other.dims, other.parts)

    def text(self, layout=True):
        if self.parts is not None:
            return "(" + with_index_comments([part.text(layout) for part in self.parts]) + ")"
        minor_to_major = ",".join(str(d) for d in reversed(range(len(self.dims))))
        suffix = "{" + minor_to_major + "}" if layout and self.dims else ""
        return f"{self.kind}[{','.join(map(str, self.dims))}]{suffix}"


def with_index_comments(items):
    """Joins items with commas, every fifth marked with its index as XLA does."""
    return ", ".join(f"/*index={i}*/{item}" if i and i % 5 == 0 else item for i, item in enumerate(items))


def braces(numbers):
    return "{" + ",".join(map(str, numbers)) + "}"


def float_text(value):
    """The shortest usual form that reads back as the same f32, as XLA writes it."""
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    as_f32 = struct.unpack("f", struct.pack("f", value))[0]
    short = f"{as_f32:.6g}"
    return short if struct.unpack("f", struct.pack("f", float(short)))[0] == as_f32 else f"{as_f32:.9g}"


class Source:
    """The program the module stands for: finds the line and the function of a snippet of its text."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()

    def find(self, snippet):
        """(function, line, first column, column past the end) of the one line with `snippet`."""
        hits = [i for i, line in enumerate(self.lines) if snippet in line]
        assert len(hits) == 1, f"{snippet!r} is on {len(hits)} lines of {SOURCE_FILE}"
        line = self.lines[hits[0]]
        column = line.index(snippet) + 1
        return self._function_at(hits[0]), hits[0] + 1, column, len(line.rstrip()) + 1

    def _function_at(self, index):
        """The qualified name of the function around line `index`, by indentation."""
        indent = len(self.lines[index]) - len(self.lines[index].lstrip())
        names = []
        for i in range(index - 1, -1, -1):
            match = re.match(r"( *)def (\w+)", self.lines[i])
            if match and len(match[1]) < indent:
                names.insert(0, match[2])
                indent = len(match[1])
        return ".<locals>.".join(names) if names else "<module>"


class FrameTable:
    """The FileNames, FunctionNames, FileLocations and StackFrames tables of the module's header."""

    def __init__(self):
        self.functions, self.locations, self.frames = {}, {}, {}

    def frame_id(self, places):
        """The id of the frame for a stack of places, outermost first."""
        frame = 0
        for function, line, column, end_column in places:
            function_id = self.functions.setdefault(function, len(self.functions) + 1)
            location = (function_id, line, column, end_column)
            location_id = self.locations.setdefault(location, len(self.locations) + 1)
            frame = self.frames.setdefault((location_id, frame), len(self.frames) + 1)
        return frame

    def text(self):
        lines = ["FileNames", f'1 "{SOURCE_FILE}"', "", "FunctionNames"]
        lines += [f'{i} "{name}"' for name, i in self.functions.items()]
        lines += ["", "FileLocations"]
        for (function, line, column, end_column), i in self.locations.items():
            lines.append(f"{i} {{file_name_id=1 function_name_id={function} line={line} end_line={line} "
                         f"column={column} end_column={end_column}}}")
        lines += ["", "StackFrames"]
        # XLA writes the id of the parent plus one; 1 stands for no parent.
        lines += [f"{i} {{file_location_id={location} parent_frame_id={parent + 1}}}"
                  for (location, parent), i in self.frames.items()]
        return "\n".join(lines) + "\n"


class Instruction:
    """One instruction. Arithmetic with another of the same shape, or with a number, adds an instruction."""

    def __init__(self, function, opcode, shape, operands, attributes, label, metadata, called):
        self.function, self.opcode, self.shape, self.operands = function, opcode, shape, list(operands)
        self.attributes, self.label, self.metadata, self.called = attributes, label, metadata, called
        self.name, self.users = None, 0
        self.literal = self.sharding = self.backend_config = None
        for operand in self.operands:
            assert operand.function is function, f"{opcode} takes an operand of another computation"
            operand.users += 1

    kind = property(lambda self: self.shape.kind)
    dims = property(lambda self: self.shape.dims)

    def __add__(self, other):
        return self.function.binary("add", self, other)

    def __sub__(self, other):
        return self.function.binary("subtract", self, other)

    def __mul__(self, other):
        return self.function.binary("multiply", self, other)

    def __truediv__(self, other):
        return self.function.binary("divide", self, other)

    def __radd__(self, other):
        return self.function.binary("add", self.function.like(other, self), self)

    def __rsub__(self, other):
        return self.function.binary("subtract", self.function.like(other, self), self)

    def __rtruediv__(self, other):
        return self.function.binary("divide", self.function.like(other, self), self)

    def __rmul__(self, other):
        return self.function.binary("multiply", self.function.like(other, self), self)

    def __getitem__(self, index):
        return self.function.emit("get-tuple-element", self.shape.parts[index], [self], [f"index={index}"],
                                  primitive=None)

    def text(self):
        if self.opcode in ("parameter", "constant"):
            inner = self.literal
        else:
            inner = with_index_comments(["%" + operand.name for operand in self.operands])
        parts = [f"%{self.name} = {self.shape.text()} {self.opcode}({inner})", *self.attributes]
        for key, computation in self.called:
            parts.append(f"{key}=%{computation.name}")
        if self.sharding:
            parts.append(f"sharding={self.sharding}")
        if self.metadata:
            parts.append("metadata={" + self.metadata + "}")
        if self.backend_config:
            parts.append(f"backend_config={self.backend_config}")
        return ", ".join(parts)


# The name JAX gives the primitive behind an opcode: the last part of op_name, and the instruction's name.
PRIMITIVES = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "maximum": "max", "minimum": "min",
    "exponential": "exp", "log": "log", "tanh": "tanh", "rsqrt": "rsqrt", "sqrt": "sqrt", "cosine": "cos",
    "power": "pow", "broadcast": "broadcast_in_dim", "reshape": "reshape", "transpose": "transpose",
    "convert": "convert_element_type", "select": "select_n", "dot": "dot_general", "iota": "iota",
    "gather": "gather", "scatter": "scatter-add", "dynamic-slice": "dynamic_slice", "negate": "neg",
    "dynamic-update-slice": "dynamic_update_slice", "while": "while", "remainder": "rem",
}
COMPARE_NAMES = {"GE": "ge", "LT": "lt", "EQ": "eq"}


class Function:
    """A computation under construction. Its methods add instructions and return them."""

    def __init__(self, module, label):
        self.module, self.label, self.name = module, label, None
        self.instructions, self.parameters, self.root = [], [], None
        self.scalars = {}

    # Structure.

    def emit(self, opcode, shape, operands, attributes=(), primitive="", called=()):
        """Adds an instruction. `primitive` "" takes the usual one of the opcode, None leaves metadata out."""
        if primitive == "":
            primitive = PRIMITIVES[opcode]
        metadata = self.module.metadata(primitive) if primitive else ""
        label = re.sub(r"[^\w-]", "_", primitive) if primitive else opcode
        instruction = Instruction(self, opcode, shape, operands, list(attributes), label, metadata, list(called))
        self.instructions.append(instruction)
        return instruction

    def parameter(self, label, shape, sharding=None):
        """The next parameter; `label` is the path of the argument, such as state['step']."""
        result = self.emit("parameter", shape, [], primitive=None)
        result.literal, result.sharding = str(len(self.parameters)), sharding
        result.label = re.sub(r"\W", "_", label)
        escaped = label.replace("'", "\\'")
        result.metadata = f'op_name="{escaped}"'
        self.parameters.append(result)
        return result

    def constant(self, kind, value):
        """A scalar constant; one instruction for each value in the computation."""
        key = (kind, value)
        if key not in self.scalars:
            result = self.emit("constant", Shape(kind), [], primitive=None)
            result.literal = float_text(value) if kind in ("f32", "bf16") else str(value)
            self.scalars[key] = result
        return self.scalars[key]

    def like(self, value, other):
        """`value` (a number or a scalar instruction) broadcast to the shape of `other`."""
        if isinstance(value, Instruction):
            scalar = value
        else:
            scalar = self.constant(other.kind, value)
        return self.broadcast(scalar, other.dims, []) if other.dims else scalar

    def tuple(self, parts):
        return self.emit("tuple", Shape("tuple", parts=[part.shape for part in parts]), parts, primitive=None)

    # Element by element.

    def binary(self, opcode, left, right):
        if not isinstance(right, Instruction) or (right.dims == () and left.dims != ()):
            right = self.like(right, left)
        assert left.shape == right.shape, (opcode, left.shape.text(), right.shape.text())
        return self.emit(opcode, left.shape, [left, right])

    def unary(self, opcode, operand):
        return self.emit(opcode, operand.shape, [operand])

    def convert(self, operand, kind):
        return operand if operand.kind == kind else self.emit("convert", Shape(kind, operand.dims), [operand])

    def compare(self, left, right, direction):
        if not isinstance(right, Instruction):
            right = self.like(right, left)
        assert left.shape == right.shape
        return self.emit("compare", Shape("pred", left.dims), [left, right], [f"direction={direction}"],
                         primitive=COMPARE_NAMES[direction])

    def select(self, where, yes, no):
        assert where.shape == Shape("pred", yes.dims) and yes.shape == no.shape
        return self.emit("select", yes.shape, [where, yes, no])

    # Moving data.

    def broadcast(self, operand, dims, dimensions):
        assert [dims[d] for d in dimensions] == list(operand.dims)
        return self.emit("broadcast", Shape(operand.kind, dims), [operand], [f"dimensions={braces(dimensions)}"])

    def iota(self, kind, dims, dimension):
        return self.emit("iota", Shape(kind, dims), [], [f"iota_dimension={dimension}"])

    def reshape(self, operand, dims):
        return self.emit("reshape", Shape(operand.kind, dims), [operand])

    def transpose(self, operand, permutation):
        dims = [operand.dims[p] for p in permutation]
        return self.emit("transpose", Shape(operand.kind, dims), [operand], [f"dimensions={braces(permutation)}"])

    def slice_of(self, stacked, index):
        """Element `index` (an s32 scalar) of a stack along dimension 0."""
        zero = self.constant("s32", 0)
        sizes = (1, *stacked.dims[1:])
        starts = [index] + [zero] * (len(sizes) - 1)
        piece = self.emit("dynamic-slice", Shape(stacked.kind, sizes), [stacked, *starts],
                          [f"dynamic_slice_sizes={braces(sizes)}"])
        return self.reshape(piece, sizes[1:])

    def put(self, stacked, piece, index):
        """The stack with element `index` replaced by `piece`."""
        assert stacked.dims[1:] == piece.dims and stacked.kind == piece.kind
        update = self.broadcast(piece, (1, *piece.dims), range(1, len(stacked.dims)))
        starts = [index] + [self.constant("s32", 0)] * (len(stacked.dims) - 1)
        return self.emit("dynamic-update-slice", stacked.shape, [stacked, update, *starts])

    def rows(self, table, indices):
        """The rows of a table [v, d] at s32 indices [a, b, 1]: [a, b, d]."""
        width = table.dims[1]
        return self.emit("gather", Shape(table.kind, (*indices.dims[:2], width)), [table, indices],
                         ["offset_dims={2}", "collapsed_slice_dims={0}", "start_index_map={0}",
                          "index_vector_dim=2", f"slice_sizes={{1,{width}}}"])

    def add_rows(self, table, indices, updates):
        """The table with updates [a, b, d] added to its rows at indices [a, b, 1]."""
        assert updates.dims == (*indices.dims[:2], table.dims[1]) and updates.kind == table.kind
        return self.emit("scatter", table.shape, [table, indices, updates],
                         ["update_window_dims={2}", "inserted_window_dims={0}",
                          "scatter_dims_to_operand_dims={0}", "index_vector_dim=2"],
                         called=[("to_apply", self.module.reducer("add", table.kind))])

    # Contractions and reductions.

    def dot(self, left, right, contract, batch=((), ()), kind="f32"):
        (lc, rc), (lb, rb) = contract, batch
        assert [left.dims[d] for d in lc] == [right.dims[d] for d in rc] and left.kind == right.kind
        assert [left.dims[d] for d in lb] == [right.dims[d] for d in rb]
        dims = [left.dims[d] for d in lb]
        dims += [n for d, n in enumerate(left.dims) if d not in (*lb, *lc)]
        dims += [n for d, n in enumerate(right.dims) if d not in (*rb, *rc)]
        attributes = [f"lhs_batch_dims={braces(lb)}"] if lb else []
        attributes += [f"lhs_contracting_dims={braces(lc)}"]
        attributes += [f"rhs_batch_dims={braces(rb)}"] if rb else []
        attributes += [f"rhs_contracting_dims={braces(rc)}"]
        return self.emit("dot", Shape(kind, dims), [left, right], attributes)

    def reduce(self, operand, dimensions, kind="add"):
        identity = {"add": 0, "maximum": float("-inf")}[kind]
        dims = [n for d, n in enumerate(operand.dims) if d not in dimensions]
        return self.emit("reduce", Shape(operand.kind, dims), [operand, self.constant(operand.kind, identity)],
                         [f"dimensions={braces(dimensions)}"],
                         primitive={"add": "reduce_sum", "maximum": "reduce_max"}[kind],
                         called=[("to_apply", self.module.reducer(kind, operand.kind))])

    # Control.

    def call(self, function, operands):
        assert [p.shape for p in function.parameters] == [o.shape for o in operands]
        return self.emit("call", function.root.shape, operands, primitive=f"jit({function.label})",
                         called=[("to_apply", function)])

    def loop(self, condition, body, initial, trips):
        """A loop that is known to run `trips` times, counting up from 0 in element 0 of its state."""
        assert condition.parameters[0].shape == body.parameters[0].shape == body.root.shape == initial.shape
        result = self.emit("while", initial.shape, [initial], called=[("condition", condition), ("body", body)])
        result.backend_config = ('{"known_trip_count":{"n":"%d"},"known_init_step":{"init":"0","step":"1"},'
                                 '"known_induction_variable":{"tuple_index":"0"}}' % trips)
        return result

    # Several devices.

    def partition_id(self):
        return self.emit("partition-id", Shape("u32"), [], primitive=None)

    def collective(self, opcode, operand, groups, dims=None, attributes=(), reducer=None):
        """A collective over `groups` (text); `dims` are the result's where they differ from the operand's."""
        primitive = opcode.replace("-", "_")
        common = [f"channel_id={self.module.next_channel()}", f"replica_groups={groups}"]
        shape = Shape(operand.kind, operand.dims if dims is None else dims)
        called = [("to_apply", self.module.reducer(reducer, operand.kind))] if reducer else []
        result = self.emit(opcode, shape, [operand], common + list(attributes), primitive, called)
        result.label = opcode
        return result

    # Printing.

    def in_order(self):
        """All instructions, operands first, in the order XLA prints them."""
        done, order = set(), []
        for start in self.instructions:
            if start.users:
                continue
            stack = [(start, False)]
            while stack:
                instruction, operands_done = stack.pop()
                if id(instruction) in done:
                    continue
                if operands_done:
                    done.add(id(instruction))
                    order.append(instruction)
                    continue
                stack.append((instruction, True))
                stack += [(operand, False) for operand in reversed(instruction.operands)]
        return order

    def text(self, entry):
        parameters = ", ".join(f"{p.name}: {p.shape.text(layout=False)}" for p in self.parameters)
        lines = [f"{'ENTRY ' if entry else ''}%{self.name} ({parameters}) -> {self.root.shape.text(layout=False)} {{"]
        for instruction in self.in_order():
            lines.append(("  ROOT " if instruction is self.root else "  ") + instruction.text())
        return "\n".join(lines + ["}"])


class Module:
    """An HLO module, with the place in the source that instructions now being added come from."""

    def __init__(self, name, source_path, num_partitions):
        self.name, self.num_partitions = name, num_partitions
        self.source, self.frames = Source(source_path), FrameTable()
        self.entry, self.alias_count = None, 0
        self.reducers, self.channels = {}, 0
        self.scopes, self.callers, self.place = [], [], None

    # Where instructions come from.

    @contextlib.contextmanager
    def scope(self, *names):
        """Instructions added inside have op_name below these scopes."""
        saved = self.scopes
        self.scopes = saved + list(names)
        yield
        self.scopes = saved

    @contextlib.contextmanager
    def called_from(self, snippet):
        """Instructions added inside come from a function that the line with `snippet` calls."""
        saved = self.callers, self.place
        self.callers = self.callers + [self.source.find(snippet)]
        yield
        self.callers, self.place = saved

    @contextlib.contextmanager
    def separate(self, *names):
        """For the body of a function that is called: scopes and callers start anew, as in JAX."""
        saved = self.scopes, self.callers, self.place
        self.scopes, self.callers = list(names), []
        yield
        self.scopes, self.callers, self.place = saved

    def at(self, snippet):
        """Instructions added from now on come from the line with `snippet`."""
        self.place = self.source.find(snippet)

    def at_call(self):
        """Instructions added from now on come from the calling line itself."""
        self.place = self.callers[-1]

    def metadata(self, primitive):
        parts = [f'op_name="{"/".join([*self.scopes, primitive])}"']
        if self.place:
            callers = self.callers[:-1] if self.callers[-1:] == [self.place] else self.callers
            frame = self.frames.frame_id([*callers, self.place])
            parts += [f'source_file="{SOURCE_FILE}"', f"source_line={self.place[1]}", f"stack_frame_id={frame}"]
        return " ".join(parts)

    # Parts.

    def reducer(self, opcode, kind):
        """The computation that combines two scalars with `opcode`."""
        if (opcode, kind) not in self.reducers:
            with self.separate():
                self.place = None
                function = Function(self, "region")
                left, right = (function.parameter(label, Shape(kind)) for label in ("lhs", "rhs"))
                function.root = function.binary(opcode, left, right)
            self.reducers[opcode, kind] = function
        return self.reducers[opcode, kind]

    def next_channel(self):
        self.channels += 1
        return self.channels

    # Printing.

    def computations(self):
        """All computations, called before callers, the entry last."""
        order = []

        def visit(function):
            if function in order:
                return
            for instruction in function.in_order():
                for _, called in reversed(instruction.called):  # XLA keeps a loop's body before its condition.
                    visit(called)
            order.append(function)

        visit(self.entry)
        return order

    def name_everything(self, computations):
        counts = {}

        def unique(label):
            counts[label] = counts.get(label, 0) + 1
            return f"{label}.{counts[label]}"

        for function in computations:
            function.name = unique(function.label)
            for instruction in function.in_order():
                instruction.name = unique(instruction.label)

    def text(self):
        computations = self.computations()
        self.name_everything(computations)
        header = f"HloModule {self.name}"
        if self.alias_count:
            aliases = ", ".join(f"{{{i}}}: ({i}, {{}}, may-alias)" for i in range(self.alias_count))
            header += f", input_output_alias={{ {aliases} }}"
        parameters = with_index_comments([p.shape.text() for p in self.entry.parameters])
        header += f", entry_computation_layout={{({parameters})->{self.entry.root.shape.text()}}}"
        if self.num_partitions != 1:
            header += f", num_partitions={self.num_partitions}"
        blocks = [f"{header}\n\n{self.frames.text()}\n"]
        blocks += [f"{function.text(function is self.entry)}\n" for function in computations]
        return "\n".join(blocks) + "\n"


def sample_folder():
    return os.path.dirname(os.path.abspath(__file__))
