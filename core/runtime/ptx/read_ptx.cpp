#include "core/runtime/ptx/read_ptx.h"

#include <fmt/format.h>

#include "core/runtime/ptx/ptx_reader.h"

namespace hilo {
namespace {

constexpr size_t kMostText = size_t{1} << 30;

struct LinkageWord {
  std::string_view word;
  PtxLinkage linkage;
};
constexpr LinkageWord kLinkages[] = {{"visible", PtxLinkage::Visible},
                                     {"extern", PtxLinkage::Extern},
                                     {"weak", PtxLinkage::Weak},
                                     {"common", PtxLinkage::Common}};
struct SpaceWord {
  std::string_view word;
  PtxSpace space;
};
constexpr SpaceWord kSpaces[] = {
    {"global", PtxSpace::Global}, {"const", PtxSpace::Const}, {"shared", PtxSpace::Shared}};

}  // namespace

Result<PtxModule> PtxReader::readModule() {
  while (!in_.atEnd()) TRY_STATUS(readTopLevel());
  if (module_.majorVersion == 0 || module_.target.empty())
    return in_.wrong("unexpected-token",
                     "PTX begins with .version and .target, which this text does not have");
  return std::move(module_);
}

Status PtxReader::readTopLevel() {
  if (in_.take(";")) return {};
  if (in_.take("@@")) {  // @@DWARF, of old debuggers
    in_.until("\n");
    return {};
  }
  PtxLinkage linkage = PtxLinkage::Internal;
  std::string_view word = in_.directive();
  for (const LinkageWord& known : kLinkages) {
    if (word != known.word) continue;
    linkage = known.linkage;
    word = in_.directive();
    break;
  }
  if (word == "entry" || word == "func") return readFunction(word == "entry", linkage);
  for (const SpaceWord& known : kSpaces) {
    if (word == known.word) return readVariables(known.space, linkage, module_.variables);
  }
  if (word.empty()) return in_.unexpected("a directive");
  return readHeader(word);
}

Status PtxReader::readHeader(std::string_view directive) {
  if (directive == "version") {
    TRY(module_.majorVersion, in_.digits());
    TRY_STATUS(in_.expect("."));
    TRY(module_.minorVersion, in_.digits());
    return {};
  }
  if (directive == "target") {
    do {
      const std::string_view name = in_.name();
      if (name.empty()) return in_.unexpected("a target");
      module_.target.emplace_back(name);
    } while (in_.take(","));
    return {};
  }
  if (directive == "address_size") {
    TRY(const uint64_t bits, in_.integer());
    module_.addressBits = static_cast<int>(bits);
    return {};
  }
  if (directive == "file") return readFile();
  if (directive == "section") return skipSection();
  if (directive == "pragma" || directive == "alias" || directive == "metadata") {
    in_.until(";");
    return in_.expect(";");
  }
  return in_.wrong("unknown-directive",
                   fmt::format("no directive .{} is known here", std::string(directive)));
}

// .file 1 "path", time, size
Status PtxReader::readFile() {
  TRY(const uint64_t number, in_.integer());
  TRY(std::string path, in_.quoted());
  while (in_.take(",")) TRY_STATUS(in_.integer());
  module_.files.emplace_back(static_cast<uint32_t>(number), std::move(path));
  return {};
}

// .section .debug_info { ... }: no braces inside.
Status PtxReader::skipSection() {
  in_.directive();
  TRY_STATUS(in_.expect("{"));
  in_.until("}");
  return in_.expect("}");
}

Result<PtxModule> readPtx(std::string_view text, const std::string& file) {
  if (text.size() > kMostText)
    return fail("ptx-too-large", fmt::format("PTX of {} bytes is more than {}", text.size(), kMostText),
                {.file = file});
  return PtxReader(text, file).readModule();
}

}  // namespace hilo
