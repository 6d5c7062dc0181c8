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
constexpr uint32_t kVersion = 8;

// The one list of what a program's file holds, for writing and reading.
template <typename ProgramType, typename V>
void visitProgram(ProgramType& program, V& v) {
  v("name", program.name);
  v("moduleHash", program.moduleHash);
  v("triple", program.target.triple);
  v("cpu", program.target.cpu);
  v("features", program.target.features);
  v("parameters", program.parameters);
  v("parameterNames", program.parameterNames);
  v("result", program.result);
  v("resultNames", program.resultNames);
  v("allocations", program.allocations);
  v("resultSlices", program.resultSlices);
  v("resultSizes", program.resultSizes);
  v("constants", program.constants);
  v("objects", program.objects);
  v("kernels", program.kernels);
  v("collectives", program.collectives);
  v("replicas", program.replicas);
  v("partitions", program.partitions);
  v("sequences", program.sequences);
}

constexpr size_t kHeaderBytes = sizeof(kMagic) + sizeof(kVersion);

}  // namespace

std::vector<std::byte> serialize(const Program& program) {
  FieldWriter writer;
  writer.raw(kMagic, sizeof(kMagic));
  writer("version", kVersion);
  visitProgram(program, writer);
  const uint64_t checksum = XXH3_64bits(writer.bytes.data(), writer.bytes.size());
  writer("checksum", checksum);
  return std::move(writer.bytes);
}

Result<Program> deserialize(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(kMagic) || std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) != 0)
    return fail("not-a-program", "the file is not a compiled program");
  if (bytes.size() < kHeaderBytes + sizeof(uint64_t))
    return fail("truncated-file", "the file of the program ends early");
  uint32_t version = 0;
  std::memcpy(&version, bytes.data() + sizeof(kMagic), sizeof(version));
  if (version != kVersion) {
    return fail("wrong-version",
                fmt::format("the program has format {}, and this build reads {}", version, kVersion), {},
                {"compile the module again"});
  }
  uint64_t checksum = 0;
  const auto content = bytes.first(bytes.size() - sizeof(checksum));
  std::memcpy(&checksum, bytes.data() + content.size(), sizeof(checksum));
  if (checksum != XXH3_64bits(content.data(), content.size()))
    return fail("damaged-file", "the checksum of the program does not fit its content");
  FieldReader reader(content.subspan(kHeaderBytes));
  Program program;
  visitProgram(program, reader);
  if (!reader.ok() || !reader.atEnd())
    return fail("malformed-program", "the fields of the program do not fit its file");
  TRY_STATUS(checkProgram(program));
  return program;
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
  TRY(const std::string bytes, readBytes(path));
  return deserialize(std::as_bytes(std::span(bytes)));
}

}  // namespace hilo
