"""Kernels as Pallas writes them for Mosaic GPU, for tests: text of MLIR by parameters.

Each function gives a module. `lower` ones hold what is left after lowering: operations of single threads.
"""

SHARED = "#gpu.address_space<workgroup>"
SLOT = f"memref<!mosaic_gpu.barrier, strided<[], offset: ?>, {SHARED}>"


def module(name, body, threads=128, shared=16384, grid=(1, 1, 1), cluster=None, arguments="", arch=(9, 0)):
    """The host's function that launches `body`."""
    sizes = "".join(f"    %n{n} = arith.constant {n} : index\n" for n in sorted({*grid, threads, 1, *(cluster or ())}))
    clusters = ""
    if cluster:
        x, y, z = cluster
        clusters = f" clusters(%cx, %cy, %cz) in (%kx = %n{x}, %ky = %n{y}, %kz = %n{z})"
    gx, gy, gz = grid
    return f"""module @{name} attributes {{mosaic_gpu.arch_major = {arch[0]} : i32, mosaic_gpu.arch_minor = {arch[1]} : i32}} {{
  func.func @{name}_host({arguments}) {{
{sizes}    %shared = arith.constant {shared} : i32
    gpu.launch{clusters} blocks(%bx, %by, %bz) in (%gx = %n{gx}, %gy = %n{gy}, %gz = %n{gz})
        threads(%tx, %ty, %tz) in (%sx = %n{threads}, %sy = %n1, %sz = %n1) dynamic_shared_memory_size %shared {{
{body}      gpu.terminator
    }}
    return
  }}
}}
"""


def barrier(name, offset, slots, arrivals=1, tensor="false"):
    """A barrier's slots in shared memory, initialized; `tensor`: it is tensor cores that arrive."""
    kind = f"memref<{slots}x!mosaic_gpu.barrier, {SHARED}>"
    return f"""      %{name} = "mosaic_gpu.slice_smem"() <{{offset = {offset} : i32}}> : () -> {kind}
      %{name}_index = memref.extract_aligned_pointer_as_index %{name} : {kind} -> index
      %{name}_integer = arith.index_cast %{name}_index : index to i64
      %{name}_pointer = llvm.inttoptr %{name}_integer : i64 to !llvm.ptr<3>
      "mosaic_gpu.initialize_barrier"(%{name}_pointer) <{{arrival_count = {arrivals} : i64, num_barriers = {slots} : i32, orders_tensor_core = {tensor}}}> : (!llvm.ptr<3>) -> ()
"""


def slot(result, name, slots, index):
    kind = f"memref<{slots}x!mosaic_gpu.barrier, {SHARED}>"
    return f"        %{result} = memref.subview %{name}[%{index}] [1] [1] : {kind} to {SLOT}\n"


def array(name, offset, shape, element):
    return f"""      %{name} = "mosaic_gpu.slice_smem"() <{{offset = {offset} : i32}}> : () -> memref<{shape}x{element}, {SHARED}>
"""


BYTES = {"f32": 4, "f16": 2, "bf16": 2, "f8E4M3FN": 1, "f8E5M2": 1, "i8": 1, "i32": 4, "f64": 8}


def pointwise(name, rows, columns, element, operation):
    """Loads an array, applies `operation` to it with itself, stores it through shared memory."""
    count = rows * columns * BYTES[element]
    kind = f"memref<{rows}x{columns}x{element}, {SHARED}>"
    outside, vector = f"memref<{rows}x{columns}x{element}>", f"vector<{rows}x{columns}x{element}>"
    body = array("buffer", 0, f"{rows}x{columns}", element) + barrier("full", count, 1) + f"""      gpu.barrier
      %zero = arith.constant 0 : index
      %at = arith.constant 0 : i32
      %false = arith.constant false
      %bytes = arith.constant {count} : i32
{slot("slot", "full", 1, "zero")}      mosaic_gpu.arrive_expect_tx barrier(%slot : {SLOT}) %bytes
      "mosaic_gpu.async_load"(%in, %buffer, %slot, %at, %at) <{{collective = [], oob_fill_mode = 2 : i32, slice_lengths = array<i64: {rows}, {columns}>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>}}> : ({outside}, {kind}, {SLOT}, i32, i32) -> ()
      mosaic_gpu.wait barrier(%slot : {SLOT}) parity(%false : i1)
      %x = "mosaic_gpu.vector_load"(%buffer) : ({kind}) -> {vector}
      %y = {operation} %x, %x : {vector}
      "mosaic_gpu.vector_store"(%y, %buffer) <{{multimem = false}}> : ({vector}, {kind}) -> ()
      nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}
      gpu.barrier
      "mosaic_gpu.async_store"(%buffer, %out, %at, %at) <{{commit_group = true, is_global_broadcast = false, slice_lengths = array<i64: {rows}, {columns}>, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>}}> : ({kind}, {outside}, i32, i32) -> ()
      nvvm.cp.async.bulk.wait_group 0
"""
    return module(name, body, 128, count + 8, (1, 1, 1), None, f"%in: {outside}, %out: {outside}")


def pipeline(name, depth, steps, m, n, k, element, accumulator="f32", cluster=None, grid=(1, 1, 1)):
    """A product of matrices: one warpgroup loads, `depth` tiles ahead, the other multiplies.

    Elements of a byte are read along the sum alone, so that the second matrix is given by its columns.
    """
    by_columns = BYTES[element] == 1
    rows, columns, from_b = (n, k, "%at, %from") if by_columns else (k, n, "%from, %at")
    a_bytes, b_bytes = m * k * BYTES[element], k * n * BYTES[element]
    all_a = f"memref<{depth}x{m}x{k}x{element}, {SHARED}>"
    all_b = f"memref<{depth}x{rows}x{columns}x{element}, {SHARED}>"
    tile_a = f"memref<{m}x{k}x{element}, strided<[{k}, 1], offset: ?>, {SHARED}>"
    tile_b = f"memref<{rows}x{columns}x{element}, strided<[{columns}, 1], offset: ?>, {SHARED}>"
    outside_a = f"memref<{m}x{steps * k}x{element}>"
    outside_b = f"memref<{n}x{steps * k}x{element}>" if by_columns else f"memref<{steps * k}x{n}x{element}>"
    factor_b, type_b, transpose = "tile_b", tile_b, ""
    if by_columns:
        factor_b, type_b = "factor_b", f"memref<{k}x{n}x{element}, strided<[1, {k}], offset: ?>, {SHARED}>"
        transpose = f"          %factor_b = memref.transpose %tile_b (d0, d1) -> (d1, d0) : {tile_b} to {type_b}\n"
    sums = f"vector<{m}x{n}x{accumulator}>"
    zero = "0.0" if accumulator.startswith("f") else "0"
    after = depth * (a_bytes + b_bytes)

    def turn():
        return f"""          %of = arith.remui %i, %depth : index
          %round = arith.divui %i, %depth : index
          %odd = arith.remui %round, %two : index
          %parity = arith.cmpi ne, %odd, %zero : index
          %parity_before = arith.cmpi eq, %odd, %zero : index
{slot("slot_full", "full", depth, "of")}{slot("slot_empty", "empty", depth, "of")}          %tile_a = memref.subview %tiles_a[%of, 0, 0] [1, {m}, {k}] [1, 1, 1] : {all_a} to {tile_a}
          %tile_b = memref.subview %tiles_b[%of, 0, 0] [1, {rows}, {columns}] [1, 1, 1] : {all_b} to {tile_b}
"""

    body = (array("tiles_a", 0, f"{depth}x{m}x{k}", element) + array("tiles_b", depth * a_bytes, f"{depth}x{rows}x{columns}", element)
            + barrier("full", after, depth) + barrier("empty", after + 8 * depth, depth)) + f"""      gpu.barrier
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %depth = arith.constant {depth} : index
      %steps = arith.constant {steps} : index
      %warpgroup_size = arith.constant 128 : index
      %bytes = arith.constant {a_bytes + b_bytes} : i32
      %at = arith.constant 0 : i32
      %k = arith.constant {k} : i32
      %warpgroup = arith.divui %tx, %warpgroup_size : index
      %loads = arith.cmpi eq, %warpgroup, %zero : index
      scf.if %loads {{
        scf.for %i = %zero to %steps step %one {{
{turn()}          mosaic_gpu.wait barrier(%slot_empty : {SLOT}) parity(%parity_before : i1)
          mosaic_gpu.arrive_expect_tx barrier(%slot_full : {SLOT}) %bytes
          %step = arith.index_cast %i : index to i32
          %from = arith.muli %step, %k : i32
          "mosaic_gpu.async_load"(%a, %tile_a, %slot_full, %at, %from) <{{collective = [], oob_fill_mode = 2 : i32, slice_lengths = array<i64: {m}, {k}>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>}}> : ({outside_a}, {tile_a}, {SLOT}, i32, i32) -> ()
          "mosaic_gpu.async_load"(%b, %tile_b, %slot_full, {from_b}) <{{collective = [], oob_fill_mode = 2 : i32, slice_lengths = array<i64: {rows}, {columns}>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>}}> : ({outside_b}, {tile_b}, {SLOT}, i32, i32) -> ()
        }}
      }} else {{
        %none = arith.constant dense<{zero}> : {sums}
        %sum = scf.for %i = %zero to %steps step %one iter_args(%before = %none) -> ({sums}) {{
{turn()}          mosaic_gpu.wait barrier(%slot_full : {SLOT}) parity(%parity : i1)
{transpose}          %next = mosaic_gpu.wgmma accumulator(%before : {sums}) a(%tile_a : {tile_a}) b(%{factor_b} : {type_b}) -> {sums}
          nvvm.wgmma.wait.group.sync.aligned 0
          "mosaic_gpu.arrive"(%slot_empty) <{{orders_tensor_core = false}}> : ({SLOT}) -> ()
          scf.yield %next : {sums}
        }}
        "mosaic_gpu.vector_store"(%sum, %out) <{{multimem = false}}> : ({sums}, memref<{m}x{n}x{accumulator}>) -> ()
      }}
"""
    arguments = f"%a: {outside_a}, %b: {outside_b}, %out: memref<{m}x{n}x{accumulator}>"
    return module(name, body, 256, after + 16 * depth, grid, cluster, arguments)


def tensor_cores(name, m, n, k, element):
    """A product on Blackwell's tensor cores, through tensor memory."""
    smem_a, smem_b = f"memref<{m}x{k}x{element}, {SHARED}>", f"memref<{k}x{n}x{element}, {SHARED}>"
    a_bytes, b_bytes = m * k * BYTES[element], k * n * BYTES[element]
    tmem, sums = f"memref<{m}x{n}xf32, #mosaic_gpu.tmem>", f"vector<{m}x{n}xf32>"
    after = a_bytes + b_bytes
    body = array("tile_a", 0, f"{m}x{k}", element) + array("tile_b", a_bytes, f"{k}x{n}", element) + f"""      %address = "mosaic_gpu.slice_smem"() <{{offset = {after + 16} : i32}}> : () -> memref<i32, {SHARED}>
""" + barrier("full", after, 1) + barrier("done", after + 8, 1, 1, "true") + f"""      %sum = mosaic_gpu.tmem_alloc smem_ptr(%address : memref<i32, {SHARED}>) {{collective = false, packing = 1 : i32}} -> {tmem}
      gpu.barrier
      %zero = arith.constant 0 : index
      %at = arith.constant 0 : i32
      %false = arith.constant false
      %bytes = arith.constant {after} : i32
{slot("slot_full", "full", 1, "zero")}{slot("slot_done", "done", 1, "zero")}      mosaic_gpu.arrive_expect_tx barrier(%slot_full : {SLOT}) %bytes
      "mosaic_gpu.async_load"(%a, %tile_a, %slot_full, %at, %at) <{{collective = [], oob_fill_mode = 2 : i32, slice_lengths = array<i64: {m}, {k}>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>}}> : (memref<{m}x{k}x{element}>, {smem_a}, {SLOT}, i32, i32) -> ()
      "mosaic_gpu.async_load"(%b, %tile_b, %slot_full, %at, %at) <{{collective = [], oob_fill_mode = 2 : i32, slice_lengths = array<i64: {k}, {n}>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>}}> : (memref<{k}x{n}x{element}>, {smem_b}, {SLOT}, i32, i32) -> ()
      mosaic_gpu.wait barrier(%slot_full : {SLOT}) parity(%false : i1)
      "mosaic_gpu.tcgen05_mma"(%sum, %tile_a, %tile_b, %false) <{{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}}> : ({tmem}, {smem_a}, {smem_b}, i1) -> ()
      "mosaic_gpu.tcgen05_commit_arrive"(%slot_done) <{{collective = false}}> : ({SLOT}) -> ()
      mosaic_gpu.wait barrier(%slot_done : {SLOT}) parity(%false : i1)
      %value = "mosaic_gpu.async_load_tmem"(%sum) : ({tmem}) -> {sums}
      "mosaic_gpu.vector_store"(%value, %out) <{{multimem = false}}> : ({sums}, memref<{m}x{n}xf32>) -> ()
      mosaic_gpu.tmem_dealloc tmem_ref(%sum : {tmem})
"""
    arguments = f"%a: memref<{m}x{k}x{element}>, %b: memref<{k}x{n}x{element}>, %out: memref<{m}x{n}xf32>"
    return module(name, body, 128, after + 20, (1, 1, 1), None, arguments, (10, 0))


def lowered(name, count):
    """What is left of a kernel with one barrier: operations of single threads."""
    body = f"""      %dynamic = gpu.dynamic_shared_memory : memref<?xi8, {SHARED}>
      %zero = arith.constant 0 : index
      %threads = arith.constant {count} : i32
      %phase = arith.constant 0 : i32
      %ticks = arith.constant 10000000 : i32
      %bytes = arith.constant 512 : i32
      %index = memref.extract_aligned_pointer_as_index %dynamic : memref<?xi8, {SHARED}> -> index
      %integer = arith.index_cast %index : index to i64
      %pointer = llvm.inttoptr %integer : i64 to !llvm.ptr<3>
      nvvm.mbarrier.init %pointer, %threads : !llvm.ptr<3>, i32
      gpu.barrier
      nvvm.mbarrier.arrive.expect_tx %pointer, %bytes : !llvm.ptr<3>, i32
      nvvm.mbarrier.try_wait.parity %pointer, %phase, %ticks : !llvm.ptr<3>, i32, i32
"""
    return module(name, body, 128, 1024, (2, 2, 1), None, "%unused: !llvm.ptr")
