// A program in a file: the head, which is magic and version, the size of the fields, the fields in the order
// of their visit() lists and a checksum of all these; then the constants, each at a multiple of 64, whose
// checksums are among the fields. Loading reads the head and maps the rest, so that it takes as long however
// large constants are; whoever is about to use them looks whether they are what was saved (checkConstants).
#pragma once

#include <optional>
#include <string>

#include "core/base/mapped_file.h"
#include "core/runtime/program/program.h"

namespace hilo {

std::vector<std::byte> serialize(const Program& program);
// Constants are copied and checked. Error kinds: "not-a-program", "wrong-version", "truncated-file",
// "damaged-file", "malformed-program". Reads nothing outside `bytes` and allocates no more than a small
// multiple of its size, whatever it holds.
Result<Program> deserialize(std::span<const std::byte> bytes);

// In two parts, for whoever has the constants in a file already. They begin after `constantsAt` and end
// with the file.
std::vector<std::byte> serializeHead(const Program& program);
// `constants` is null where there are none. Errors as above; constants are not read.
Result<Program> deserialize(std::span<const std::byte> head, std::shared_ptr<const MappedFile> constants,
                            size_t constantsAt);
// How large a file is that has them after `constantsAt`, and them in it.
size_t constantsEnd(const Program& program, size_t constantsAt);
void writeConstants(const Program& program, std::span<std::byte> file, size_t constantsAt);

// Of a program from a file that has all its constants as saved.
struct ConstantsInFile {
  std::shared_ptr<const MappedFile> file;
  size_t constantsAt = 0;
};
std::optional<ConstantsInFile> constantsInFile(const Program& program);

// By its first bytes; false for what cannot be read.
bool isProgramFile(const std::string& path);

// Error kinds: "not-writable", "file-not-found", "not-readable", and deserialize's. The file is mapped as
// long as a copy of the program is there.
Status saveProgram(const Program& program, const std::string& path);
Result<Program> loadProgram(const std::string& path);

}  // namespace hilo
