#include "plugins/stablehlo/hlo_builder.h"

#include <llvm/ADT/SmallVector.h>

namespace hilo::stablehlo {

pb::ShapeProto arrayShape(pb::PrimitiveType type, Dims dims) {
  pb::ShapeProto shape;
  shape.set_element_type(type);
  for (const int64_t size : dims) {
    shape.add_dimensions(size);
    shape.add_is_dynamic_dimension(false);
  }
  auto* layout = shape.mutable_layout();
  for (int64_t n = static_cast<int64_t>(dims.size()); n-- > 0;) layout->add_minor_to_major(n);
  return shape;
}

pb::ShapeProto scalarShape(pb::PrimitiveType type) { return arrayShape(type, {}); }

pb::ShapeProto tupleShape(llvm::ArrayRef<pb::ShapeProto> elements) {
  pb::ShapeProto shape;
  shape.set_element_type(pb::TUPLE);
  for (const pb::ShapeProto& element : elements) *shape.add_tuple_shapes() = element;
  return shape;
}

pb::ShapeProto tokenShape() {
  pb::ShapeProto shape;
  shape.set_element_type(pb::TOKEN);
  return shape;
}

pb::ShapeProto withType(const pb::ShapeProto& shape, pb::PrimitiveType type) {
  pb::ShapeProto result = shape;
  result.set_element_type(type);
  return result;
}

pb::ShapeProto withDims(const pb::ShapeProto& shape, Dims dims) {
  return arrayShape(shape.element_type(), dims);
}

Dims dimsOf(const pb::ShapeProto& shape) {
  return {shape.dimensions().data(), static_cast<size_t>(shape.dimensions_size())};
}

bool isComplex(pb::PrimitiveType type) { return type == pb::C64 || type == pb::C128; }

pb::PrimitiveType realType(pb::PrimitiveType complex) {
  return complex == pb::C64 ? pb::F32 : complex == pb::C128 ? pb::F64 : complex;
}

bool isFloat(pb::PrimitiveType type) {
  switch (type) {
    case pb::F16:
    case pb::BF16:
    case pb::F32:
    case pb::F64:
    case pb::F8E5M2:
    case pb::F8E4M3:
    case pb::F8E4M3FN:
    case pb::F8E4M3B11FNUZ:
    case pb::F8E5M2FNUZ:
    case pb::F8E4M3FNUZ:
    case pb::F8E3M4:
    case pb::F4E2M1FN:
    case pb::F8E8M0FNU:
    case pb::F6E3M2FN:
    case pb::F6E2M3FN:
      return true;
    default:
      return false;
  }
}

ComputationBuilder::ComputationBuilder(ModuleBuilder& module, llvm::StringRef name)
    : module_(module), id_(module.nextId()), proto_(std::make_unique<pb::HloComputationProto>()) {
  proto_->set_id(id_);
  proto_->set_name(name.str());
}

Hlo ComputationBuilder::add(llvm::StringRef opcode, const pb::ShapeProto& shape, Hlos operands) {
  Hlo made = proto_->add_instructions();
  made->set_id(module_.nextId());
  made->set_opcode(opcode.str());
  made->set_name(opcode.str() + "." + std::to_string(made->id()));
  *made->mutable_shape() = shape;
  for (Hlo operand : operands) made->add_operand_ids(operand->id());
  if (metadata.ByteSizeLong() > 0) *made->mutable_metadata() = metadata;
  if (source.line > 0) module_.addSource(made, source);
  return made;
}

Hlo ComputationBuilder::parameter(int64_t number, const pb::ShapeProto& shape, llvm::StringRef name) {
  Hlo made = add("parameter", shape, {});
  made->set_parameter_number(number);
  if (!name.empty()) made->set_name(name.str());
  parameters_.push_back(made);
  return made;
}

Hlo ComputationBuilder::tuple(Hlos elements) {
  llvm::SmallVector<pb::ShapeProto> shapes;
  for (Hlo element : elements) shapes.push_back(element->shape());
  return add("tuple", tupleShape(shapes), elements);
}

Hlo ComputationBuilder::element(Hlo tuple, int64_t index) {
  const pb::ShapeProto shape = tuple->shape().tuple_shapes(static_cast<int>(index));
  Hlo made = add("get-tuple-element", shape, {tuple});
  made->set_tuple_index(index);
  return made;
}

std::vector<Hlo> ComputationBuilder::elements(Hlo value) {
  if (value->shape().element_type() != pb::TUPLE) return {value};
  std::vector<Hlo> list;
  for (int n = 0; n < value->shape().tuple_shapes_size(); ++n) list.push_back(element(value, n));
  return list;
}

Hlo ComputationBuilder::compare(llvm::StringRef direction, Hlo a, Hlo b) {
  Hlo made = add("compare", withType(a->shape(), pb::PRED), {a, b});
  made->set_comparison_direction(direction.str());
  return made;
}

Hlo ComputationBuilder::convert(Hlo value, pb::PrimitiveType type) {
  if (value->shape().element_type() == type) return value;
  return add("convert", withType(value->shape(), type), {value});
}

Hlo ComputationBuilder::reshape(Hlo value, Dims dims) {
  if (dimsOf(value->shape()) == dims) return value;
  return add("reshape", withDims(value->shape(), dims), {value});
}

Hlo ComputationBuilder::broadcast(Hlo value, Dims dims, const pb::ShapeProto& shape) {
  llvm::SmallVector<int64_t> sizes, kept;
  for (size_t n = 0; n < dims.size(); ++n) {
    const int64_t size = value->shape().dimensions(static_cast<int>(n));
    if (size == 1 && shape.dimensions(static_cast<int>(dims[n])) != 1) continue;
    sizes.push_back(size);
    kept.push_back(dims[n]);
  }
  Hlo made = add("broadcast", shape, {reshape(value, sizes)});
  made->mutable_dimensions()->Add(kept.begin(), kept.end());
  return made;
}

Hlo ComputationBuilder::literal(pb::LiteralProto literal) {
  Hlo made = add("constant", literal.shape(), {});
  *made->mutable_literal() = std::move(literal);
  return made;
}

namespace {

template <typename Number>
Hlo spread(ComputationBuilder& to, Number value, const pb::ShapeProto& shape) {
  pb::LiteralProto literal;
  *literal.mutable_shape() = scalarShape(shape.element_type());
  appendElement(literal, value);
  Hlo scalar = to.literal(std::move(literal));
  return shape.dimensions_size() == 0 ? scalar : to.add("broadcast", shape, {scalar});
}

}  // namespace

Hlo ComputationBuilder::number(double value, const pb::ShapeProto& shape) {
  return spread(*this, value, shape);
}
Hlo ComputationBuilder::integer(int64_t value, const pb::ShapeProto& shape) {
  return spread(*this, value, shape);
}

void ComputationBuilder::finish(Hlo root) {
  proto_->set_root_id(root->id());
  auto* program = proto_->mutable_program_shape();
  for (Hlo parameter : parameters_) {
    *program->add_parameters() = parameter->shape();
    program->add_parameter_names(parameter->name());
  }
  *program->mutable_result() = root->shape();
  module_.add(std::move(proto_));
}

void ModuleBuilder::finish(pb::HloModuleProto& module) {
  const pb::HloComputationProto& entry = *computations_.back();
  module.set_entry_computation_id(entry.id());
  module.set_entry_computation_name(entry.name());
  *module.mutable_host_program_shape() = entry.program_shape();
  for (auto& computation : computations_) module.mutable_computations()->AddAllocated(computation.release());
  computations_.clear();
}

}  // namespace hilo::stablehlo
