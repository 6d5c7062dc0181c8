// Tells what a file holds by looking at its content, never at its name. Protobuf kinds are told apart by
// structure: the parts a kind must have are there (a module has computations), everything it has fits its
// schema, and of those that fit the one that leaves least unexplained wins.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace google::protobuf {
class Message;
}

namespace hilo {

enum class FileKind : uint8_t {
  Unknown,
  UnknownText,  // readable, but nothing below
  Empty,
  HloText,
  StdoutDump,  // files of a dump one after another between "*** Begin NAME ***" lines
  Mlir,
  MlirBytecode,
  HloModule,
  HloProto,
  HloSnapshot,
  HloUnoptimizedSnapshot,
  DelimitedUnoptimizedSnapshot,  // the length-prefixed form for arguments above 2 GiB
  HloModuleMetadata,
  BufferAssignment,
  Schedule,
  MemoryUsageReport,
  ThunkMetadata,
  CpuThunkSequence,
  GpuThunkSequence,
  CpuExecutable,
  GpuExecutable,
  GpuExecutableWithOptions,
  PjrtExecutable,  // either executable as bytes, as a PJRT client serialises it
  Literal,
  OtherTextProto,
  BufferAssignmentText,
  MemoryUsageText,
  ThunkSequenceText,
  LlvmIr,
  Ptx,
  Riegeli,
  Numpy,
  Zip,
  Sqlite,
  Elf,
};

enum class Encoding : uint8_t { Binary, Text };

struct FileFormat {
  FileKind kind = FileKind::Unknown;
  Encoding encoding = Encoding::Binary;
};

// "HloSnapshot", "HLO text": for messages.
std::string_view fileKindName(FileKind kind);

// Of XLA: compiled code with its thunks, written with its module or without; and thunks with nothing else.
bool isExecutable(FileKind kind);
bool isThunkSequence(FileKind kind);

// `bytes` are already inflated (gzip.h).
FileFormat detectKind(std::string_view bytes);

// An empty message of the kind's type; nullptr for kinds that are no protobuf.
const google::protobuf::Message* prototypeOf(FileKind kind);

}  // namespace hilo
