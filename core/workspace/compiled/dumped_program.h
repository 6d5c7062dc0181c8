// A program of what a dump holds: the schedule of the module, the slices of its buffer assignment, the
// kernels of its PTX. Private to the room.
#pragma once

#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/workspace/compiled/dumped_buffers.h"
#include "core/workspace/compiled/dumped_kernels.h"

namespace hilo {

struct DumpedProgram {
  Program program;
  std::vector<std::string> notes;
};

// Kind "unsupported-program": everything that cannot be run, one a note.
Result<DumpedProgram> programOfDump(const Module& module, const DumpedBuffers& buffers,
                                    std::vector<DumpedPtx> ptx, const std::string& llvmIr,
                                    const CancelToken& cancel);

}  // namespace hilo
