// XLA's own thunks, joined to the instructions they were made of and to where the buffer assignment says
// these lie: as it printed them into a dump, or as an executable holds them, which also says what each
// reads and writes.
#pragma once

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

// Whether the dump holds a thunk sequence or the executable of this module.
bool hasThunkSequence(const OpenedDump& dump, size_t moduleIndex);

// Joined to `module`, its last stage: kernels by name, or by the annotation in the thunk metadata; other
// thunks by their place between kernels, where as many instructions of that kind stand as thunks do. What a
// thunk reads and writes are the values of its instruction and its operands, where the dump has a buffer
// assignment. Which must wait for which is what XLA printed; of the form that says nothing of it, what these
// bytes ask for, and one after the other where they are not known. What could not be read is among the notes.
// Errors: as of reading the files, "no-thunk-sequence".
Result<ThunkStudy> studyThunksOfDump(const OpenedDump& dump, size_t moduleIndex, const Module& module);

// What the dump has of a kernel, LLVM IR and PTX as XLA wrote them, cut to the function where it can be told.
// Fails with "no-kernel".
Result<KernelForms> kernelFormsOfDump(const OpenedDump& dump, size_t moduleIndex, const ThunkStudy& study,
                                      uint32_t thunk, const Module& module);

// The same of a file that is an executable with its module: a CompilationResultProto or a GpuExecutableProto.
// Of a kernel it has PTX, or machine code, which is disassembled.
bool hasThunkSequence(const OpenedFile& file);
Result<ThunkStudy> studyThunksOfFile(const OpenedFile& file);
Result<KernelForms> kernelFormsOfFile(const OpenedFile& file, const ThunkStudy& study, uint32_t thunk);

// Of a ThunksFile (open/opened.h): they are joined to no instructions.
Result<ThunkStudy> studyThunksAlone(const std::string& path);
// The code that an executable without a module has of a kernel.
Result<KernelForms> kernelFormsAlone(const std::string& path, const ThunkStudy& study, uint32_t thunk);

}  // namespace hilo
