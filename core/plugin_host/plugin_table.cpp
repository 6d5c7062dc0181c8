#include "core/plugin_host/plugin_table.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <ranges>

namespace hilo {
namespace {

namespace fs = std::filesystem;

Diagnostic refusal(std::string kind, std::string message, std::vector<std::string> notes = {}) {
  return Diagnostic{Severity::kError, std::move(kind), std::move(message), {}, std::move(notes)};
}

}  // namespace

std::span<const HiloCustomCall* const> customCallsOf(const HiloPlugin& plugin) {
  if (plugin.struct_size < offsetof(HiloPlugin, custom_call_count) + sizeof(plugin.custom_call_count) ||
      plugin.custom_calls == nullptr)
    return {};
  return {plugin.custom_calls, plugin.custom_call_count};
}

std::span<const HiloKernelDialect* const> kernelDialectsOf(const HiloPlugin& plugin) {
  if (plugin.struct_size < offsetof(HiloPlugin, kernel_dialect_count) + sizeof(plugin.kernel_dialect_count) ||
      plugin.kernel_dialects == nullptr)
    return {};
  return {plugin.kernel_dialects, plugin.kernel_dialect_count};
}

const HiloCustomCall* findCustomCall(std::string_view target) {
  for (const PluginLibrary& library : pluginLibraries()) {
    if (library.plugin == nullptr) continue;
    for (const HiloCustomCall* call : customCallsOf(*library.plugin)) {
      if (target == call->target) return call;
    }
  }
  return nullptr;
}

namespace {

// What is wrong with a plug-in of our version, or nothing. Only fields its size covers are read.
std::optional<Diagnostic> malformed(const std::string& path, const HiloPlugin& plugin) {
  const auto fault = [&](std::string_view what) {
    return refusal("plugin-malformed", fmt::format("{}: {}", path, what));
  };
  if (plugin.struct_size < offsetof(HiloPlugin, custom_calls))
    return fault("its HiloPlugin is smaller than this version's");
  if (plugin.name == nullptr || plugin.version == nullptr || plugin.description == nullptr)
    return fault("it has no name, version or description");
  if (plugin.format_count > 0 && plugin.formats == nullptr) return fault("its formats are missing");
  for (size_t n = 0; n < plugin.format_count; ++n) {
    const HiloFormat* format = plugin.formats[n];
    if (format == nullptr || format->struct_size < sizeof(HiloFormat))
      return fault(fmt::format("its format {} is missing or smaller than this version's", n));
    if (format->name == nullptr || format->description == nullptr || format->extensions == nullptr ||
        format->recognizes == nullptr)
      return fault(fmt::format("its format {} lacks a name, description, extensions or recognizes()", n));
  }
  for (const HiloCustomCall* call : customCallsOf(plugin)) {
    if (call == nullptr || call->struct_size < sizeof(HiloCustomCall) || call->target == nullptr ||
        call->description == nullptr || call->execute == nullptr)
      return fault("one of its custom calls lacks a target, description or execute()");
  }
  for (const HiloKernelDialect* dialect : kernelDialectsOf(plugin)) {
    if (dialect == nullptr || dialect->struct_size < sizeof(HiloKernelDialect) || dialect->name == nullptr ||
        dialect->description == nullptr || dialect->recognizes == nullptr || dialect->read_kernel == nullptr)
      return fault("one of its kernel dialects lacks a name, description, recognizes() or read_kernel()");
  }
  return {};
}

PluginLibrary refuse(const std::string& path, Diagnostic why) {
  return {.path = path, .refused = std::move(why)};
}

void addLibraries(const fs::path& place, std::vector<std::string>& files) {
  std::error_code error;
  if (fs::is_regular_file(place, error)) {
    files.push_back(place.string());
    return;
  }
  std::vector<std::string> inFolder;
  for (const auto& entry : fs::directory_iterator(place, error)) {
    if (entry.path().extension() == ".so") inFolder.push_back(entry.path().string());
  }
  std::ranges::sort(inFolder);
  files.insert(files.end(), inFolder.begin(), inFolder.end());
}

}  // namespace

PluginLibrary loadPlugin(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return refuse(path, refusal("plugin-not-loadable", why != nullptr ? why : path));
  }
  const auto entry = reinterpret_cast<HiloPluginEntry>(dlsym(library, HILO_PLUGIN_ENTRY));
  if (entry == nullptr) {
    return refuse(path, refusal("not-a-plugin", fmt::format("{} exports no {}()", path, HILO_PLUGIN_ENTRY)));
  }
  const HiloPlugin* plugin = entry(HILO_PLUGIN_ABI_VERSION);
  if (plugin == nullptr) {
    return refuse(path, refusal("plugin-version", fmt::format("{} does not work with plug-in interface {}",
                                                              path, HILO_PLUGIN_ABI_VERSION)));
  }
  if (plugin->abi_version != HILO_PLUGIN_ABI_VERSION) {
    return refuse(path, refusal("plugin-version",
                                fmt::format("{} was built for plug-in interface {}, this program has {}",
                                            path, plugin->abi_version, HILO_PLUGIN_ABI_VERSION),
                                {"build the plug-in again with this program's plugins/sdk"}));
  }
  if (auto fault = malformed(path, *plugin)) return refuse(path, std::move(*fault));
  return {.path = path, .plugin = plugin};
}

namespace {

// The program, or the library that a program of others loaded: whichever this code is in.
fs::path ownFile() {
  Dl_info own = {};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&loadPlugin), &own) != 0 && own.dli_fname != nullptr) {
    const fs::path file = fs::canonical(own.dli_fname, error);
    if (!error && file.extension() == ".so") return file;
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program;
}

}  // namespace

std::vector<std::string> pluginSearchPath() {
  std::vector<std::string> places;
  if (const char* given = std::getenv("HILO_PLUGIN_PATH")) {
    for (const auto part : std::views::split(std::string_view(given), ':')) {
      if (!part.empty()) places.emplace_back(part.begin(), part.end());
    }
    return places;
  }
  const fs::path program = ownFile();
  if (program.empty()) return places;
  for (const char* beside : {"plugins", "../lib/hilo/plugins", "../../plugins"}) {
    places.push_back((program.parent_path() / beside).lexically_normal().string());
  }
  return places;
}

const std::vector<PluginLibrary>& pluginLibraries() {
  static const auto& libraries = *[] {
    std::vector<std::string> files;
    for (const std::string& place : pluginSearchPath()) addLibraries(place, files);
    auto* loaded = new std::vector<PluginLibrary>();
    for (const std::string& file : files) loaded->push_back(loadPlugin(file));
    return loaded;
  }();
  return libraries;
}

}  // namespace hilo
