#include "core/runtime/ffi/ffi_handler.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <ranges>

#include "core/runtime/ffi/ffi_functions.h"

namespace hilo {
namespace {

struct Handlers {
  std::recursive_mutex mutex;  // a library registers while it is loaded
  std::map<std::string, FfiHandler, std::less<>> byTarget;
  std::vector<void*> loaded;
  std::vector<std::string> loadedPaths;
};
Handlers& handlers() {
  static auto& all = *new Handlers();
  return all;
}

std::vector<std::string> listIn(const char* variable, char separator) {
  std::vector<std::string> items;
  const char* given = std::getenv(variable);
  if (given == nullptr) return items;
  for (const auto part : std::views::split(std::string_view(given), separator)) {
    if (!part.empty()) items.emplace_back(part.begin(), part.end());
  }
  return items;
}

struct Symbol {
  FfiHandlerFunction* function = nullptr;
  std::string library;
};
Symbol findSymbol(const std::string& name) {
  const Handlers& all = handlers();
  for (size_t i = 0; i < all.loaded.size(); ++i) {
    if (void* found = dlsym(all.loaded[i], name.c_str()))
      return {reinterpret_cast<FfiHandlerFunction*>(found), all.loadedPaths[i]};
  }
  return {};
}

FfiHandler& handlerFor(const std::string& target, const std::string& library) {
  FfiHandler& handler = handlers().byTarget[target];
  handler.target = target;
  if (handler.library.empty()) handler.library = library;
  return handler;
}

struct NamedStage {
  std::string_view suffix;
  FfiHandlerFunction* FfiBundle::* function;
};
constexpr NamedStage kStages[] = {{"@instantiate", &FfiBundle::instantiate},
                                  {"@prepare", &FfiBundle::prepare},
                                  {"@initialize", &FfiBundle::initialize},
                                  {"@execute", &FfiBundle::execute}};

// TARGET[@cuda][@STAGE]=SYMBOL
Status takeMapping(const std::string& mapping) {
  const size_t equals = mapping.rfind('=');
  if (equals == mapping.npos || equals == 0 || equals + 1 == mapping.size())
    return fail("malformed-ffi-handler", fmt::format("'{}' is not TARGET=SYMBOL", mapping));
  std::string_view target = std::string_view(mapping).substr(0, equals);
  FfiHandlerFunction* FfiBundle::* stage = &FfiBundle::execute;
  for (const NamedStage& named : kStages) {
    if (!target.ends_with(named.suffix)) continue;
    stage = named.function;
    target.remove_suffix(named.suffix.size());
    break;
  }
  const bool isCuda = target.ends_with("@cuda");
  if (isCuda) target.remove_suffix(5);
  const std::string name = mapping.substr(equals + 1);
  const Symbol symbol = findSymbol(name);
  if (symbol.function == nullptr)
    return fail("no-symbol", fmt::format("no FFI library exports {}, the handler of {}", name, target));
  FfiHandler& handler = handlerFor(std::string(target), symbol.library);
  (isCuda ? handler.cuda : handler.host).*stage = symbol.function;
  return {};
}

struct LoadedLibraries {
  std::vector<FfiLibrary> libraries;
  Diagnostics problems;
};

LoadedLibraries loadAll() {
  LoadedLibraries loaded;
  Handlers& all = handlers();
  const std::scoped_lock lock(all.mutex);
  for (const std::string& path : listIn("HILO_FFI_LIBRARIES", ':')) {
    FfiLibrary& library = loaded.libraries.emplace_back(FfiLibrary{.path = path});
    // A path without a folder is a file here, not one that the system finds.
    const std::string file = path.find('/') == path.npos ? "./" + path : path;
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* why = dlerror();
      library.refused = Diagnostic{.kind = "ffi-not-loadable", .message = why != nullptr ? why : path};
      continue;
    }
    all.loaded.push_back(handle);
    all.loadedPaths.push_back(path);
  }
  for (const std::string& mapping : listIn("HILO_FFI_HANDLERS", ',')) {
    if (Status taken = takeMapping(mapping); !taken) loaded.problems.push_back(std::move(taken).error());
  }
  return loaded;
}

const LoadedLibraries& loadedLibraries() {
  static const auto& loaded = *new LoadedLibraries(loadAll());
  return loaded;
}

}  // namespace

const std::vector<FfiLibrary>& ffiLibraries() { return loadedLibraries().libraries; }
const Diagnostics& ffiHandlerProblems() { return loadedLibraries().problems; }

const FfiHandler* findFfiHandler(std::string_view target) {
  (void)loadedLibraries();
  Handlers& all = handlers();
  const std::scoped_lock lock(all.mutex);
  if (const auto found = all.byTarget.find(target); found != all.byTarget.end()) return &found->second;
  const Symbol symbol = findSymbol(std::string(target));
  if (symbol.function == nullptr) return nullptr;
  FfiHandler& handler = handlerFor(std::string(target), symbol.library);
  handler.host.execute = symbol.function;
  return &handler;
}

Status registerFfiHandler(std::string_view target, std::string_view platform, const FfiBundle& bundle) {
  if (target.empty() || bundle.execute == nullptr)
    return fail("ffi-malformed", fmt::format("the handler of {} has no function to execute", target));
  const bool isCuda = platform == "CUDA" || platform == "cuda" || platform == "gpu";
  if (!isCuda && platform != "Host" && platform != "cpu" && platform != "CPU")
    return fail("ffi-malformed", fmt::format("{} is for {}, a platform that is not there", target, platform));
  Handlers& all = handlers();
  const std::scoped_lock lock(all.mutex);
  FfiHandler& handler = handlerFor(std::string(target), "a library that registers it");
  (isCuda ? handler.cuda : handler.host) = bundle;
  return {};
}

Result<FfiMetadata> ffiMetadataOf(const std::string& target, FfiHandlerFunction* function) {
  FfiMetadata metadata{.structBytes = kFfiMetadataBytes};
  metadata.version.structBytes = kFfiVersionBytes;
  FfiMetadataExtension extension{.base = {kFfiMetadataExtensionBytes, FfiExtensionType::Metadata, nullptr},
                                 .metadata = &metadata};
  FfiCallFrame frame{};
  frame.structBytes = kFfiCallFrameBytes;
  frame.extensions = &extension.base;
  frame.api = &ffiApi();
  frame.stage = FfiStage::Execute;
  frame.arguments.structBytes = frame.results.structBytes = kFfiBuffersBytes;
  frame.attributes.structBytes = kFfiAttributesBytes;
  if (FfiError* error = function(&frame)) {
    const FfiFailure failure = takeFfiError(error);
    return fail("ffi-malformed",
                fmt::format("the handler of {} does not tell its version: {}", target, failure.message));
  }
  const FfiVersion& version = metadata.version;
  if (version.major != kFfiMajor || version.minor < kFfiOldestMinor || version.minor > kFfiMinor) {
    return fail(
        "ffi-version",
        fmt::format("the handler of {} was built for version {}.{} of XLA's FFI, and this program has {}.{}",
                    target, version.major, version.minor, kFfiMajor, kFfiMinor),
        {},
        {fmt::format("build it again with headers of XLA from {}.{} to {}.{}", kFfiMajor, kFfiOldestMinor,
                     kFfiMajor, kFfiMinor)});
  }
  return metadata;
}

}  // namespace hilo
