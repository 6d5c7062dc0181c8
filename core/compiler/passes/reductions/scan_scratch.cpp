#include "core/compiler/passes/reductions/scan_scratch.h"

#include <charconv>

#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/call_workspace.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

constexpr std::string_view kUnsized = "xla.gpu.ext.cub_scan_unassigned_scratch_size",
                           kSized = "xla.gpu.ext.cub_scan";

bool isUnsized(const Instruction& i) {
  return i.opcode() == Opcode::CustomCall && i.get<Attr::CustomCallTarget>() == kUnsized &&
         i.operandCount() == 1 && i.operand(0)->shape().isArray() && i.shape().isTuple() &&
         i.shape().tupleShapes().size() == 2;
}

// 0 where it is no number.
int64_t lengthIn(const Instruction& call, std::string_view field) {
  const std::string text = gpuConfig(call, "", field);
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

struct ScanSizes {
  int64_t vectors = 0, rows = 0, columns = 0;
};

ScanSizes sizesOf(const Instruction& call) {
  return {lengthIn(call, "vector_length"), lengthIn(call, "row_length"), lengthIn(call, "column_length")};
}

std::string_view whyNot(const Instruction& call) {
  const std::string kind = gpuConfig(call, "", "kind");
  const ScanSizes sizes = sizesOf(call);
  if (sizes.vectors < 1 || sizes.rows < 1 || sizes.columns < 1) return "no lengths in its configuration";
  if (kind != "SUM" && kind != "1") return "it is no sum";
  return mayGetWorkspace(call) ? "" : "its result is read whole";
}

int64_t scratchOf(const Instruction& call) {
  constexpr int64_t kTile = 1024, kTilesInFront = 32, kState = 8;
  const ScanSizes sizes = sizesOf(call);
  const int64_t tiles = (sizes.rows - 1) / kTile + 1 + kTilesInFront;
  const int64_t sum = elementStorageBytes(call.operand(0)->shape().elementType());
  const int64_t lines = saturatingMultiply(sizes.columns, sizes.vectors);
  return saturatingMultiply(saturatingMultiply(tiles, kState + sum), lines);
}

SizedCall sized(const Instruction& call) {
  constexpr int kSum = 1;  // of XLA's CubScanOptions
  const ScanSizes sizes = sizesOf(call);
  return {kSized, scratchOf(call),
          fmt::format("{{vector_length = {} : i64, row_length = {} : i64, column_length = {} : i64, "
                      "kind = {} : i32, is_reverse = {}}}",
                      sizes.vectors, sizes.rows, sizes.columns, kSum,
                      gpuConfig(call, "", "is_reverse") == "true")};
}

}  // namespace

Result<bool> estimateScanScratch(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* call : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isUnsized(*call)) continue;
      if (const std::string_view why = whyNot(*call); !why.empty()) {
        context.remark(*call, "missed", std::string(why));
        continue;
      }
      if (!context.mayChange(*call)) return changed;
      giveWorkspace(*call, sized(*call), context);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
