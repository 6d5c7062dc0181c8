// The structured values an attribute can hold. Plain immutable data: spans and views point into the module's
// storage, so every payload is trivially destructible. Build one with local vectors and hand it to
// Instruction::set, which copies it deeply (copyInto). Field meanings are xla_data.proto's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/hlo/ir/enums.h"
#include "core/hlo/ir/shape.h"

namespace hilo {

struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t paddingLow = 0;
  int64_t paddingHigh = 0;
  int64_t windowDilation = 1;
  int64_t baseDilation = 1;
  bool windowReversal = false;
  friend bool operator==(const WindowDimension&, const WindowDimension&) = default;
};
struct Window {
  std::span<const WindowDimension> dimensions;
};

// dim_labels: for each of input, kernel and output, which dimension plays which role.
struct ConvolutionDimensionNumbers {
  int64_t inputBatch = 0;
  int64_t inputFeature = 0;
  std::span<const int64_t> inputSpatial;
  int64_t kernelInputFeature = 0;
  int64_t kernelOutputFeature = 0;
  std::span<const int64_t> kernelSpatial;
  int64_t outputBatch = 0;
  int64_t outputFeature = 0;
  std::span<const int64_t> outputSpatial;
};

struct PaddingDimension {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;
  friend bool operator==(const PaddingDimension&, const PaddingDimension&) = default;
};

struct SliceRange {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
  friend bool operator==(const SliceRange&, const SliceRange&) = default;
};

struct FrontendAttribute {
  std::string_view name;
  std::string_view value;
  friend bool operator==(const FrontendAttribute&, const FrontendAttribute&) = default;
};

// metadata={...}. 0 and "" say not given.
struct OpMetadata {
  std::string_view opType;
  std::string_view opName;
  std::string_view sourceFile;
  int32_t sourceLine = 0;
  int32_t sourceEndLine = 0;
  int32_t sourceColumn = 0;
  int32_t sourceEndColumn = 0;
  int32_t stackFrameId = 0;  // index into the module's stack frame table, from 1
  bool writesStackFrameZero =
      false;  // "stack_frame_id=0" stands in the text, as tools that strip frames leave it
  std::span<const int64_t> profileType;
  std::string_view deduplicatedName;
  std::string_view schedulingName;
  std::string_view payload;
  int64_t sizeOfGeneratedCodeInBytes = 0;     // proto only
  int64_t sizeOfMemoryWorkingSetInBytes = 0;  // proto only
};

struct Statistic {
  std::string_view name;
  double value = 0;
};
struct StatisticsViz {
  int64_t indexToVisualize = 0;
  std::span<const Statistic> statistics;
};

// output {0,1} aliases parameter/operand `parameter` at {2}. Kind: of a module's input_output_alias.
struct AliasEntry {
  enum class Kind : uint8_t { Undefined, May, Must };
  std::span<const int64_t> outputIndex;
  int64_t parameter = 0;
  std::span<const int64_t> parameterIndex;
  Kind kind = Kind::May;
};
struct BufferDonor {
  int64_t parameter = 0;
  std::span<const int64_t> parameterIndex;
};
struct CrossProgramPrefetch {
  int64_t parameter = 0;
  std::span<const int64_t> index;
  int64_t offset = 0;
};

// entry_computation_layout={(p0, p1)->result}.
struct ProgramShape {
  std::span<const Shape> parameters;
  Shape result;
};

struct ResultAccuracy {
  bool hasTolerance = false;
  int64_t mode = 0;  // 0 default, 1 highest
  double atol = 0;
  double rtol = 0;
  int64_t ulps = 0;
};

struct TensorSparsity {
  int64_t numNonZero = 0;
  int64_t blockSize = 0;
  int64_t dimension = 0;
  int64_t stride = 0;
};
struct SparsityConfig {
  std::optional<TensorSparsity> lhs;
  std::optional<TensorSparsity> rhs;
};

// A node of origin={...}: a tuple of nodes, or a leaf with or without the array it came from.
struct OriginalValueNode {
  bool isTuple = false;
  bool hasArray = false;
  std::span<const OriginalValueNode> elements;
  std::string_view instruction;
  std::span<const int64_t> shapeIndex;
};
struct OriginalValue {
  bool isSyntheticCall = false;
  OriginalValueNode root;
};

// An attribute Hilo does not know: kept as read and printed back.
struct OpaqueAttribute {
  std::string_view name;
  std::string_view text;
};

// Deep copies into an arena. Anything with spans inside needs one.
Window copyInto(Arena& arena, const Window& value);
ConvolutionDimensionNumbers copyInto(Arena& arena, const ConvolutionDimensionNumbers& value);
OpMetadata copyInto(Arena& arena, const OpMetadata& value);
StatisticsViz copyInto(Arena& arena, const StatisticsViz& value);
ProgramShape copyInto(Arena& arena, const ProgramShape& value);
OriginalValue copyInto(Arena& arena, const OriginalValue& value);
OpaqueAttribute copyInto(Arena& arena, const OpaqueAttribute& value);
AliasEntry copyInto(Arena& arena, const AliasEntry& value);
BufferDonor copyInto(Arena& arena, const BufferDonor& value);
CrossProgramPrefetch copyInto(Arena& arena, const CrossProgramPrefetch& value);
FrontendAttribute copyInto(Arena& arena, const FrontendAttribute& value);
inline std::span<const int64_t> copyInto(Arena& arena, std::span<const int64_t> value) {
  return arena.copy(value);
}
template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_pointer_v<T>
T copyInto(Arena&, T value) {
  return value;
}
inline Shape copyInto(Arena&, Shape value) { return value; }
inline PaddingDimension copyInto(Arena&, const PaddingDimension& value) { return value; }
inline SliceRange copyInto(Arena&, const SliceRange& value) { return value; }
inline ResultAccuracy copyInto(Arena&, const ResultAccuracy& value) { return value; }
inline SparsityConfig copyInto(Arena&, const SparsityConfig& value) { return value; }

// Elementwise deep copy of a list.
template <typename T>
std::span<const T> copyListInto(Arena& arena, std::span<const T> items) {
  auto room = arena.allocateArray<T>(items.size());
  for (size_t i = 0; i < items.size(); ++i) new (&room[i]) T(copyInto(arena, items[i]));
  return room;
}

}  // namespace hilo
