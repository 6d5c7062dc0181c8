#include "core/runtime/program/program_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>

#include "core/base/check.h"
#include "core/base/files.h"
#include "core/runtime/program/field_bytes.h"

namespace hilo {
namespace {

constexpr char kMagic[8] = {'H', 'I', 'L', 'O', 'P', 'R', 'O', 'G'};
constexpr uint32_t kVersion = 14;
// Magic, version, and how many bytes of fields follow.
constexpr size_t kFrontBytes = sizeof(kMagic) + sizeof(uint32_t) + sizeof(uint64_t);
constexpr size_t kLeastBytes = kFrontBytes + sizeof(uint64_t);  // and the checksum of it all

// What the head says of a constant. They follow each other in order.
struct SavedConstant {
  uint64_t sizeBytes = 0, checksum = 0;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("size", self.sizeBytes);
    v("checksum", self.checksum);
  }
};

// The one list of what a program's file holds, for writing and reading.
template <typename ProgramType, typename Constants, typename V>
void visitProgram(ProgramType& program, Constants& constants, V& v) {
  v("name", program.name);
  v("moduleHash", program.moduleHash);
  v("triple", program.target.triple);
  v("processor", program.target.processor);
  v("features", program.target.features);
  v("parameters", program.parameters);
  v("parameterNames", program.parameterNames);
  v("result", program.result);
  v("resultNames", program.resultNames);
  v("givesOutfeed", program.givesOutfeed);
  v("allocations", program.allocations);
  v("resultSlices", program.resultSlices);
  v("resultSizes", program.resultSizes);
  v("constants", constants);
  v("objects", program.objects);
  v("kernels", program.kernels);
  v("collectives", program.collectives);
  v("hosted", program.hosted);
  v("replicas", program.replicas);
  v("partitions", program.partitions);
  v("sequences", program.sequences);
}

size_t aligned(size_t bytes) {
  constexpr size_t kMask = ConstantBytes::kAlignment - 1;
  return (bytes + kMask) & ~kMask;
}

// Where a constant of `sizeBytes` lies in a file whose constants so far end at `end`; what is empty
// takes no room.
size_t placeAfter(size_t end, size_t sizeBytes) { return sizeBytes == 0 ? end : aligned(end); }

// The size of the head of a file of `fileBytes`, of which `bytes` are the first.
Result<size_t> headBytesOf(std::span<const std::byte> bytes, size_t fileBytes) {
  if (bytes.size() < sizeof(kMagic) || std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) != 0)
    return fail("not-a-program", "the file is not a compiled program");
  const auto truncated = [] { return fail("truncated-file", "the file of the program ends early"); };
  if (bytes.size() < kLeastBytes) return truncated();
  uint32_t version = 0;
  std::memcpy(&version, bytes.data() + sizeof(kMagic), sizeof(version));
  if (version != kVersion) {
    return fail("wrong-version",
                fmt::format("the program has format {}, and this build reads {}", version, kVersion), {},
                {"compile the module again"});
  }
  uint64_t fields = 0;
  std::memcpy(&fields, bytes.data() + sizeof(kMagic) + sizeof(version), sizeof(fields));
  if (fields > fileBytes - kLeastBytes) return truncated();
  return kLeastBytes + fields;
}

// `constantOf` gives the bytes at a place in the file, which are there: the file has `fileBytes`.
template <typename ConstantOf>
Result<Program> readHead(std::span<const std::byte> head, size_t constantsAt, size_t fileBytes,
                         const ConstantOf& constantOf) {
  uint64_t checksum = 0;
  const auto content = head.first(head.size() - sizeof(checksum));
  std::memcpy(&checksum, head.data() + content.size(), sizeof(checksum));
  if (checksum != XXH3_64bits(content.data(), content.size()))
    return fail("damaged-file", "the checksum of the program does not fit its content");
  FieldReader reader(content.subspan(kFrontBytes));
  Program program;
  std::vector<SavedConstant> constants;
  visitProgram(program, constants, reader);
  if (!reader.ok() || !reader.atEnd())
    return fail("malformed-program", "the fields of the program do not fit its file");
  size_t end = constantsAt;
  for (const SavedConstant& saved : constants) {
    const size_t at = placeAfter(end, saved.sizeBytes);
    if (at > fileBytes || saved.sizeBytes > fileBytes - at)
      return fail("truncated-file", "the file of the program ends before its constants");
    program.constants.push_back(constantOf(at, saved));
    end = at + saved.sizeBytes;
  }
  if (end != fileBytes) return fail("malformed-program", "the program does not fit its file");
  TRY_STATUS(checkProgram(program));
  return program;
}

}  // namespace

std::vector<std::byte> serializeHead(const Program& program) {
  std::vector<SavedConstant> constants;
  for (const ConstantBytes& constant : program.constants)
    constants.push_back({.sizeBytes = constant.size(), .checksum = constant.checksum()});
  FieldWriter writer;
  writer.raw(kMagic, sizeof(kMagic));
  writer("version", kVersion);
  writer("fields", uint64_t{0});
  visitProgram(program, constants, writer);
  const uint64_t fields = writer.bytes.size() - kFrontBytes;
  std::memcpy(writer.bytes.data() + kFrontBytes - sizeof(fields), &fields, sizeof(fields));
  writer("checksum", uint64_t{XXH3_64bits(writer.bytes.data(), writer.bytes.size())});
  return std::move(writer.bytes);
}

size_t constantsEnd(const Program& program, size_t constantsAt) {
  size_t end = constantsAt;
  for (const ConstantBytes& constant : program.constants)
    end = placeAfter(end, constant.size()) + constant.size();
  return end;
}

void writeConstants(const Program& program, std::span<std::byte> file, size_t constantsAt) {
  size_t end = constantsAt;
  for (const ConstantBytes& constant : program.constants) {
    const size_t at = placeAfter(end, constant.size());
    std::ranges::copy(constant.bytes(), file.begin() + static_cast<ptrdiff_t>(at));
    end = at + constant.size();
  }
}

std::vector<std::byte> serialize(const Program& program) {
  std::vector<std::byte> bytes = serializeHead(program);
  const size_t head = bytes.size();
  bytes.resize(constantsEnd(program, head));
  writeConstants(program, bytes, head);
  return bytes;
}

Result<Program> deserialize(std::span<const std::byte> bytes) {
  TRY(const size_t head, headBytesOf(bytes, bytes.size()));
  TRY(Program program,
      readHead(bytes.first(head), head, bytes.size(), [&](size_t at, const SavedConstant& saved) {
        return ConstantBytes(bytes.subspan(at, saved.sizeBytes), saved.checksum);
      }));
  TRY_STATUS(checkConstants(program));
  return program;
}

Result<Program> deserialize(std::span<const std::byte> head, std::shared_ptr<const MappedFile> constants,
                            size_t constantsAt) {
  TRY(const size_t headBytes, headBytesOf(head, head.size()));
  if (headBytes != head.size()) return fail("malformed-program", "there is more than the head of a program");
  const size_t fileBytes = constants == nullptr ? constantsAt : constants->bytes().size();
  return readHead(head, constantsAt, fileBytes, [&](size_t at, const SavedConstant& saved) {
    return saved.sizeBytes == 0 ? ConstantBytes({}, saved.checksum)
                                : ConstantBytes(constants, at, saved.sizeBytes, saved.checksum);
  });
}

std::optional<ConstantsInFile> constantsInFile(const Program& program) {
  const auto first =
      std::ranges::find_if(program.constants, [](const ConstantBytes& c) { return c.size() > 0; });
  if (first == program.constants.end() || first->file() == nullptr) return std::nullopt;
  const std::span<const std::byte> file = first->file()->bytes();
  const auto constantsAt = static_cast<size_t>(first->data() - file.data());
  size_t end = constantsAt;
  for (const ConstantBytes& constant : program.constants) {
    const size_t at = placeAfter(end, constant.size());
    if (constant.size() > 0 && (constant.file() != first->file() || constant.data() != file.data() + at))
      return std::nullopt;
    end = at + constant.size();
  }
  if (end != file.size()) return std::nullopt;
  return ConstantsInFile{first->file(), constantsAt};
}

bool isProgramFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char magic[sizeof(kMagic)] = {};
  return in.read(magic, sizeof(magic)) && std::memcmp(magic, kMagic, sizeof(kMagic)) == 0;
}

Status saveProgram(const Program& program, const std::string& path) {
  const auto bytes = serialize(program);
  return writeBytes(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<Program> loadProgram(const std::string& path) {
  TRY(const auto file, MappedFile::open(path));
  // Read, not mapped: what else is in the file is none of this.
  const size_t whole = file->bytes().size();
  TRY(const auto front, file->read(0, std::min(whole, kLeastBytes)));
  TRY(const size_t headBytes, headBytesOf(front, whole));
  TRY(const auto head, file->read(0, headBytes));
  return deserialize(head, file, headBytes);
}

}  // namespace hilo
