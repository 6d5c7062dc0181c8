// hilo-pjrt-host: compiles and runs modules by libraries with PJRT's C API, as whoever started it says over
// its standard input and output. A crash of a library ends this process and nothing else.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "core/runtime/apart/serve_engines.h"
#include "core/runtime/pjrt/pjrt_executable.h"

namespace {

hilo::Result<std::unique_ptr<hilo::Executable>> compile(const hilo::EngineCompile& request,
                                                        const hilo::TellSlow&) {
  TRY(const hilo::PjrtName name, hilo::PjrtName::of(request.engine));
  const std::string_view module(reinterpret_cast<const char*>(request.module.data()), request.module.size());
  return hilo::compileByPjrt(name, module, request.replicas, request.result);
}

}  // namespace

int main(int argc, char** argv) {
  using hilo::FileDescriptor;
  if (argc > 1) {
    const bool asksVersion = std::string_view(argv[1]) == "--version";
    std::printf(
        asksVersion ? "hilo-pjrt-host %s\n" : "hilo-pjrt-host %s: started by hilo for --engine pjrt:PATH\n",
        HILO_VERSION);
    return asksVersion ? 0 : 2;
  }
  // What libraries print goes to the standard error.
  FileDescriptor in(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)), out(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!in || !out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  return hilo::serveEngines(std::move(in), std::move(out), {.version = HILO_VERSION, .compile = compile});
}
