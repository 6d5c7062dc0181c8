// What a shape rule sees of an operation, and what it answers. A rule serves both questions: "what shape has
// this?" (infer_shape.h) and "has this the shape it should have?" (verify.h); the second compares an answer
// without interning it, so that verifying allocates nothing when all is well.
#pragma once

#include <absl/container/inlined_vector.h>

#include <optional>
#include <variant>

#include "core/hlo/ir/module.h"
#include "core/hlo/verify/kinds.h"
#include "core/hlo/verify/shape_compare.h"

namespace hilo {

struct OpView {
  Opcode opcode;
  std::string_view opcodeText;
  std::span<const Shape> operands;
  const AttributeList& attributes;
  // The result shape as written, when there is one: the answer of ops that cannot be inferred, the element
  // type of convert and dot, the context of an async start.
  std::optional<Shape> declared;
  int64_t replicaCount = 1;
  int64_t partitionCount = 1;

  template <Attr A>
  auto get() const {
    return attributes.get<A>();
  }
  Shape operand(size_t index) const { return operands[index]; }
};

// An array shape as it is being computed.
struct ArrayShape {
  struct Dimension {
    int64_t size = 0;
    bool dynamic = false;
  };
  ElementType type = ElementType::Pred;
  absl::InlinedVector<Dimension, 6> dimensions;

  ArrayShape() = default;
  explicit ArrayShape(ElementType elementType) : type(elementType) {}
  // Sizes and dynamic flags of `shape`, an array.
  ArrayShape(ElementType elementType, Shape shape);
  void add(int64_t size, bool dynamic) { dimensions.push_back({size, dynamic}); }
  void addFrom(Shape shape, size_t dimension) {
    add(shape.dimension(dimension), shape.isDynamicDimension(dimension));
  }
  Shape intern() const;
};

// A shape at hand (layout and all), or an array computed.
using InferredShape = std::variant<Shape, ArrayShape>;
using InferResult = Result<InferredShape>;
using ShapeRule = InferResult (*)(const OpView& op);

Shape internShape(const InferredShape& inferred);
// Whether `actual` is the inferred shape: layouts and dynamic flags aside, and, for most ops, any float type
// in place of another.
bool agrees(const InferredShape& inferred, Shape actual, bool anyFloatWidth);

// Pieces of messages.
std::string listText(std::span<const int64_t> values);  // "{0,2}"
std::string operandText(const OpView& op, size_t index);

// Checks rules share. Each says nothing or why not.
Status expectOperands(const OpView& op, size_t count);
Status expectOperandsAtLeast(const OpView& op, size_t count);
Status expectArray(const OpView& op, size_t operand);
Status expectArrays(const OpView& op);
Status expectToken(const OpView& op, size_t operand);
// Every number is in [0, rank); none comes twice.
Status expectDimensions(const OpView& op, std::string_view what, std::span<const int64_t> dimensions,
                        size_t rank);
// The only number of a one-element list attribute `dimensions`, in [0, rank).
Result<int64_t> singleDimension(const OpView& op, size_t rank);
// The declared shape, or the refusal of an op whose shape is only ever declared.
Result<Shape> declaredShape(const OpView& op);

// Parameters and result of a called computation.
struct Signature {
  std::span<Instruction* const> parameters;
  Shape result;
  Shape parameter(size_t index) const { return parameters[index]->shape(); }
  size_t parameterCount() const { return parameters.size(); }
};
// `attribute` names the computation in messages: "to_apply". Refuses a missing attribute and a computation
// without root or with gaps among its parameters.
Result<Signature> signatureOf(const OpView& op, const Computation* computation, std::string_view attribute);
// to_apply as a reduction over `inputs` values: takes accumulators then inputs, scalars,
// gives the accumulators.
Status expectReducer(const OpView& op, const Signature& reducer, std::span<const Shape> initialValues,
                     std::span<const Shape> inputs);

// Arithmetic on untrusted sizes: nullopt on overflow.
std::optional<int64_t> multiplySizes(int64_t a, int64_t b);
std::optional<int64_t> addSizes(int64_t a, int64_t b);

}  // namespace hilo
