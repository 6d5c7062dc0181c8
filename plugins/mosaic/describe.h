// What a person asks of a kernel first, as one JSON object:
//
//   {"name": "kernel", "arch": [9, 0], "operations": {"mosaic_gpu.async_load": 2},
//    "launches": [{"line": 4, "grid": [4, 1, 1], "cluster": [1, 1, 1], "block": [128, 1, 1],
//                  "sharedBytes": 16400}],
//    "refs": [{"name": "%3", "line": 9, "memory": "shared", "type": "memref<64x64xf16>",
//              "bytes": 8192, "offset": 0}],
//    "barriers": [{"name": "%5", "line": 7, "count": 2, "arrivals": 1, "tensorCore": false}],
//    "program": "..."}
//
// A size that is not known before the kernel runs is null. `program` is what each group of threads does,
// for core/analysis/kernel_checks; "" where it could not be followed, with "notFollowed" saying why.
#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>

namespace hilo::mosaic {

// Lines are those of the locations of the operations.
std::string describe(mlir::ModuleOp module);

}  // namespace hilo::mosaic
