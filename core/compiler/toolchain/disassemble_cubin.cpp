#include "core/compiler/toolchain/disassemble_cubin.h"

#include "core/base/files.h"
#include "core/compiler/toolchain/process.h"
#include "core/compiler/toolchain/scratch_folder.h"

namespace hilo {

Result<std::string> disassembleCubin(const Tool& nvdisasm, std::string_view cubin) {
  if (!nvdisasm.isUsable())
    return fail("no-disassembler", fmt::format("{} was not found", nvdisasm.name), {},
                {"it comes with: " + nvdisasm.install});
  TRY(const ScratchFolder folder, ScratchFolder::make());
  const std::string file = folder.file("kernels.cubin");
  TRY_STATUS(writeBytes(file, cubin));
  TRY(ProcessOutput said, runProcess({nvdisasm.path, "-c", file}, std::chrono::seconds(60)));
  if (said.exitCode == 0) return std::move(said.text);
  return fail("cubin-refused", fmt::format("{} ended with {}", nvdisasm.path, said.exitCode), {},
              {said.text});
}

}  // namespace hilo
