#include "core/workspace/thunks/xla_thunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/compiler/codegen/cpu/disassembly.h"
#include "core/hlo/dump/dump_name.h"
#include "core/hlo/dump/file_bytes.h"
#include "core/hlo/dump/thunk_protos.h"
#include "core/hlo/proto/proto_file.h"
#include "core/hlo/proto/schema/executable.pb.h"
#include "core/workspace/open/file_origin.h"
#include "core/workspace/thunks/dumped_reader.h"
#include "core/workspace/thunks/instruction_buffers.h"

namespace hilo {
namespace {

const DumpFileInfo* partOf(const OpenedDump& dump, size_t moduleIndex, DumpPart part) {
  const auto& files = dump.modules[moduleIndex].files;
  const auto found =
      std::ranges::find_if(files, [&](const DumpFileInfo& file) { return file.kind == dumpPartName(part); });
  return found == files.end() ? nullptr : &*found;
}

Result<ThunksOfProto> readPrinted(const OpenedDump& dump, size_t moduleIndex, const DumpFileInfo& file) {
  TRY(const std::string text, readDumpFile(dump, file.path));
  ThunksOfProto read;
  TRY(read.thunks, parseThunkSequence(text, file.path));
  const DumpFileInfo* metadata = partOf(dump, moduleIndex, DumpPart::ThunkMetadata);
  if (metadata == nullptr) return read;
  TRY(const std::string bytes, readDumpFile(dump, metadata->path));
  pb::ThunkMetadataListProto proto;
  if (!proto.ParseFromString(bytes))
    return fail("bad-thunk-metadata", "the thunk metadata cannot be read", {.file = metadata->path});
  joinThunkMetadata(read.thunks, proto);
  return read;
}

std::optional<ThunksOfProto> thunksOf(const OpenedFile& file) {
  if (file.origin == nullptr || file.origin->message == nullptr) return std::nullopt;
  return readThunks(*file.origin->message, file.path);
}

std::unexpected<Diagnostic> noThunks(const std::string& file) {
  return fail("no-thunk-sequence", "there are no thunks of this module", {.file = file});
}

// An executable that lies in the dump, whose names are those of the module the dump has.
Result<ThunksOfProto> readExecutable(const OpenedDump& dump, const DumpFileInfo& file) {
  TRY(std::string bytes, readDumpFile(dump, file.path));
  TRY(const auto opened, openBytes(std::move(bytes), file.path));
  auto read = thunksOf(*opened);
  if (!read) return noThunks(file.path);
  return *std::move(read);
}

// As printed, or else of the executable.
const DumpFileInfo* sequenceOf(const OpenedDump& dump, size_t moduleIndex) {
  const DumpFileInfo* printed = partOf(dump, moduleIndex, DumpPart::ThunkSequence);
  return printed != nullptr ? printed : partOf(dump, moduleIndex, DumpPart::Executable);
}

ThunkStudy titled(ThunkStudy study, Diagnostics notes, const std::string& file) {
  const auto joined =
      std::ranges::count_if(study.thunks, [](const StudiedThunk& t) { return !t.instructions.empty(); });
  study.title = fmt::format("as XLA wrote it in {}, {} joined to the HLO", file, joined);
  study.notes = std::move(notes);
  return study;
}

// The definition of a function in a file of LLVM IR or PTX, from its head to the closing brace; the whole
// file where none is found.
std::string functionIn(const std::string& text, const std::string& name) {
  for (const std::string& head : {"@" + name + "(", ".entry " + name + "("}) {
    for (size_t at = 0; (at = text.find(head, at)) != std::string::npos; ++at) {
      const size_t begin = text.rfind('\n', at) + 1;  // 0 where there is none
      const std::string_view line(text.data() + begin, at - begin);
      const size_t open = text.find('{', at), end = text.find("\n}", at);
      const bool isHead = line.starts_with("define") || head.starts_with(".entry");
      if (isHead && open != std::string::npos && end != std::string::npos && open < end)
        return text.substr(begin, end + 3 - begin);
    }
  }
  return text;
}

KernelForms hloFormsOf(const StudiedThunk& thunk, const Module& module) {
  KernelForms forms;
  if (thunk.instructions.empty()) return forms;
  if (const Instruction* instruction = module.instruction(thunk.instructions[0]); instruction != nullptr)
    forms.forms.push_back(hloForm(*instruction));
  return forms;
}

Result<KernelForms> unlessEmpty(KernelForms forms, const StudiedThunk& thunk) {
  if (!forms.forms.empty()) return forms;
  return fail("no-kernel", fmt::format("there is no HLO and no code of {}", thunk.name));
}

// The objects in which the kernel's name stands, or why one of them cannot be read. The features that an
// executable says of its processor are LLVM's own: "+avx512f,-sse4a".
void addObjects(const pb::CompilationResultProto& executable, const StudiedThunk& thunk, KernelForms& forms) {
  const auto& machine = executable.target_machine_options();
  const ProgramTarget target{.triple = machine.triple(), .processor = machine.cpu(), .features = {}};
  for (const auto& object : executable.object_files()) {
    const std::string& bytes = object.contents();
    if (bytes.find(thunk.kernelName) == std::string::npos) continue;
    const auto code = disassemble(std::as_bytes(std::span(bytes.data(), bytes.size())), target);
    forms.forms.push_back(
        {.title = "machine code", .text = code ? *code : toString(code.error()), .instructions = {}});
  }
}

}  // namespace

bool hasThunkSequence(const OpenedDump& dump, size_t moduleIndex) {
  return sequenceOf(dump, moduleIndex) != nullptr;
}

Result<ThunkStudy> studyThunksOfDump(const OpenedDump& dump, size_t moduleIndex, const Module& module) {
  const DumpFileInfo* file = sequenceOf(dump, moduleIndex);
  if (file == nullptr) return noThunks(dump.path);
  const bool isPrinted = file->kind == dumpPartName(DumpPart::ThunkSequence);
  TRY(ThunksOfProto read, isPrinted ? readPrinted(dump, moduleIndex, *file) : readExecutable(dump, *file));
  ThunkStudy study = studyOf(read.thunks, module, readBuffers(dump, moduleIndex, module));
  return titled(std::move(study), std::move(read.diagnostics), file->name);
}

Result<KernelForms> kernelFormsOfDump(const OpenedDump& dump, size_t moduleIndex, const ThunkStudy& study,
                                      uint32_t thunk, const Module& module) {
  const StudiedThunk& of = study.thunks[thunk];
  KernelForms forms = hloFormsOf(of, module);
  for (const DumpFileInfo& file : dump.modules[moduleIndex].files) {
    const bool isCode =
        file.kind == dumpPartName(DumpPart::LlvmIr) || file.kind == dumpPartName(DumpPart::Ptx);
    if (!isCode || of.kernelName.empty()) continue;
    TRY(const std::string text, readDumpFile(dump, file.path));
    forms.forms.push_back({.title = file.name, .text = functionIn(text, of.kernelName), .instructions = {}});
  }
  return unlessEmpty(std::move(forms), of);
}

bool hasThunkSequence(const OpenedFile& file) { return thunksOf(file).has_value(); }

Result<ThunkStudy> studyThunksOfFile(const OpenedFile& file) {
  auto read = thunksOf(file);
  if (!read) return noThunks(file.path);
  ThunkStudy study = studyOf(read->thunks, *file.module, readBuffers(file));
  return titled(std::move(study), std::move(read->diagnostics), file.path);
}

namespace {

Result<KernelForms> withCode(const google::protobuf::Message* message, const StudiedThunk& of,
                             KernelForms forms) {
  if (message == nullptr || of.kernelName.empty()) return unlessEmpty(std::move(forms), of);
  const auto* gpu = dynamic_cast<const pb::GpuExecutableProto*>(message);
  if (const auto* readable = dynamic_cast<const pb::ReadableGpuExecutableProto*>(message))
    gpu = &readable->gpu_executable();
  if (gpu != nullptr && !gpu->asm_text().empty()) {
    forms.forms.push_back(
        {.title = "PTX", .text = functionIn(gpu->asm_text(), of.kernelName), .instructions = {}});
  }
  if (const auto* executable = dynamic_cast<const pb::CompilationResultProto*>(message))
    addObjects(*executable, of, forms);
  return unlessEmpty(std::move(forms), of);
}

}  // namespace

Result<KernelForms> kernelFormsOfFile(const OpenedFile& file, const ThunkStudy& study, uint32_t thunk) {
  const StudiedThunk& of = study.thunks[thunk];
  return withCode(file.origin == nullptr ? nullptr : file.origin->message.get(), of,
                  hloFormsOf(of, *file.module));
}

Result<KernelForms> kernelFormsAlone(const std::string& path, const ThunkStudy& study, uint32_t thunk) {
  TRY(const FileBytes file, readFileBytes(path));
  const FileFormat format = detectKind(file.bytes);
  ProtoFile proto;
  if (isExecutable(format.kind)) {
    TRY(proto, readProtoFile(file.bytes, format, path));
  }
  return withCode(proto.message.get(), study.thunks[thunk], {});
}

Result<ThunkStudy> studyThunksAlone(const std::string& path) {
  TRY(const FileBytes file, readFileBytes(path));
  const FileFormat format = detectKind(file.bytes);
  ThunksOfProto read;
  if (format.kind == FileKind::ThunkSequenceText) {
    TRY(read.thunks, parseThunkSequence(file.bytes, path));
  } else {
    TRY(const ProtoFile proto, readProtoFile(file.bytes, format, path));
    auto thunks = proto.message == nullptr ? std::nullopt : readThunks(*proto.message, path);
    if (!thunks) return noThunks(path);
    read = *std::move(thunks);
    read.diagnostics.insert(read.diagnostics.end(), proto.diagnostics.begin(), proto.diagnostics.end());
  }
  ThunkStudy study = studyOf(read.thunks);
  study.title = fmt::format("as XLA wrote it in {}, by itself", path);
  study.notes = std::move(read.diagnostics);
  return study;
}

}  // namespace hilo
