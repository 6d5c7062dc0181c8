#include "core/compiler/spmd/local_builder.h"

#include "core/compiler/pass/next_channel.h"

namespace hilo {

Shape shapeLike(Shape like, std::span<const int64_t> sizes) {
  const Layout* layout = like.isArray() ? like.layout() : nullptr;
  if (layout == nullptr) return Shape::array(like.elementType(), sizes);
  if (layout->minorToMajor.size() == sizes.size()) return Shape::array(like.elementType(), sizes, layout);
  const Layout plain = Layout::descending(sizes.size());
  return Shape::array(like.elementType(), sizes, &plain);
}

std::string sourceLineOf(const Instruction& instruction) {
  const OpMetadata* metadata = instruction.get<Attr::Metadata>();
  if (metadata == nullptr) return "";
  const auto stack = sourceStack(instruction.module().stackFrames(), metadata->stackFrameId);
  if (!stack.empty()) return fmt::format("{}:{}", stack[0].file, stack[0].line);
  if (metadata->sourceFile.empty()) return std::string(metadata->opName);
  return fmt::format("{}:{}", metadata->sourceFile, metadata->sourceLine);
}

LocalBuilder::LocalBuilder(Module& module, PassContext& context)
    : module_(module),
      context_(context),
      partitions_(module.partitionCount()),
      nextChannel_(nextChannel(module)) {}

void LocalBuilder::remark(std::string_view kind, std::string message, RemarkFacts facts) {
  const std::string line = sourceLineOf(*at_);
  context_.remark(*at_, kind, line.empty() ? message : fmt::format("{}; {}", message, line),
                  std::move(facts));
}

void LocalBuilder::mark(Instruction* made) {
  if (const auto* metadata = at_->get<Attr::Metadata>()) made->set<Attr::Metadata>(metadata);
  const auto attributes = at_->get<Attr::FrontendAttributes>();
  if (!attributes.empty()) made->set<Attr::FrontendAttributes>(attributes);
  module_.recordProvenance(made->id(), at_->id());
}

Instruction* LocalBuilder::make(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands) {
  Instruction* made = at_->parent().create(opcode, shape, operands, {}, at_);
  mark(made);
  return made;
}

Instruction* LocalBuilder::makeLike(const Instruction& original, std::span<Instruction* const> operands,
                                    Shape shape) {
  Instruction* made = at_->parent().createLike(original, operands, at_);
  made->setShape(shape);
  made->erase(Attr::Sharding);
  return made;
}

Instruction* LocalBuilder::constant(Literal literal) {
  const Instruction* source = at_->operandCount() > 0 ? at_->operand(0) : at_;
  const bool hasLayouts = source->shape().isArray() && source->shape().layout() != nullptr;
  if (hasLayouts) literal = literal.withShape(literal.shape().withDefaultLayout());
  Instruction* made = at_->parent().createConstant(std::move(literal), at_);
  module_.recordProvenance(made->id(), at_->id());
  return made;
}

Instruction* LocalBuilder::integer(int64_t value) {
  return constant(Literal::scalar(ElementType::S32, static_cast<int32_t>(value)));
}

Instruction* LocalBuilder::splat(Instruction* scalar, Shape like) {
  const Shape shape = shapeLike(like, like.dimensions()).withElementType(scalar->shape().elementType());
  Instruction* made = make(Opcode::Broadcast, shape, {scalar});
  made->set<Attr::Dimensions>({});
  return made;
}

Instruction* LocalBuilder::zeros(Shape shape) {
  return splat(constant(Literal(Shape::scalar(shape.elementType()))), shape);
}

Instruction* LocalBuilder::slice(Instruction* array, std::span<const int64_t> sizes) {
  if (std::ranges::equal(array->shape().dimensions(), sizes)) return array;
  std::vector<SliceRange> ranges;
  for (int64_t size : sizes) ranges.push_back({.start = 0, .limit = size, .stride = 1});
  Instruction* made = make(Opcode::Slice, shapeLike(array->shape(), sizes), {array});
  made->set<Attr::Slice>(ranges);
  return made;
}

Instruction* LocalBuilder::padHigh(Instruction* array, std::span<const int64_t> sizes) {
  const Shape shape = array->shape();
  if (std::ranges::equal(shape.dimensions(), sizes)) return array;
  std::vector<PaddingDimension> padding;
  for (size_t d = 0; d < sizes.size(); ++d) padding.push_back({.high = sizes[d] - shape.dimension(d)});
  Instruction* zero = constant(Literal(Shape::scalar(shape.elementType())));
  Instruction* made = make(Opcode::Pad, shapeLike(shape, sizes), {array, zero});
  made->set<Attr::Padding>(padding);
  return made;
}

Instruction* LocalBuilder::reshape(Instruction* array, std::span<const int64_t> sizes) {
  return make(Opcode::Reshape, shapeLike(array->shape(), sizes), {array});
}

Instruction* LocalBuilder::transpose(Instruction* array, std::span<const int64_t> order) {
  std::vector<int64_t> sizes;
  for (int64_t d : order) sizes.push_back(array->shape().dimension(static_cast<size_t>(d)));
  Instruction* made = make(Opcode::Transpose, shapeLike(array->shape(), sizes), {array});
  made->set<Attr::Dimensions>(order);
  return made;
}

}  // namespace hilo
