// Machine code of a kernel as text, for programs of which nothing else is left.
#pragma once

#include <span>
#include <string>

#include "core/base/result.h"
#include "core/runtime/program/program.h"

namespace hilo {

// What stands in the sections of an ELF object that hold code: a line an instruction, labels before
// functions, the name that is called or read behind what refers to one. The object may be anybody's. Error
// kinds: "damaged-file" for what is no object, "wrong-machine" for a processor nothing here can read.
Result<std::string> disassemble(std::span<const std::byte> object, const ProgramTarget& target);

}  // namespace hilo
