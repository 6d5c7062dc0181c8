#include "core/compiler/passes/canonicalize/sort_rewriter.h"

#include <algorithm>
#include <array>

#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/call_workspace.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr std::string_view kUnsized = "xla.gpu.ext.cub_sort_unassigned_scratch_size",
                           kKeys = "xla.gpu.ext.cub_sort_keys", kPairs = "xla.gpu.ext.cub_sort_pairs";

// From so many rows on, of more than so many elements, up to so many rows (times the processors; 0: any).
struct FasterFrom {
  int bits;
  int64_t rows, elements, mostRowsByProcessors = 0;
};

constexpr int64_t k(int power) { return int64_t{1} << power; }

constexpr auto kHopper = std::to_array<FasterFrom>({
    {16, 13, k(16)},
    {16, 15, k(15)},
    {16, 17, k(14)},
    {16, 19, k(13)},
    {16, 34, k(12)},
    {16, 67, k(11)},
    {32, 27, k(17)},
    {32, 32, k(16)},
    {32, 39, k(15)},
    {32, 45, k(14)},
    {32, 53, k(13)},
    {32, 89, k(12), 1},
    {64, 56, k(17)},
    {64, 71, k(16)},
    {64, 93, k(15)},
    {64, 161, k(14), 2},
    {64, 355, k(14)},
});
constexpr auto kAmpere = std::to_array<FasterFrom>({
    {16, 10, k(17)},
    {16, 14, k(13)},
    {16, 28, k(12)},
    {16, 55, k(11)},
    {32, 25, k(17)},
    {32, 31, k(16)},
    {32, 37, k(15)},
    {32, 40, k(14)},
    {32, 53, k(13)},
    {32, 145, k(12)},
    {64, 47, k(17)},
    {64, 56, k(16)},
    {64, 73, k(15)},
    {64, 139, k(14), 2},
    {64, 290, k(14)},
});

struct SortSizes {
  int bits;
  int64_t rows, elements;
  bool hasValues;
};

template <size_t N>
bool isIn(const std::array<FasterFrom, N>& table, const SortSizes& sort, int64_t processors) {
  return std::ranges::any_of(table, [&](const FasterFrom& from) {
    return from.bits == sort.bits && sort.rows >= from.rows && sort.elements > from.elements &&
           (from.mostRowsByProcessors == 0 || sort.rows <= from.mostRowsByProcessors * processors);
  });
}

// One row of more than this many elements, by bits of the key.
bool isLongRow(const SortSizes& sort, std::array<int64_t, 3> least) {
  const size_t at = sort.bits == 16 ? 0 : sort.bits == 32 ? 1 : 2;
  return sort.rows == 1 && sort.bits >= 16 && sort.elements > least[at];
}

bool isFasterOnHopper(const SortSizes& sort, int64_t processors) {
  if (sort.bits == 8)
    return sort.rows == 1 || (sort.elements > 1300 && (sort.rows > 8 || sort.elements < 26000));
  return isLongRow(sort, {k(9), 22000, k(17)}) || isIn(kHopper, sort, processors);
}

bool isFasterOnAmpere(const SortSizes& sort, int64_t processors) {
  if (sort.bits == 8)
    return sort.rows == 1 || (sort.elements > 1000 && (sort.rows > 5 || sort.elements < 43000));
  return isLongRow(sort, {k(16), k(15), k(16)}) || isIn(kAmpere, sort, processors);
}

// 32 bits: from this many rows on, by elements of a row.
bool isFasterOnBlackwell(const SortSizes& sort, int64_t processors) {
  if (sort.elements <= 1024) return false;
  if (sort.bits == 16) return sort.elements >= 4096;
  if (sort.bits == 64) return !sort.hasValues && sort.elements >= k(14);
  if (sort.bits != 32) return isFasterOnHopper(sort, processors);
  if (sort.rows == 1) return sort.elements >= 4096;
  constexpr std::array<std::pair<int64_t, int64_t>, 5> kRows = {
      {{k(17), 26}, {k(16), 31}, {k(15), 38}, {k(14), 44}, {k(13), 52}}};
  for (const auto& [elements, rows] : kRows) {
    if (sort.elements >= elements) return sort.rows > rows;
  }
  return sort.elements >= 4096 && sort.rows > 88 && sort.rows < 128;
}

bool isFaster(const SortSizes& sort, const SortRewriterSettings& settings) {
  if (settings.always) return true;
  if (settings.capability >= 100) return isFasterOnBlackwell(sort, settings.processors);
  if (settings.capability >= 90) return isFasterOnHopper(sort, settings.processors);
  if (settings.capability >= 80 && settings.capability < 89)
    return isFasterOnAmpere(sort, settings.processors);
  return sort.rows * sort.elements > 16384;
}

// Which operand is the key, and in which order.
struct KeyOrder {
  size_t key;
  bool isDescending;
};

std::optional<KeyOrder> orderOf(const Instruction& sort) {
  const Instruction& root = *sort.get<Attr::ToApply>()->root();
  if (root.opcode() != Opcode::Compare || root.operand(0)->opcode() != Opcode::Parameter ||
      root.operand(1)->opcode() != Opcode::Parameter)
    return std::nullopt;
  const auto direction = root.get<Attr::Direction>();
  if (direction == ComparisonDirection::Eq || direction == ComparisonDirection::Ne) return std::nullopt;
  const int64_t a = root.operand(0)->parameterNumber(), b = root.operand(1)->parameterNumber();
  if (std::min(a, b) % 2 != 0 || std::max(a, b) != std::min(a, b) + 1) return std::nullopt;
  const auto key = static_cast<size_t>(std::min(a, b) / 2);
  if (key >= sort.operandCount()) return std::nullopt;
  if (isFloat(sort.operand(key)->shape().elementType()) &&
      root.get<Attr::ComparisonTypeKind>() != ComparisonType::TotalOrder)
    return std::nullopt;
  const bool isGreater = direction == ComparisonDirection::Gt || direction == ComparisonDirection::Ge;
  return KeyOrder{key, isGreater != (b < a)};
}

// Types CUB's kernels are compiled for in XLA.
bool areSorted(ElementType key, std::optional<ElementType> value) {
  if (key == ElementType::Pred || isComplex(key) || elementBits(key) < 8 ||
      (isFloat(key) && elementBits(key) < 16))
    return false;
  if (!value) return true;
  const int bits = elementBits(*value);
  const bool isKey = key == ElementType::U8 || key == ElementType::U16 || key == ElementType::S32 ||
                     key == ElementType::U32 || key == ElementType::U64 || key == ElementType::F32;
  return isKey && (bits == 16 || bits == 32 || bits == 64);
}

bool isRewritten(const Instruction& i, const SortRewriterSettings& settings) {
  if (i.opcode() != Opcode::Sort || i.operandCount() > 2 || i.has(Attr::ControlPredecessors) ||
      (i.users().empty() && !i.isRoot()))
    return false;
  for (const Instruction* operand : i.operands()) {
    if (!liesRowMajor(operand->shape()) || operand->shape().elementCount() == 0) return false;
  }
  const Shape first = i.operand(0)->shape();
  if (i.dimensions()[0] != static_cast<int64_t>(first.rank()) - 1) return false;
  const auto order = orderOf(i);
  const bool hasValues = i.operandCount() == 2;
  const SortSizes sizes{elementBits(first.elementType()), first.elementCount() / first.dimensions().back(),
                        first.dimensions().back(), hasValues};
  if (!order || !isFaster(sizes, settings)) return false;
  const auto value =
      hasValues ? std::optional(i.operand(1 - order->key)->shape().elementType()) : std::nullopt;
  return areSorted(i.operand(order->key)->shape().elementType(), value);
}

Instruction* rewritten(Instruction& sort) {
  const KeyOrder order = *orderOf(sort);
  std::vector<Instruction*> operands = {sort.operand(order.key)};
  if (sort.operandCount() == 2) operands.push_back(sort.operand(1 - order.key));
  std::vector<Shape> shapes;
  for (const Instruction* operand : operands) shapes.push_back(operand->shape());
  shapes.push_back(arrayLike(shapes[0], ElementType::U8, std::vector<int64_t>{1}));
  Instruction* call = sort.parent().create(Opcode::CustomCall, Shape::tuple(shapes), operands, {}, &sort);
  call->set<Attr::CustomCallTarget>(kUnsized);
  call->set<Attr::BackendConfig>(fmt::format(R"({{"descending":{}}})", order.isDescending));
  if (const OpMetadata* metadata = sort.get<Attr::Metadata>()) call->set<Attr::Metadata>(metadata);
  if (operands.size() == 1) return elementOfTuple(call, 0, sort);
  std::vector<Instruction*> results = {elementOfTuple(call, 0, sort), elementOfTuple(call, 1, sort)};
  if (order.key == 1) std::ranges::reverse(results);
  return sort.parent().create(Opcode::Tuple, sort.shape(), results, {}, &sort);
}

bool isUnsized(const Instruction& i) {
  return i.opcode() == Opcode::CustomCall && i.get<Attr::CustomCallTarget>() == kUnsized &&
         (i.operandCount() == 1 || i.operandCount() == 2) && i.shape().isTuple() &&
         i.shape().tupleShapes().size() == i.operandCount() + 1 && i.operand(0)->shape().isArray() &&
         i.operand(0)->shape().rank() > 0 && i.operand(0)->shape().elementCount() > 0;
}

int64_t scratchOf(const Instruction& call) {
  constexpr int64_t kDigits = 256;
  const Shape keys = call.operand(0)->shape();
  const int64_t passes = elementStorageBytes(keys.elementType());
  int64_t bytes = saturatingMultiply(passes * kDigits, 4);
  for (const Instruction* operand : call.operands())
    bytes = saturatingAdd(bytes, operand->shape().byteSize());
  const int64_t rows = keys.elementCount() / keys.dimensions().back();
  return rows > 1 ? saturatingAdd(bytes, saturatingMultiply(rows + 1, 4)) : bytes;
}

SizedCall sized(const Instruction& call) {
  const Shape keys = call.operand(0)->shape();
  return {
      call.operandCount() == 2 ? kPairs : kKeys, scratchOf(call),
      fmt::format("{{descending = {}, batch_size = {} : i64}}", gpuConfig(call, "", "descending") == "true",
                  keys.elementCount() / keys.dimensions().back())};
}

}  // namespace

Result<bool> rewriteSorts(Module& module, PassContext& context, const SortRewriterSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* sort : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isRewritten(*sort, settings)) continue;
      if (!context.mayChange(*sort)) return changed;
      Instruction* instead = rewritten(*sort);
      context.remark(*sort, "rewritten", fmt::format("a radix sort of CUB's: %{}", instead->name()));
      computation->replaceAllUses(sort, instead);
      computation->remove(sort);
      changed = true;
    }
  }
  return changed;
}

Result<bool> estimateSortScratch(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* call : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isUnsized(*call) || !mayGetWorkspace(*call)) continue;
      if (!context.mayChange(*call)) return changed;
      giveWorkspace(*call, sized(*call), context);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
