// Builds an operation's operands, attributes and called computations for inference tests.
#pragma once

#include "core/hlo/verify/infer_shape.h"

namespace hilo {

class OpSample {
 public:
  template <Attr A>
  OpSample& with(const typename AttrTraits<A>::Type& value) {
    attributes_.append(module_.arena(), packAttribute<A>(module_.arena(), value));
    return *this;
  }
  // A computation whose parameters and root have these shapes; its root is an opaque stand-in.
  Computation* computation(std::initializer_list<Shape> parameters, Shape result) {
    Computation* made = module_.createComputation(fmt::format("c{}", module_.computations().size()));
    int64_t number = 0;
    for (Shape shape : parameters) made->createParameter(number++, shape);
    made->setRoot(made->create(Opcode::CustomCall, result, std::span<Instruction* const>()));
    return made;
  }
  Result<Shape> infer(Opcode opcode, std::vector<Shape> operands,
                      std::optional<Shape> declared = std::nullopt) {
    return inferShape(opcode, operands, attributes_, declared, &module_);
  }
  // The shape's text, or the kind of the refusal.
  std::string text(Opcode opcode, std::vector<Shape> operands, std::optional<Shape> declared = std::nullopt) {
    const auto shape = infer(opcode, std::move(operands), declared);
    return shape ? toString(*shape) : shape.error().kind;
  }
  Module& module() { return module_; }

 private:
  Module module_{"sample"};
  AttributeList attributes_;
};

inline Shape array(ElementType type, std::initializer_list<int64_t> sizes) {
  return Shape::array(type, sizes);
}
inline Shape f32(std::initializer_list<int64_t> sizes) { return Shape::array(ElementType::F32, sizes); }
inline Shape s32(std::initializer_list<int64_t> sizes) { return Shape::array(ElementType::S32, sizes); }
inline Shape pred(std::initializer_list<int64_t> sizes) { return Shape::array(ElementType::Pred, sizes); }
inline Shape tupleOf(std::initializer_list<Shape> elements) {
  return Shape::tuple(std::span<const Shape>(elements.begin(), elements.size()));
}
// f32 with dynamic flags; kUnboundedSize for an unbounded dimension.
inline Shape dynamicF32(std::initializer_list<int64_t> sizes, std::initializer_list<bool> dynamic) {
  return Shape::dynamicArray(ElementType::F32, std::span(sizes.begin(), sizes.size()),
                             std::span(dynamic.begin(), dynamic.size()));
}

}  // namespace hilo
