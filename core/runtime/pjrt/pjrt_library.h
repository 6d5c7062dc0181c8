// A shared library with PJRT's C API: found, asked for its version, called. It is code of others, with the
// rights of this process: engines load it in a process of its own.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/pjrt/pjrt_arguments.h"

namespace hilo {

class PjrtLibrary {
 public:
  // Never thrown out again. Kinds: "pjrt-not-loadable", "not-a-pjrt-library" (no GetPjrtApi(), or a table
  // that is too small), "pjrt-version" (another major version, or older than kPjrtOldestMinor).
  static Result<std::shared_ptr<const PjrtLibrary>> load(const std::string& path);

  const std::string& path() const { return path_; }
  // "0.114"
  std::string versionText() const;
  // What it says of itself: "xla_version" and others, as texts.
  Result<std::vector<std::pair<std::string, std::string>>> attributes() const;
  bool has(PjrtFunction function) const;

  // Calls a function on arguments whose size is filled in here. Kinds: "pjrt-missing-function" with its name,
  // "pjrt-error" with the library's message and code.
  template <PjrtFunction kFunction>
  Status call(typename PjrtArgumentsOf<kFunction>::Type& arguments) const {
    arguments.structBytes = sizeof(arguments);
    return callWith(kFunction, &arguments);
  }
  // Waits, then gives the event back; a null event is over. The event's error.
  Status await(PjrtEvent* event) const;

 private:
  PjrtLibrary(std::string path, const PjrtApi& api) : path_(std::move(path)), api_(api) {}
  Status callWith(PjrtFunction function, void* arguments) const;
  Diagnostic explain(PjrtFunction function, PjrtError* error) const;

  std::string path_;
  const PjrtApi& api_;
};

}  // namespace hilo
