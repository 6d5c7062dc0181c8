#include "core/compiler/schedule/gpu_memory_limit.h"

#include "core/analysis/dataflow/shape_index.h"
#include "core/analysis/saturating.h"

namespace hilo {
namespace {

constexpr int64_t kPointerBytes = 8;
constexpr int64_t kSizeBytes = 4;  // of a dynamic dimension
constexpr int64_t kPercentForXla = 80, kSlopPercent = 95;

// Without what lies in other memory than the device's.
int64_t deviceBytes(Shape shape) {
  if (shape.isArray() && shape.layout() != nullptr && shape.layout()->memorySpace != 0) return 0;
  const int64_t sizes =
      shape.isArray() && shape.isDynamic() ? kSizeBytes * static_cast<int64_t>(shape.rank()) : 0;
  return saturatingAdd(bufferBytes(shape, kPointerBytes), sizes);
}

int64_t deviceBytesOfParts(Shape shape) {
  int64_t bytes = 0;
  const SubshapeTable table(shape);
  for (const SubshapeTable::Part& part : table.parts()) bytes = saturatingAdd(bytes, deviceBytes(part.shape));
  return bytes;
}

}  // namespace

int64_t gpuSchedulerMemoryLimit(const Module& module, int64_t deviceMemoryBytes) {
  const auto base = static_cast<int64_t>(__int128{deviceMemoryBytes} * kPercentForXla / 100);
  int64_t passed = 0;
  if (const Computation* entry = module.entry(); entry != nullptr && entry->root() != nullptr) {
    for (const Instruction* parameter : entry->parameters()) {
      if (parameter != nullptr) passed = saturatingAdd(passed, deviceBytesOfParts(parameter->shape()));
    }
    const Shape result = entry->root()->shape();
    passed = saturatingAdd(passed, deviceBytesOfParts(result));
    for (const AliasEntry& alias : module.get<Attr::InputOutputAlias>()) {
      if (const auto part = subshapeAt(result, shapeIndexOf(alias.outputIndex))) passed -= deviceBytes(*part);
    }
  }
  return passed > base ? 0 : static_cast<int64_t>(__int128{base - passed} * kSlopPercent / 100);
}

}  // namespace hilo
