// Private to the room: what a study of a compiled program keeps of it, and the steps that make the study.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/compiler/codegen/lower/codegen_engine.h"
#include "core/runtime/engine/engine.h"
#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

struct StudiedProgram {
  std::string title;
  // What compiled it, what instructions are of, and what was compiled, with library calls written out; null
  // of a saved program.
  const Engine* engine = nullptr;
  const CodegenEngine* codegen = nullptr;
  std::shared_ptr<const Module> module, compiled;
  std::shared_ptr<const Program> program;
  // Of a program for a GPU, by sequence and thunk; empty: the compiler's estimates.
  std::vector<std::vector<int64_t>> estimatedNs;
  std::vector<uint32_t> firstOf;  // by sequence: where its first thunk stands in the study; kNone: nowhere
  // Bitcode of each kernel with lines, made when the first is asked for.
  mutable std::mutex mutex;
  mutable std::vector<std::string> bitcode;
};

// The instruction of the module that an instruction of what was compiled came from; not valid without one.
InstructionId joinedTo(const StudiedProgram& of, uint32_t compiled);

// The thunks as a list, without times. Kind "too-large".
Result<ThunkStudy> studyOf(std::shared_ptr<StudiedProgram> of, std::string title);

// Of a program for a GPU: which thunks are given as graphs, and when its streams would run them.
void markGraphs(ThunkStudy& study);
void addPlannedTimeline(ThunkStudy& study);

}  // namespace hilo
