#include <fmt/format.h>

#include "core/base/files.h"
#include "core/compiler/toolchain/assembler_answer.h"
#include "core/compiler/toolchain/process.h"
#include "core/compiler/toolchain/scratch_folder.h"

namespace hilo {

Result<AssemblerAnswer> askProgram(const Tool& ptxas, std::string_view ptx, const std::string& target) {
  TRY(const ScratchFolder folder, ScratchFolder::make());
  const std::string source = folder.file("kernels.ptx"), made = folder.file("kernels.cubin");
  TRY_STATUS(writeBytes(source, ptx));
  TRY(ProcessOutput said,
      runProcess({ptxas.path, "-v", "-arch=" + target, source, "-o", made}, std::chrono::minutes(1)));
  AssemblerAnswer answer{.cubin = {}, .words = std::move(said.text), .refusal = {}};
  if (said.exitCode != 0) {
    answer.refusal = fmt::format("ended with {}", said.exitCode);
  } else {
    TRY(answer.cubin, readBytes(made));
  }
  return answer;
}

}  // namespace hilo
