#include "core/workspace/run/call_handlers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>

#include "core/plugin_host/plugin_table.h"

namespace hilo {
namespace {

void prepend(const char* variable, const std::vector<std::string>& items, char separator) {
  if (items.empty()) return;
  std::string all = fmt::format("{}", fmt::join(items, std::string(1, separator)));
  const char* before = std::getenv(variable);
  if (before != nullptr && *before != '\0') all += separator + std::string(before);
  setenv(variable, all.c_str(), 1);
}

}  // namespace

CallHandler findCallHandler(std::string_view target) {
  if (const HiloCustomCall* handler = findCustomCall(target)) return handler;
  if (const FfiHandler* handler = findFfiHandler(target)) return handler;
  return {};
}

Status useFfiLibraries(const std::vector<std::string>& libraries, const std::vector<std::string>& handlers) {
  std::vector<std::string> paths;
  for (const std::string& library : libraries) {
    if (library.find(':') != library.npos)
      return fail("ffi-not-loadable", fmt::format("{}: a path of a library cannot have a ':'", library));
    paths.push_back(std::filesystem::absolute(library).string());
  }
  prepend("HILO_FFI_LIBRARIES", paths, ':');
  prepend("HILO_FFI_HANDLERS", handlers, ',');
  for (const FfiLibrary& library : ffiLibraries()) {
    if (library.refused) return std::unexpected(*library.refused);
  }
  if (!ffiHandlerProblems().empty()) return std::unexpected(ffiHandlerProblems()[0]);
  return {};
}

}  // namespace hilo
