#include "core/workspace/run/pjrt_engine.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "core/runtime/pjrt/pjrt_client.h"
#include "core/runtime/pjrt/pjrt_executable.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/run/remote_engine.h"

namespace hilo {
namespace {

Diagnostic obstacle(std::string message) { return {.kind = "unsupported", .message = std::move(message)}; }

Diagnostics obstaclesOf(const Module& module, DeviceGrid grid) {
  if (const Status sound = requireVerified(module); !sound) return {sound.error()};
  Diagnostics obstacles;
  if (grid.partitions > 1)
    obstacles.push_back(obstacle("several partitions: a library of PJRT would partition the module again"));
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (const auto why = whyNotOfPjrt(parameter->shape()))
      obstacles.push_back(obstacle(fmt::format("the parameter {}: {}", parameter->name(), *why)));
  }
  const Shape result = module.entry()->root()->shape();
  const std::vector<Shape> results =
      result.isTuple() ? std::vector<Shape>(result.tupleShapes().begin(), result.tupleShapes().end())
                       : std::vector<Shape>{result};
  for (const Shape shape : results) {
    if (const auto why = whyNotOfPjrt(shape))
      obstacles.push_back(obstacle(fmt::format("a result: {}", *why)));
  }
  return obstacles;
}

// The program that loads libraries; it links no protobuf, which they may have too. Beside this one, or where
// a build or an installation puts it.
std::string pjrtHost() {
  constexpr const char* kName = "hilo-pjrt-host";
  if (const char* own = std::getenv("HILO_PJRT_HOST"); own != nullptr && *own != '\0') return own;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {".", "../pjrt_host", "../lib/hilo"}) {
    const std::filesystem::path path = (folder / place / kName).lexically_normal();
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return kName;
}

}  // namespace

Result<Engine> pjrtEngine(const std::string& text) {
  TRY(const PjrtName parts, PjrtName::of(text));
  const auto compile = [parts](std::shared_ptr<const Module> module, const EngineSettings& settings,
                               const CancelToken& cancel) -> Result<std::unique_ptr<Executable>> {
    if (settings.worker)
      return compileThere({.name = parts.path, .command = {pjrtHost()}}, parts.text(), *module, settings,
                          cancel);
    TRY(const std::string bytes, convertModule(*module, {.kind = OutputKind::Module}));
    return compileByPjrt(parts, bytes, gridOf(*module).replicas, module->entry()->root()->shape());
  };
  return Engine{.name = text,
                .description = "a library with PJRT's C API, in a process of its own",
                .canRun = [](const Module& module) { return obstaclesOf(module, {}); },
                .canRunOnDevices = obstaclesOf,
                .compile = compile};
}

}  // namespace hilo
