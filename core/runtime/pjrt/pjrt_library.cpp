#include "core/runtime/pjrt/pjrt_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace hilo {
namespace {

constexpr size_t kFunctionsAt = sizeof(PjrtHead) + sizeof(PjrtVersion);

// What nothing works without.
constexpr PjrtFunction kNeeded[] = {
    PjrtFunction::Error_Destroy,
    PjrtFunction::Error_Message,
    PjrtFunction::Error_GetCode,
    PjrtFunction::Event_Destroy,
    PjrtFunction::Event_Await,
    PjrtFunction::Client_Create,
    PjrtFunction::Client_Destroy,
    PjrtFunction::Client_PlatformName,
    PjrtFunction::Client_AddressableDevices,
    PjrtFunction::Client_Compile,
    PjrtFunction::Client_BufferFromHostBuffer,
    PjrtFunction::LoadedExecutable_Execute,
    PjrtFunction::LoadedExecutable_Destroy,
    PjrtFunction::Buffer_ToHostBuffer,
    PjrtFunction::Buffer_Destroy,
};

std::string valueText(const PjrtNamedValue& value) {
  switch (value.kind) {
    case PjrtValueKind::Text:
      return std::string(value.text, value.size);
    case PjrtValueKind::Integer:
      return fmt::format("{}", value.integer);
    case PjrtValueKind::Integers:
      return fmt::format("{}", fmt::join(value.integers, value.integers + value.size, "."));
    case PjrtValueKind::Float:
      return fmt::format("{}", value.number);
    case PjrtValueKind::Bool:
      return value.flag ? "true" : "false";
  }
  return "";
}

}  // namespace

Result<std::shared_ptr<const PjrtLibrary>> PjrtLibrary::load(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return fail("pjrt-not-loadable", why != nullptr ? why : path);
  }
  const auto entry = reinterpret_cast<const PjrtApi* (*)()>(dlsym(library, kPjrtEntry));
  if (entry == nullptr)
    return fail("not-a-pjrt-library", fmt::format("{} exports no {}()", path, kPjrtEntry));
  const PjrtApi* api = entry();
  if (api == nullptr || api->structBytes < kFunctionsAt)
    return fail("not-a-pjrt-library", fmt::format("{}: its table of functions is too small", path));
  const PjrtVersion& version = api->version;
  if (version.major != kPjrtMajor || version.minor < kPjrtOldestMinor)
    return fail("pjrt-version",
                fmt::format("{} speaks version {}.{} of PJRT's C API", path, version.major, version.minor),
                {},
                {fmt::format("versions {0}.{1} and newer of {0} are understood, written for {0}.{2}",
                             kPjrtMajor, kPjrtOldestMinor, kPjrtMinor)});
  std::shared_ptr<const PjrtLibrary> loaded(new PjrtLibrary(path, *api));
  for (const PjrtFunction function : kNeeded) {
    if (!loaded->has(function))
      return fail("pjrt-missing-function",
                  fmt::format("{} has no function PJRT_{}", path, pjrtFunctionName(function)));
  }
  if (loaded->has(PjrtFunction::Plugin_Initialize)) {
    PjrtHead arguments{};
    TRY_STATUS(loaded->call<PjrtFunction::Plugin_Initialize>(arguments));
  }
  return loaded;
}

std::string PjrtLibrary::versionText() const {
  return fmt::format("{}.{}", api_.version.major, api_.version.minor);
}

Result<std::vector<std::pair<std::string, std::string>>> PjrtLibrary::attributes() const {
  std::vector<std::pair<std::string, std::string>> texts;
  if (!has(PjrtFunction::Plugin_Attributes)) return texts;
  PjrtPluginAttributes given{};
  TRY_STATUS(call<PjrtFunction::Plugin_Attributes>(given));
  for (size_t i = 0; i < given.count; ++i) {
    const PjrtNamedValue& value = given.attributes[i];
    texts.emplace_back(std::string(value.name, value.nameSize), valueText(value));
  }
  return texts;
}

bool PjrtLibrary::has(PjrtFunction function) const {
  const size_t place = static_cast<size_t>(function);
  const size_t end = kFunctionsAt + (place + 1) * sizeof(PjrtFunctionPointer);
  return api_.structBytes >= end && api_.functions[place] != nullptr;
}

Status PjrtLibrary::callWith(PjrtFunction function, void* arguments) const {
  if (!has(function))
    return fail("pjrt-missing-function",
                fmt::format("{} has no function PJRT_{}", path_, pjrtFunctionName(function)));
  PjrtError* error = api_.functions[static_cast<size_t>(function)](arguments);
  // The two that give nothing.
  if (function == PjrtFunction::Error_Destroy || function == PjrtFunction::Error_Message) return {};
  return error == nullptr ? Status() : std::unexpected(explain(function, error));
}

Diagnostic PjrtLibrary::explain(PjrtFunction function, PjrtError* error) const {
  PjrtErrorMessage message{};
  message.error = error;
  (void)call<PjrtFunction::Error_Message>(message);
  PjrtErrorCode code{};
  code.error = error;
  const bool hasCode = call<PjrtFunction::Error_GetCode>(code).has_value();
  Diagnostic why{.kind = "pjrt-error",
                 .message = fmt::format("PJRT_{}: {}", pjrtFunctionName(function),
                                        std::string_view(message.message.data, message.message.size)),
                 .place = {},
                 .notes = {}};
  if (hasCode)
    why.notes.push_back(fmt::format("its code of absl::Status is {}", static_cast<int>(code.code)));
  PjrtErrorArgs destroyed{};
  destroyed.error = error;
  (void)call<PjrtFunction::Error_Destroy>(destroyed);
  return why;
}

Status PjrtLibrary::await(PjrtEvent* event) const {
  if (event == nullptr) return {};
  PjrtEventArgs arguments{};
  arguments.event = event;
  const Status done = call<PjrtFunction::Event_Await>(arguments);
  arguments = {};
  arguments.event = event;
  TRY_STATUS(call<PjrtFunction::Event_Destroy>(arguments));
  return done;
}

}  // namespace hilo
