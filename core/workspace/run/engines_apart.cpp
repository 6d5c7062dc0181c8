#include "core/workspace/run/engines_apart.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/analysis/implied_devices.h"
#include "core/runtime/apart/serve_engines.h"
#include "core/workspace/about.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/run/chosen_engine.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/pjrt_engine.h"
#include "core/workspace/run/remote_engine.h"
#include "core/workspace/run/remote_host.h"
#include "core/workspace/run/worker.h"

namespace hilo {
namespace {

constexpr std::string_view kWord = "engine-line";
constexpr std::string_view kPjrt = "pjrt:";

bool isPjrt(std::string_view text) { return text.starts_with(kPjrt); }

// The '@' before the machine's name: the first; behind a path the last, if no folder follows it.
size_t hostAt(std::string_view text) {
  if (!isPjrt(text)) return text.find('@');
  const size_t at = text.rfind('@');
  return at != std::string_view::npos && text.find('/', at) == std::string_view::npos
             ? at
             : std::string_view::npos;
}

Diagnostics soundness(const Module& module) {
  if (const Status sound = requireVerified(module); !sound) return {sound.error()};
  return {};
}

Result<Engine> engineElsewhere(const std::string& text, size_t at) {
  const std::string engine = text.substr(0, at), host = text.substr(at + 1);
  TRY_STATUS(checkHost(host));
  if (engine.empty())
    return fail("unknown-engine", fmt::format("which engine of {}?", host), {}, {"cpu@HOST"});
  const auto compile = [engine, host](std::shared_ptr<const Module> module, const EngineSettings& settings,
                                      const CancelToken& cancel) {
    return compileThere({.name = host, .command = remoteHilo(host, std::string(kWord)), .isElsewhere = true},
                        engine, *module, settings, cancel);
  };
  return Engine{.name = text,
                .description = fmt::format("{} of the machine {}, through ssh", engine, host),
                // What else keeps it from running, the engine there says.
                .canRun = soundness,
                .canRunOnDevices = [](const Module& module, DeviceGrid) { return soundness(module); },
                .compile = compile,
                .checks = true};
}

Result<std::shared_ptr<const Module>> moduleOf(const std::vector<std::byte>& bytes) {
  TRY(const auto file,
      openBytes(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "the module"));
  for (const Diagnostic& diagnostic : file->diagnostics) {
    if (diagnostic.severity == Severity::kError) return std::unexpected(diagnostic);
  }
  return file->module;
}

// What a line's other end asks for, by the engines of this machine, in processes of their own.
Result<std::unique_ptr<Executable>> compileAsAsked(const EngineCompile& request, const TellSlow& tellSlow) {
  TRY(const ChosenEngine chosen, chooseEngine(request.engine));
  TRY(const auto module, moduleOf(request.module));
  TRY_STATUS(checkObstacles(*chosen.engine, *module, impliedGrid(*module)));
  EngineSettings settings = chosen.settings();
  settings.tellSlow = tellSlow;
  settings.checks = {.isChecked = request.isChecked,
                     .orderSeed = request.hasOrderSeed ? std::optional(request.orderSeed) : std::nullopt};
  settings.infeeds = request.infeeds;
  settings.worker = ownWorker();
  // Here is a process of its own already: what is evaluated needs no other.
  if (isReference(*chosen.engine)) settings.worker->command.clear();
  settings.worker->timeLimitNs = request.timeLimitNs;
  if (request.memoryLimitBytes > 0)
    settings.worker->memoryLimitBytes = std::min(request.memoryLimitBytes, settings.worker->memoryLimitBytes);
  return chosen.engine->compile(module, settings, CancelToken());
}

}  // namespace

Result<const Engine*> engineApart(const std::string& text) {
  const size_t at = hostAt(text);
  const bool isElsewhere = at != std::string_view::npos;
  if (!isElsewhere && !isPjrt(text)) return nullptr;
  if (const Engine* known = engineTable().find(text)) return known;
  TRY(Engine engine, isElsewhere ? engineElsewhere(text, at) : pjrtEngine(text));
  // Another thread may have made it meanwhile: then there is one.
  (void)engineTable().add(std::move(engine));
  return engineTable().find(text);
}

std::vector<std::pair<std::string, std::string>> engineFormsApart() {
  return {{"pjrt:PATH",
           "a library with PJRT's C API, in a process of its own; pjrt:PATH+NAME=VALUE sets its options"},
          {"ENGINE@HOST", "an engine of another machine that has hilo, through ssh: cuda@gpu7"}};
}

Result<std::unique_ptr<Executable>> compileThere(RemoteEngine there, const std::string& engine,
                                                 const Module& module, const EngineSettings& settings,
                                                 const CancelToken& cancel) {
  TRY(const std::string bytes, convertModule(module, {.kind = OutputKind::Module}));
  const auto view = std::as_bytes(std::span(bytes));
  EngineCompile request{
      .engine = engine,
      .module = {view.begin(), view.end()},
      .result = module.entry()->root()->shape(),
      .replicas = gridOf(module).replicas,
      .timeLimitNs = settings.worker ? settings.worker->timeLimitNs : 0,
      // Of this machine's memory the other one knows nothing.
      .memoryLimitBytes = there.isElsewhere || !settings.worker ? 0 : settings.worker->memoryLimitBytes,
      .infeeds = settings.infeeds,
      .isChecked = settings.checks.isChecked,
      .hasOrderSeed = settings.checks.orderSeed.has_value(),
      .orderSeed = settings.checks.orderSeed.value_or(0)};
  there.version = versionText();
  TRY(auto executable,
      RemoteExecutable::compile(std::move(there), std::move(request), settings.tellSlow, cancel));
  return executable;
}

std::vector<std::string> engineLine(const WorkerOptions& worker) {
  return {worker.command.front(), std::string(kWord)};
}

std::optional<int> serveEnginesIfAsked(int argc, char** argv) {
  if (argc != 2 || argv[1] != kWord) return std::nullopt;
  // What libraries print goes to the standard error.
  FileDescriptor in(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)), out(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  const FileDescriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!in || !out || !nothing || dup2(nothing.get(), STDIN_FILENO) < 0 ||
      dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return 1;
  return serveEngines(std::move(in), std::move(out), {.version = versionText(), .compile = compileAsAsked});
}

}  // namespace hilo
