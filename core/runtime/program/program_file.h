// A program in a file: magic and version, then the fields in the order of their visit() lists, then a
// checksum.
#pragma once

#include <string>

#include "core/runtime/program/program.h"

namespace hilo {

std::vector<std::byte> serialize(const Program& program);
// Error kinds: "not-a-program", "wrong-version", "truncated-file", "damaged-file", "malformed-program". Reads
// nothing outside `bytes` and allocates no more than a small multiple of its size, whatever it holds.
Result<Program> deserialize(std::span<const std::byte> bytes);

// By its first bytes; false for what cannot be read.
bool isProgramFile(const std::string& path);

// Error kinds: "cannot-write", "file-not-found", and deserialize's.
Status saveProgram(const Program& program, const std::string& path);
Result<Program> loadProgram(const std::string& path);

}  // namespace hilo
