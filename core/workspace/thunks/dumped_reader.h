// XLA's thunks as a study: joined to instructions, with what orders them. Private to the room; xla_thunks.h
// is its door.
#pragma once

#include "core/hlo/dump/thunk_sequence.h"
#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

// Joined to `module`, whose values lie where `buffers` says.
ThunkStudy studyOf(const std::vector<DumpedThunk>& thunks, const Module& module,
                   const ModuleBuffers& buffers);
// Of a sequence by itself.
ThunkStudy studyOf(const std::vector<DumpedThunk>& thunks);

}  // namespace hilo
