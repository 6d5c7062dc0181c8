#include "core/workspace/run/pjrt_engine.h"

#include <fmt/format.h>

#include <filesystem>
#include <ranges>

#include "core/runtime/pjrt/pjrt_client.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/run/remote_engine.h"

namespace hilo {
namespace {

class PjrtExecutableHere : public Executable {
 public:
  PjrtExecutableHere(std::unique_ptr<PjrtProgramOf> program, Shape result)
      : program_(std::move(program)), result_(result) {}
  Result<Literal> run(std::span<const Literal> arguments, const CancelToken& cancel) override {
    const std::vector<Literal> list(arguments.begin(), arguments.end());
    TRY(std::vector<Literal> outputs, runOnDevices({}, {&list, 1}, cancel));
    return std::move(outputs[0]);
  }
  Result<std::vector<Literal>> runOnDevices(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                            const CancelToken&) override {
    TRY(PjrtOutput output, program_->run(arguments, grid.count(), result_));
    measure_ = {.executionNs = output.executionNs};
    return std::move(output.results);
  }
  RunMeasure lastMeasure() const override { return measure_; }
  Result<std::string> optimizedModule() override {
    TRY(PjrtProgramOf::Optimized optimized, program_->optimized());
    return std::move(optimized.bytes);
  }

 private:
  std::unique_ptr<PjrtProgramOf> program_;
  const Shape result_;
  RunMeasure measure_;
};

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

struct LibraryAndOptions {
  std::string path;
  std::vector<std::string> options;
};

LibraryAndOptions partsOf(std::string_view text) {
  LibraryAndOptions parts;
  for (const auto part : std::views::split(text, ',')) {
    const std::string_view word(part.begin(), part.end());
    if (parts.path.empty()) {
      parts.path = word;
    } else if (!parts.options.empty() || word.contains('=')) {
      parts.options.emplace_back(word);
    } else {
      parts.path += "," + std::string(word);
    }
  }
  return parts;
}

Result<std::unique_ptr<Executable>> compileHere(const LibraryAndOptions& parts, const Module& module) {
  TRY(auto library, PjrtLibrary::load(parts.path));
  TRY(auto session, PjrtSession::open(library, parts.options));
  TRY(const std::string platform, session->platform());
  TRY(const std::string bytes, convertModule(module, {.kind = OutputKind::Module}));
  TRY(auto program, session->compile(bytes, gridOf(module).replicas));
  auto executable = std::make_unique<PjrtExecutableHere>(std::move(program), module.entry()->root()->shape());
  executable->notes.push_back(fmt::format("platform {}; PJRT {}", platform, library->versionText()));
  return executable;
}

}  // namespace

Result<Engine> pjrtEngine(const std::string& text) {
  LibraryAndOptions parts = partsOf(std::string_view(text).substr(text.find(':') + 1));
  if (parts.path.empty())
    return fail("unknown-engine", "pjrt: wants the path of a library", {}, {"pjrt:/usr/lib/libxla.so"});
  // Wherever the process that loads it is started.
  std::error_code error;
  if (const auto whole = std::filesystem::absolute(parts.path, error); !error) parts.path = whole.string();
  const auto compile = [parts, text](std::shared_ptr<const Module> module, const EngineSettings& settings,
                                     const CancelToken& cancel) -> Result<std::unique_ptr<Executable>> {
    if (!settings.worker) return compileHere(parts, *module);
    std::string name = "pjrt:" + parts.path;
    for (const std::string& option : parts.options) name += "," + option;
    return compileThere({.name = parts.path, .command = {settings.worker->command[0], "engine-line"}}, name,
                        *module, settings, cancel);
  };
  return Engine{.name = text,
                .description = "a library with PJRT's C API, in a process of its own",
                .canRun = [](const Module& module) { return obstaclesOf(module, {}); },
                .canRunOnDevices = obstaclesOf,
                .compile = compile};
}

}  // namespace hilo
