#include "core/hlo/expand/expansion.h"

#include "core/base/check.h"
#include "core/hlo/expand/ffi_attributes.h"
#include "core/hlo/text/parse.h"

namespace hilo::library {

namespace {

std::unexpected<Diagnostic> failAt(const Instruction& call, std::string kind, std::string message) {
  Place place;
  place.computation = std::string(call.parent().name());
  place.instruction = std::string(call.name());
  return fail(std::move(kind), std::move(message), std::move(place));
}

}  // namespace

std::unexpected<Diagnostic> Expansion::refuse(std::string_view why) const {
  return failAt(call_, "unsupported-opcode",
                fmt::format("custom-call {} {}", call_.get<Attr::CustomCallTarget>(), why));
}

std::unexpected<Diagnostic> Expansion::malformed(std::string_view why) const {
  return failAt(call_, "malformed-instruction",
                fmt::format("custom-call {} {}", call_.get<Attr::CustomCallTarget>(), why));
}

std::unexpected<Diagnostic> Expansion::unknownTarget() const {
  return failAt(call_, "unsupported-opcode",
                fmt::format("custom-call target \"{}\" has no meaning known here",
                            call_.get<Attr::CustomCallTarget>()));
}

Status Expansion::needsOperands(size_t least, size_t most) const {
  if (operandCount() < least || operandCount() > most)
    return malformed(fmt::format("has {} operands", operandCount()));
  return {};
}

Status Expansion::needsArrays(size_t least, size_t most) const {
  TRY_STATUS(needsOperands(least, most));
  for (const Instruction* operand : call_.operands()) {
    if (!operand->shape().isArray()) return malformed("takes what is no array");
  }
  return {};
}

Status Expansion::needsResults(size_t least, size_t most) const {
  if (resultCount() < least || resultCount() > most)
    return malformed(fmt::format("gives {} arrays", resultCount()));
  for (size_t n = 0; n < resultCount(); ++n) {
    if (!result(n).isArray()) return malformed("gives what is no array");
  }
  return {};
}

Result<CallConfig> Expansion::config() const {
  const std::string_view text = call_.get<Attr::BackendConfig>();
  auto config = parseCallConfig(text);
  if (!config) return malformed(config.error().message);
  return CallConfig(*std::move(config));
}

Instruction* Expansion::add(Opcode opcode, Shape shape, std::span<Instruction* const> operands) const {
  Instruction* made = call_.parent().create(opcode, shape, operands, {}, &call_);
  if (const OpMetadata* metadata = call_.get<Attr::Metadata>()) made->set<Attr::Metadata>(metadata);
  return made;
}

Instruction* Expansion::splat(Shape shape, double real, double imaginary) const {
  const Shape scalar = Shape::scalar(shape.elementType());
  auto literal =
      parseLiteral(isComplex(shape.elementType())             ? fmt::format("({}, {})", real, imaginary)
                   : shape.elementType() == ElementType::Pred ? std::string(real != 0 ? "true" : "false")
                                                              : fmt::format("{}", real),
                   scalar);
  CHECK(literal.has_value(), toString(literal.error()));
  Instruction* constant = call_.parent().createConstant(*std::move(literal), &call_);
  return shape.rank() == 0 ? constant : broadcastScalar(constant, shape);
}

Instruction* Expansion::zeros(Shape shape) const { return splat(shape, 0); }

Instruction* Expansion::convert(Instruction* value, ElementType type) const {
  if (value->shape().elementType() == type) return value;
  return add(Opcode::Convert, value->shape().withElementType(type), {value});
}

Instruction* Expansion::broadcast(Instruction* value, Shape shape, std::span<const int64_t> dims) const {
  if (value->shape() == shape) return value;
  Instruction* wide = add(Opcode::Broadcast, shape, {value});
  wide->set<Attr::Dimensions>(dims);
  return wide;
}

Instruction* Expansion::reduce(Instruction* value, std::span<const int64_t> dims, Opcode opcode,
                               double start) const {
  const Shape from = value->shape(), scalar = Shape::scalar(from.elementType());
  Module& module = call_.module();
  Computation* folder = module.createComputation(module.uniqueName("folder"), &call_.parent());
  Instruction* a = folder->createParameter(0, scalar, module.uniqueName("a"));
  Instruction* b = folder->createParameter(1, scalar, module.uniqueName("b"));
  folder->setRoot(folder->create(opcode, scalar, {a, b}));
  std::vector<int64_t> kept;
  for (size_t n = 0; n < from.rank(); ++n) {
    if (std::ranges::find(dims, static_cast<int64_t>(n)) == dims.end()) kept.push_back(from.dimension(n));
  }
  Instruction* folded =
      add(Opcode::Reduce, Shape::array(from.elementType(), kept), {value, splat(scalar, start)});
  folded->set<Attr::Dimensions>(dims);
  folded->set<Attr::ToApply>(folder);
  return folded;
}

Result<Instruction*> Expansion::give(std::vector<Instruction*> values) const {
  if (values.size() > resultCount()) return malformed(fmt::format("gives {} arrays", resultCount()));
  for (size_t n = 0; n < values.size(); ++n) {
    const Shape from = values[n]->shape(), to = result(n);
    if (from.withoutLayout() != to.withoutLayout()) {
      return malformed(fmt::format("gives {}, and its operands make {}", toString(to), toString(from)));
    }
    if (from != to) values[n] = add(Opcode::Copy, to, {values[n]});
  }
  while (values.size() < resultCount()) {
    if (!result(values.size()).isArray()) return malformed("gives what is no array");
    values.push_back(zeros(result(values.size())));
  }
  return shape().isTuple() ? add(Opcode::Tuple, shape(), values) : values[0];
}

Instruction* Expansion::element(Instruction* tuple, int64_t index) const {
  Instruction* taken =
      add(Opcode::GetTupleElement, tuple->shape().tupleShapes()[static_cast<size_t>(index)], {tuple});
  taken->set<Attr::Index>(index);
  return taken;
}

}  // namespace hilo::library
