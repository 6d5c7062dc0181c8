#include "core/workspace/about.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/common.h>
#include <sqlite3.h>

#include "core/compiler/codegen/emit/compiler_name.h"
#include "core/runtime/device/host/machine_text.h"

namespace hilo {
namespace {

constexpr std::string_view kCommit =
#include "commit.inc"  // "c9f3c0e6": written by each build that finds another
    ;

}  // namespace

std::string versionText() {
  return kCommit.empty() ? std::string(HILO_VERSION) : fmt::format("{} ({})", HILO_VERSION, kCommit);
}

std::string aboutText() {
  return fmt::format("hilo {}\nlibraries  {}, protobuf {}, SQLite {}\nmachine    {}", versionText(),
                     compilerName(), google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION),
                     sqlite3_libversion(), machineText());
}

}  // namespace hilo
