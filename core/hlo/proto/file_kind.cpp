#include "core/hlo/proto/file_kind.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/hlo/ir/instruction_line.h"
#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/schema/dump.pb.h"
#include "core/hlo/proto/schema/executable.pb.h"
#include "core/hlo/proto/text_tree.h"
#include "core/hlo/proto/wire.h"

namespace hilo {
namespace {

// A protobuf kind, and field paths of which all must be there. Where two kinds explain a file equally well,
// the earlier one is meant.
struct ProtoKind {
  FileKind kind;
  const google::protobuf::Message* prototype;
  std::vector<std::vector<int>> required;
};

const std::vector<ProtoKind>& protoKinds() {
  static const auto& kinds = *new std::vector<ProtoKind>{
      {FileKind::HloModule, &pb::HloModuleProto::default_instance(), {{3, 2}}},
      {FileKind::HloProto, &pb::HloProto::default_instance(), {{1, 3, 2}}},
      {FileKind::HloSnapshot, &pb::HloSnapshot::default_instance(), {{1, 1, 3, 2}}},
      {FileKind::HloUnoptimizedSnapshot, &pb::HloUnoptimizedSnapshot::default_instance(), {{1, 3, 2}, {2}}},
      {FileKind::Schedule, &pb::ScheduleProto::default_instance(), {{2, 2}}},
      {FileKind::HloModuleMetadata, &pb::HloModuleMetadataProto::default_instance(), {{5}}},
      {FileKind::BufferAssignment, &pb::BufferAssignmentProto::default_instance(), {{3}}},
      {FileKind::MemoryUsageReport, &pb::MemoryUsageReportProto::default_instance(), {{1, 3}}},
      {FileKind::ThunkMetadata, &pb::ThunkMetadataListProto::default_instance(), {{1, 2}}},
      {FileKind::CpuThunkSequence, &pb::cpu::ThunkSequenceProto::default_instance(), {{1, 1}}},
      {FileKind::GpuThunkSequence, &pb::gpu::ThunkSequenceProto::default_instance(), {{1, 1}}},
      // Executables may have been written without their module. Their fields 6, thunks and the kind of GPU,
      // and 5, a number and a map, do not fit one as the other, whatever else is in them that nobody knows.
      {FileKind::CpuExecutable, &pb::CompilationResultProto::default_instance(), {{6, 1}}},
      {FileKind::CpuExecutable, &pb::CompilationResultProto::default_instance(), {{1, 1, 3, 2}, {5}}},
      {FileKind::GpuExecutable, &pb::GpuExecutableProto::default_instance(), {{1, 1, 3, 2}}},
      {FileKind::GpuExecutable, &pb::GpuExecutableProto::default_instance(), {{13}}},
      {FileKind::GpuExecutableWithOptions,
       &pb::ReadableGpuExecutableProto::default_instance(),
       {{2, 1, 1, 3, 2}}},
      {FileKind::Literal, &pb::LiteralProto::default_instance(), {{1, 2}}},
  };
  return kinds;
}

bool hasRequired(std::string_view bytes, uint64_t topFields, const ProtoKind& kind) {
  return std::ranges::all_of(kind.required, [&](const auto& path) {
    return (topFields >> path[0] & 1) != 0 && wireHasPath(bytes, path);
  });
}

// Metadata and digests of other programs also walk as protobuf now and then. A fit must explain more
// than it leaves.
bool isConvincing(const WireFit& fit) {
  return fit.fits && fit.knownFields > fit.unknownFields && fit.oddStrings * 4 <= fit.knownFields;
}

FileKind detectBinaryProto(std::string_view bytes) {
  FileKind best = FileKind::Unknown;
  uint64_t bestLeft = 0;
  const uint64_t topFields = wireTopFields(bytes);
  for (const ProtoKind& kind : protoKinds()) {
    if (!hasRequired(bytes, topFields, kind)) continue;
    const WireFit fit = fitWire(bytes, *kind.prototype->GetDescriptor());
    if (!isConvincing(fit)) continue;
    const uint64_t left = fit.unknownFields + fit.oddStrings;
    if (best != FileKind::Unknown && left >= bestLeft) continue;
    best = kind.kind;
    bestLeft = left;
    if (left == 0) break;
  }
  return best;
}

bool isDelimitedSnapshot(std::string_view bytes) {
  uint64_t length = 0;
  if (!readVarint(bytes, length) || length == 0 || length > bytes.size()) return false;
  const std::string_view head = bytes.substr(0, length);
  const auto& descriptor = *pb::HloUnoptimizedSnapshot::descriptor();
  return wireHasPath(head, std::array{1, 3, 2}) && isConvincing(fitWire(head, descriptor));
}

// Its executable is bytes to the schema, which alone would fit much else.
bool isPjrtExecutable(std::string_view bytes) {
  const auto& descriptor = *pb::ExecutableAndOptionsProto::descriptor();
  const uint64_t topFields = wireTopFields(bytes);
  if ((topFields >> 1 & 1) == 0 || (topFields >> 3 & 1) == 0 || !isConvincing(fitWire(bytes, descriptor)))
    return false;
  pb::ExecutableAndOptionsProto proto;
  if (!parseBinaryMessage(bytes, proto)) return false;
  const FileKind inner = detectBinaryProto(proto.serialized_executable());
  return inner == FileKind::CpuExecutable || inner == FileKind::GpuExecutable;
}

constexpr int kMaxTokens = 5'000'000;
constexpr int kMaxTextDepth = 1000;

// The field names on the top level, or nothing when the text is not of the protobuf text format.
std::vector<std::string_view> topLevelNames(std::string_view text) {
  std::vector<std::string_view> names;
  TextLexer lexer(text);
  int depth = 0;
  TextToken token = lexer.next();
  // What has not shown itself by then is told by what was seen.
  for (int count = 0; token.kind != TextToken::Kind::End && count < kMaxTokens; ++count) {
    const TextToken after = lexer.next();
    if (token.kind == TextToken::Kind::Bad || depth > kMaxTextDepth) return {};
    const bool opens = token.is('{') || token.is('<');
    if (token.kind == TextToken::Kind::Identifier && (after.is(':') || after.is('{') || after.is('<'))) {
      if (depth == 0 && std::ranges::find(names, token.text) == names.end()) {
        if (names.size() > 1000) return {};
        names.push_back(token.text);
      }
    } else if (depth == 0 && names.empty()) {
      return {};
    }
    depth += opens ? 1 : token.is('}') || token.is('>') ? -1 : 0;
    if (depth < 0) return {};
    token = after;
  }
  return names;
}

FileKind detectTextProto(std::string_view text) {
  const auto names = topLevelNames(text);
  if (names.empty()) return FileKind::Unknown;
  FileKind best = FileKind::OtherTextProto;
  size_t bestUnknown = 0;
  for (const ProtoKind& kind : protoKinds()) {
    const auto& descriptor = *kind.prototype->GetDescriptor();
    const auto isThere = [&](const std::vector<int>& path) {
      const std::string& name = descriptor.FindFieldByNumber(path[0])->name();
      return std::ranges::find(names, std::string_view(name)) != names.end();
    };
    if (!std::ranges::all_of(kind.required, isThere)) continue;
    const size_t unknown = std::ranges::count_if(names, [&](std::string_view name) {
      return descriptor.FindFieldByName(std::string(name)) == nullptr;
    });
    if (best != FileKind::OtherTextProto && unknown >= bestUnknown) continue;
    best = kind.kind;
    bestUnknown = unknown;
  }
  // The names of the two sequences are the same at the top: those of the GPU's thunks begin with this.
  const bool isOfGpu =
      best == FileKind::CpuThunkSequence && text.substr(0, 4096).find("thunk_info") != text.npos;
  return isOfGpu ? FileKind::GpuThunkSequence : best;
}

bool isReadable(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 64 * 1024);
  return std::ranges::none_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    // Escape (terminal colours in a captured log) counts as text.
    return byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r' && byte != '\f' && byte != 0x1b;
  });
}

// A line that starts with `word`, blanks and a log prefix ("... file.cc:12] ") before it allowed. How far
// back its line is looked for is bounded, for text that is one long line full of the word.
bool hasLineStarting(std::string_view text, std::string_view word) {
  constexpr size_t kLongestPrefix = 256;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    std::string_view before = text.substr(0, at);
    before.remove_prefix(before.size() - std::min(before.size(), kLongestPrefix));
    const size_t newline = before.rfind('\n');
    if (newline == before.npos && before.size() < at) continue;
    before.remove_prefix(newline + 1);
    if (before.find_first_not_of(" \t\xef\xbb\xbf") == std::string_view::npos || before.ends_with("] "))
      return true;
  }
  return false;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool looksLikeMlir(std::string_view text) {
  return hasLineStarting(text, "module @") || hasLineStarting(text, "module {") ||
         hasLineStarting(text, "module attributes") || contains(text, "func.func ") ||
         contains(text, "builtin.module");
}

// Whether one of the first lines is an instruction.
bool hasInstruction(std::string_view text) {
  constexpr int kMostLines = 200;
  for (int line = 0; line < kMostLines && !text.empty(); ++line) {
    const size_t length = std::min(text.find('\n'), text.size());
    if (isInstructionLine(text.substr(0, length))) return true;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return false;
}

bool looksLikeHeaderlessHlo(std::string_view text) {
  return contains(text, "ROOT ") || contains(text, "ENTRY ") || contains(text, " parameter(") ||
         hasInstruction(text);
}

bool looksLikeThunkSequence(std::string_view text) {
  // "kKernel\t, kernel = ..." or, numbered, "000: kKernel \t..."
  const std::string_view line = text.substr(0, std::min(text.find('\n'), size_t{300}));
  const size_t start = line.find_first_not_of(" 0123456789:");
  return start != std::string_view::npos && line.size() > start + 1 && line[start] == 'k' &&
         line[start + 1] >= 'A' && line[start + 1] <= 'Z' && contains(line, "\t");
}

FileKind detectText(std::string_view text) {
  // Only the beginning is searched: a kind shows itself there, and a hostile file cannot cost much.
  const std::string_view head = text.substr(0, 4 << 20);
  const size_t firstCharacter = head.find_first_not_of(" \t\r\n");
  if (firstCharacter == std::string_view::npos) return FileKind::Empty;
  const std::string_view start = head.substr(firstCharacter);
  // Before HLO text, which its frames hold; other output may come first.
  if (hasLineStarting(head, "*** Begin ")) return FileKind::StdoutDump;
  if (start.starts_with("BufferAssignment:")) return FileKind::BufferAssignmentText;
  if (start.starts_with("Total bytes used:") || start.starts_with("Memory Space:"))
    return FileKind::MemoryUsageText;
  if (hasLineStarting(head, "HloModule")) return FileKind::HloText;
  if (looksLikeThunkSequence(start)) return FileKind::ThunkSequenceText;
  if (start.starts_with("; ModuleID") || hasLineStarting(head, "target triple")) return FileKind::LlvmIr;
  if (hasLineStarting(head, ".version") && hasLineStarting(head, ".target")) return FileKind::Ptx;
  if (const FileKind proto = detectTextProto(text); proto != FileKind::Unknown) return proto;
  if (looksLikeMlir(head)) return FileKind::Mlir;
  return looksLikeHeaderlessHlo(head) ? FileKind::HloText : FileKind::UnknownText;
}

struct Magic {
  std::string_view bytes;
  FileKind kind;
};
using namespace std::string_view_literals;
constexpr Magic kMagics[] = {
    {"ML\xefR"sv, FileKind::MlirBytecode},
    {"\x93NUMPY"sv, FileKind::Numpy},
    {"PK\x03\x04"sv, FileKind::Zip},
    {"SQLite format 3\0"sv, FileKind::Sqlite},
    {"\x7f"
     "ELF"sv,
     FileKind::Elf},
};
// A Riegeli file starts with a block header, whose first 24 bytes say where the first chunk begins, and that
// chunk's type, 's' for the file signature.
bool isRiegeli(std::string_view bytes) { return bytes.starts_with("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"sv); }

}  // namespace

bool isExecutable(FileKind kind) {
  return kind == FileKind::CpuExecutable || kind == FileKind::GpuExecutable ||
         kind == FileKind::GpuExecutableWithOptions || kind == FileKind::PjrtExecutable;
}

bool isThunkSequence(FileKind kind) {
  return kind == FileKind::ThunkSequenceText || kind == FileKind::CpuThunkSequence ||
         kind == FileKind::GpuThunkSequence;
}

std::string_view fileKindName(FileKind kind) {
  switch (kind) {
    case FileKind::Unknown:
      return "unknown binary data";
    case FileKind::UnknownText:
      return "plain text";
    case FileKind::Empty:
      return "an empty file";
    case FileKind::HloText:
      return "HLO text";
    case FileKind::StdoutDump:
      return "dump written to standard output";
    case FileKind::Mlir:
      return "MLIR text";
    case FileKind::MlirBytecode:
      return "MLIR bytecode";
    case FileKind::HloModule:
      return "HloModuleProto";
    case FileKind::HloProto:
      return "HloProto";
    case FileKind::HloSnapshot:
      return "HloSnapshot";
    case FileKind::HloUnoptimizedSnapshot:
      return "HloUnoptimizedSnapshot";
    case FileKind::DelimitedUnoptimizedSnapshot:
      return "length-prefixed HloUnoptimizedSnapshot";
    case FileKind::HloModuleMetadata:
      return "HloModuleMetadataProto";
    case FileKind::BufferAssignment:
      return "BufferAssignmentProto";
    case FileKind::Schedule:
      return "ScheduleProto";
    case FileKind::MemoryUsageReport:
      return "MemoryUsageReportProto";
    case FileKind::ThunkMetadata:
      return "ThunkMetadataListProto";
    case FileKind::CpuThunkSequence:
      return "ThunkSequenceProto of XLA:CPU";
    case FileKind::GpuThunkSequence:
      return "ThunkSequenceProto of XLA:GPU";
    case FileKind::CpuExecutable:
      return "CompilationResultProto";
    case FileKind::PjrtExecutable:
      return "ExecutableAndOptionsProto";
    case FileKind::GpuExecutable:
      return "GpuExecutableProto";
    case FileKind::GpuExecutableWithOptions:
      return "GpuExecutableProto with compile options";
    case FileKind::Literal:
      return "LiteralProto";
    case FileKind::OtherTextProto:
      return "text proto of another message";
    case FileKind::BufferAssignmentText:
      return "buffer assignment text";
    case FileKind::MemoryUsageText:
      return "memory usage report text";
    case FileKind::ThunkSequenceText:
      return "thunk sequence text";
    case FileKind::LlvmIr:
      return "LLVM IR";
    case FileKind::Ptx:
      return "PTX";
    case FileKind::Riegeli:
      return "Riegeli file";
    case FileKind::Numpy:
      return "NumPy array";
    case FileKind::Zip:
      return "zip archive";
    case FileKind::Sqlite:
      return "SQLite database";
    case FileKind::Elf:
      return "ELF object";
  }
  return "unknown";
}

FileFormat detectKind(std::string_view bytes) {
  if (bytes.empty()) return {FileKind::Empty, Encoding::Text};
  for (const Magic& magic : kMagics) {
    if (bytes.starts_with(magic.bytes)) return {magic.kind, Encoding::Binary};
  }
  if (isRiegeli(bytes)) return {FileKind::Riegeli, Encoding::Binary};
  if (isReadable(bytes)) return {detectText(bytes), Encoding::Text};
  if (isPjrtExecutable(bytes)) return {FileKind::PjrtExecutable, Encoding::Binary};
  if (const FileKind kind = detectBinaryProto(bytes); kind != FileKind::Unknown)
    return {kind, Encoding::Binary};
  if (isDelimitedSnapshot(bytes)) return {FileKind::DelimitedUnoptimizedSnapshot, Encoding::Binary};
  if (hasLineStarting(bytes.substr(0, 1 << 20), "HloModule ")) return {FileKind::HloText, Encoding::Text};
  return {FileKind::Unknown, Encoding::Binary};
}

const google::protobuf::Message* prototypeOf(FileKind kind) {
  if (kind == FileKind::DelimitedUnoptimizedSnapshot) kind = FileKind::HloUnoptimizedSnapshot;
  if (kind == FileKind::PjrtExecutable) return &pb::ExecutableAndOptionsProto::default_instance();
  const auto found = std::ranges::find(protoKinds(), kind, &ProtoKind::kind);
  return found == protoKinds().end() ? nullptr : found->prototype;
}

}  // namespace hilo
