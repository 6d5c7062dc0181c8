#include <fmt/format.h>

#include <absl/cleanup/cleanup.h>

#include "core/compiler/toolchain/assembler_answer.h"
#include "core/runtime/libraries/files/loaded_library.h"

namespace hilo {
namespace {

struct JitLinkFunctions {
#define LIBRARY_FUNCTION HILO_LIBRARY_MEMBER
#include "core/compiler/toolchain/nvjitlink_functions.def"
};
struct PtxCompilerFunctions {
#define LIBRARY_FUNCTION HILO_LIBRARY_MEMBER
#include "core/compiler/toolchain/nvptxcompiler_functions.def"
};

Status findAll(const LoadedLibrary& library, JitLinkFunctions& functions) {
#define LIBRARY_FUNCTION HILO_LIBRARY_FIND
#include "core/compiler/toolchain/nvjitlink_functions.def"
  return {};
}
Status findAll(const LoadedLibrary& library, PtxCompilerFunctions& functions) {
#define LIBRARY_FUNCTION HILO_LIBRARY_FIND
#include "core/compiler/toolchain/nvptxcompiler_functions.def"
  return {};
}

// Numbers of nvJitLink's.
constexpr int kPtxInput = 2, kUnknownGpu = 16, kUnsupportedGpu = 17;

using SizeFunction = LibraryFunction<int(void*, size_t*)>;
using TextFunction = LibraryFunction<int(void*, char*)>;

// What one function gives after another said how long it is.
Result<std::string> bytesOf(const LoadedLibrary& library, void* handle, const SizeFunction& size,
                            const TextFunction& text) {
  size_t bytes = 0;
  TRY_STATUS(library.call(size, handle, &bytes));
  std::string got(bytes, '\0');
  if (bytes > 0) TRY_STATUS(library.call(text, handle, got.data()));
  return got;
}

// The end of a call that gave `result`: its words, and the code where it gave one.
template <typename Functions>
Result<AssemblerAnswer> answerOf(const LoadedLibrary& library, const Functions& functions, void* handle,
                                 int result) {
  AssemblerAnswer answer;
  const auto addWords = [&](Result<std::string> words) -> Status {
    if (!words) return std::unexpected(std::move(words).error());
    answer.words += words->c_str();  // up to its final zero
    return {};
  };
  TRY_STATUS(addWords(bytesOf(library, handle, functions.errorBytes, functions.errors)));
  TRY_STATUS(addWords(bytesOf(library, handle, functions.wordBytes, functions.words)));
  if (result != 0) {
    answer.refusal = fmt::format("gave error {}", result);
  } else {
    TRY(answer.cubin, bytesOf(library, handle, functions.codeBytes, functions.code));
  }
  return answer;
}

}  // namespace

Result<AssemblerAnswer> askJitLink(const Tool& tool, std::string_view ptx, const std::string& target) {
  TRY(const LoadedLibrary library,
      LoadedLibrary::openFile(tool.path, tool.name.c_str(), tool.install.c_str()));
  JitLinkFunctions functions;
  TRY_STATUS(findAll(library, functions));
  const std::string text(ptx), arch = "-arch=" + target;  // it reads up to a zero, whatever length it is told
  const char* options[] = {arch.c_str(), "-verbose"};
  void* linker = nullptr;
  const int made = functions.create.pointer(&linker, 2, options);
  if (made == kUnknownGpu || made == kUnsupportedGpu)
    return fail("unsupported-gpu",
                fmt::format("{} {} does not know {}", tool.name, versionText(tool), target));
  if (made != 0) return std::unexpected(library.failure(functions.create.symbol, made).error());
  const absl::Cleanup end = [&] { functions.destroy.pointer(&linker); };
  int result = functions.add.pointer(linker, kPtxInput, text.c_str(), text.size(), "kernels.ptx");
  if (result == 0) result = functions.link.pointer(linker);
  return answerOf(library, functions, linker, result);
}

Result<AssemblerAnswer> askPtxCompiler(const Tool& tool, std::string_view ptx, const std::string& target) {
  TRY(const LoadedLibrary library,
      LoadedLibrary::openFile(tool.path, tool.name.c_str(), tool.install.c_str()));
  PtxCompilerFunctions functions;
  TRY_STATUS(findAll(library, functions));
  const std::string text(ptx), gpu = "--gpu-name=" + target;
  void* compiler = nullptr;
  TRY_STATUS(library.call(functions.create, &compiler, text.size(), text.c_str()));
  const absl::Cleanup end = [&] { functions.destroy.pointer(&compiler); };
  const char* const options[] = {gpu.c_str(), "--verbose"};
  const int result = functions.compile.pointer(compiler, 2, options);
  return answerOf(library, functions, compiler, result);
}

}  // namespace hilo
