#include "core/workspace/run/dumped_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/compiler/codegen/emit/fast_math.h"
#include "core/hlo/dump/dump_name.h"
#include "core/hlo/dump/line_scanner.h"
#include "core/workspace/open/opened_dump.h"

namespace hilo {
namespace {

// Whether a line gives this option this value.
bool says(std::string_view line, std::string_view option, bool value) {
  LineScanner scanner(line);
  scanner.skipSpaces();
  if (!scanner.eat(option) || !scanner.eat(":")) return false;
  scanner.skipSpaces();
  return scanner.eat(value ? "true" : "false");
}

std::unexpected<Diagnostic> noOptions(const std::string& path) {
  return fail("no-debug-options", "no debug options lie beside the module", {.file = path},
              {"newer versions of XLA write them into a dump (--xla_dump_to=DIR): open the module there",
               "or name the flags: hilo run --list-engines"});
}

// The first of these files that lies beside the module.
struct DumpedText {
  std::string text, fileName;
};

Result<DumpedText> textBeside(const std::string& path, std::initializer_list<DumpPart> parts) {
  const std::filesystem::path place(path);
  const std::string folder = place.has_parent_path() ? place.parent_path() : ".";
  const auto dump = openDumpDirectory(folder, {});
  if (!dump) return noOptions(path);
  const auto isThis = [&](const DumpFileInfo& file) {
    return file.path == path || ((*dump)->framed == nullptr && file.name == place.filename());
  };
  for (const DumpModuleInfo& module : (*dump)->modules) {
    if (!std::ranges::any_of(module.files, isThis)) continue;
    for (const DumpPart part : parts) {
      const auto file = std::ranges::find(module.files, dumpPartName(part), &DumpFileInfo::kind);
      if (file == module.files.end()) continue;
      TRY(std::string text, readDumpFile(**dump, file->path));
      return DumpedText{std::move(text), file->name};
    }
  }
  return noOptions(path);
}

}  // namespace

std::vector<std::string> fastMathFlagsIn(std::string_view debugOptions) {
  std::vector<const FastMathFlag*> found;
  while (!debugOptions.empty()) {
    const std::string_view line = takeLine(debugOptions);
    for (const FastMathFlag& flag : kFastMathFlags) {
      if (says(line, flag.option, flag.takenBy)) found.push_back(&flag);
    }
  }
  const bool isOn = std::ranges::any_of(found, [](auto* flag) { return flag->field == &FastMath::isOn; });
  std::vector<std::string> flags;
  for (const FastMathFlag* flag : found) {
    if (isOn || !flag->needsFastMath) flags.emplace_back(flag->name);
  }
  return flags;
}

Result<DumpedFlags> dumpedFlags(const std::string& path) {
  TRY(const DumpedText found, textBeside(path, {DumpPart::DebugOptions, DumpPart::Config}));
  return DumpedFlags{fastMathFlagsIn(found.text), found.fileName};
}

Result<std::string> dumpedOptions(const std::string& path) {
  TRY(DumpedText found, textBeside(path, {DumpPart::DebugOptions}));
  return std::move(found.text);
}

}  // namespace hilo
