// Which kernel of a dump's PTX an instruction was compiled to. Private to the room.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/hlo/ir/module.h"
#include "core/runtime/ptx/ptx_module.h"

namespace hilo {

struct DumpedPtx {
  std::string name;  // of the file
  std::string text;
  PtxModule module;
};

struct DumpedKernel {
  uint32_t file = 0;
  const PtxFunction* function = nullptr;
};

// Equal for modules that do the same on shapes and layouts that are the same; renames the computations.
std::string textWithoutNames(Module& module);

// Of one module; it and the files outlive this.
class DumpedKernels {
 public:
  DumpedKernels(const Module& module, std::span<const DumpedPtx> files) : module_(module), files_(files) {}

  // By its name; XLA writes a kernel once for fusions that do the same, under the name of the first: ask in
  // the order of the schedule.
  std::optional<DumpedKernel> of(const Instruction& instruction);

 private:
  std::optional<DumpedKernel> named(const std::string& name) const;

  const Module& module_;
  const std::span<const DumpedPtx> files_;
  absl::flat_hash_map<std::string, DumpedKernel> sameAs_;  // by what the instruction does
};

}  // namespace hilo
