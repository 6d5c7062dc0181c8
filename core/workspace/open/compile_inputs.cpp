#include "core/workspace/open/compile_inputs.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/schema/compile.pb.h"
#include "core/workspace/open/read_bytes.h"

namespace hilo {
namespace {

constexpr std::string_view kModule = "module.mlir";
constexpr std::string_view kEndings[] = {".textproto", ".pb", ".pbtxt"};

// The file of that name with one of the endings; "" when there is none.
std::string fileOf(const std::string& directory, std::string_view stem) {
  for (const std::string_view ending : kEndings) {
    std::string path = fmt::format("{}/{}{}", directory, stem, ending);
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path;
  }
  return "";
}

Result<pb::CompileOptionsProto> readOptions(const std::string& path, const CancelToken& cancel) {
  TRY(const std::string bytes, readBytes(path, cancel));
  pb::CompileOptionsProto options;
  Diagnostics fieldsLeftOut;  // most of the message is of no interest here
  if (path.ends_with(".pb")) {
    TRY_STATUS(parseBinaryMessage(bytes, options));
  } else {
    TRY_STATUS(parseTextMessage(bytes, options, fieldsLeftOut, path));
  }
  return options;
}

Diagnostic note(const std::string& path, std::string message) {
  return {.severity = Severity::kNote,
          .kind = "compile-inputs",
          .message = std::move(message),
          .place = {.file = path}};
}

}  // namespace

bool isCompileInputs(const std::string& directory) {
  std::error_code error;
  return std::filesystem::is_regular_file(fmt::format("{}/{}", directory, kModule), error) &&
         !fileOf(directory, "compile_options").empty();
}

Result<std::shared_ptr<const OpenedFile>> openCompileInputs(const std::string& directory,
                                                            const CancelToken& cancel) {
  const std::string optionsPath = fileOf(directory, "compile_options");
  TRY(const pb::CompileOptionsProto options, readOptions(optionsPath, cancel));
  const std::string path = fmt::format("{}/{}", directory, kModule);
  TRY(std::string bytes, readBytes(path, cancel));
  TRY(const auto opened, openBytes(std::move(bytes), path, cancel));
  auto file = std::make_shared<OpenedFile>(*opened);
  file->kind = fmt::format("PJRT compile inputs, {}", opened->kind);
  const auto& build = options.executable_build_options();
  std::shared_ptr<Module> module = opened->module->clone();
  if (build.num_replicas() > 1) module->set<Attr::ReplicaCount>(build.num_replicas());
  if (build.num_partitions() > 1) module->set<Attr::NumPartitions>(build.num_partitions());
  file->module = std::move(module);
  file->diagnostics.push_back(note(
      optionsPath, fmt::format("{} replicas, {} partitions{}", std::max<int64_t>(1, build.num_replicas()),
                               std::max<int64_t>(1, build.num_partitions()),
                               build.use_spmd_partitioning() ? ", SPMD" : "")));
  if (const std::string topology = fileOf(directory, "topology"); !topology.empty())
    file->diagnostics.push_back(note(topology, "the devices it was compiled for"));
  return file;
}

}  // namespace hilo
