// A kernel of the mosaic_gpu dialect as far as layouts depend on it: operations by MLIR's names with their
// operands, results, regions and attributes. Made from text (kernel_text.h) or from MLIR by a plug-in;
// nothing here knows MLIR.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/analysis/kernel_layouts/inference/layout_constant.h"

namespace hilo::inference {

using ValueId = uint32_t;
using OpId = uint32_t;

// A size or offset that is known only while the kernel runs: MLIR's ShapedType::kDynamic.
inline constexpr int64_t kDynamicSize = std::numeric_limits<int64_t>::min();

// vector<2x128xbf16> lies in registers, memref<...> in the memory it names, anything else nowhere.
struct KernelType {
  enum class Kind : uint8_t { Scalar, Vector, Memory };
  Kind kind = Kind::Scalar;
  std::string element;  // "bf16", "i32", "index", "barrier"
  Sizes shape;
  Sizes strides;                          // of memory; empty: the last dimension is the fastest
  MemorySpace space = MemorySpace::None;  // Registers of vectors
  bool operator==(const KernelType&) const = default;
};

// Bits of an element; 0 of one that is no number, such as a barrier.
int64_t elementBits(const KernelType& type);
Sizes stridesOf(const KernelType& type);
// Strides do not fall from the first dimension to the last.
bool isTransposed(const KernelType& type);
// Registers, Shared or Tensor where the value has a layout; barriers have none.
MemorySpace layoutSpace(const KernelType& type);
std::string toString(const KernelType& type);

struct KernelValue {
  std::string name;  // "%x"
  KernelType type;
  // The result `index` of `op`, or an argument of its region `region`.
  OpId op = 0;
  uint32_t index = 0;
  int32_t region = -1;  // -1: a result
};

// Numbers and flags (0 and 1), a word ("splat"), sizes, groups of dimensions, layouts, transforms.
using KernelAttribute = std::variant<int64_t, std::string, Sizes, std::vector<Sizes>,
                                     std::vector<RegisterLayout>, std::vector<SharedTransforms>>;

struct KernelRegion {
  std::vector<ValueId> arguments;
  std::vector<OpId> ops;
};

struct KernelOp {
  std::string opcode;  // "arith.addf", "mosaic_gpu.wgmma"
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<KernelRegion> regions;
  std::map<std::string, KernelAttribute> attributes;
  uint32_t line = 0;  // of the text; 0: there is none

  // nullptr when there is none of that name and type.
  template <typename Type>
  const Type* attribute(const std::string& name) const {
    const auto at = attributes.find(name);
    return at == attributes.end() ? nullptr : std::get_if<Type>(&at->second);
  }
  // False where there is none.
  bool flag(const std::string& name) const {
    const auto* value = attribute<int64_t>(name);
    return value && *value != 0;
  }
};

struct KernelUse {
  OpId op = 0;
  uint32_t operand = 0;
};

struct KernelDescription {
  int64_t smMajor = 9;
  std::vector<KernelOp> ops;  // an op of a region comes after the op that has the region
  std::vector<OpId> body;
  std::vector<KernelValue> values;

  const KernelType& type(ValueId value) const { return values[value].type; }
  // The op that ends a region; nullptr when the region is empty.
  const KernelOp* terminator(const KernelRegion& region) const;
  // Of each value, in the order of the ops.
  std::vector<std::vector<KernelUse>> uses() const;
};

}  // namespace hilo::inference
