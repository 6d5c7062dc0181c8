#include "core/compiler/passes/dots/gpusolver_rewriter.h"

#include <limits>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isDecomposition(const Instruction& i) {
  if (i.opcode() != Opcode::Cholesky || !liesRowMajor(i.shape()) || i.shape().rank() < 2 ||
      i.shape().elementCount() == 0 || i.operand(0)->shape() != i.shape())
    return false;
  switch (i.shape().elementType()) {
    case ElementType::F32:
    case ElementType::F64:
    case ElementType::C64:
    case ElementType::C128:
      return true;
    default:
      return false;
  }
}

Instruction* callOf(Instruction& i) {
  const Shape shape = i.shape();
  const auto batch = shape.dimensions().first(shape.rank() - 2);
  const Shape results[] = {
      shape, arrayLike(shape, shape.elementType(), std::vector<int64_t>{shape.dimensions().back()}),
      arrayLike(shape, ElementType::S32, batch)};
  Instruction* call = i.parent().create(Opcode::CustomCall, Shape::tuple(results), {i.operand(0)}, {}, &i);
  call->set<Attr::CustomCallTarget>("__cusolver$cholesky");
  call->set<Attr::BackendConfig>(fmt::format(R"({{"lower":{}}})", i.get<Attr::Lower>().value_or(false)));
  if (const OpMetadata* metadata = i.get<Attr::Metadata>()) call->set<Attr::Metadata>(metadata);
  return call;
}

Instruction* rewritten(Instruction& i) {
  Instruction* call = callOf(i);
  Instruction *factor = elementOfTuple(call, 0, i), *failed = elementOfTuple(call, 2, i);
  Instruction* zero = algebra::makeSplat(i, failed->shape(), 0);
  const Shape answer = arrayLike(i.shape(), ElementType::Pred, failed->shape().dimensions());
  Instruction* isFine = i.parent().create(Opcode::Compare, answer, {failed, zero}, {}, &i);
  isFine->set<Attr::Direction>(ComparisonDirection::Eq);
  std::vector<int64_t> batch;
  for (int64_t d = 0; d + 2 < static_cast<int64_t>(i.shape().rank()); ++d) batch.push_back(d);
  Instruction* everywhere = broadcastTo(isFine, i.shape().dimensions(), batch, i);
  Instruction* none = algebra::makeSplat(i, i.shape(), std::numeric_limits<double>::quiet_NaN());
  return i.parent().create(Opcode::Select, i.shape(), {everywhere, factor, none}, {}, &i);
}

}  // namespace

Result<bool> rewriteCholeskys(Module& module, PassContext& context) {
  return rewriteEach(module, context, "rewritten", isDecomposition, rewritten);
}

}  // namespace hilo
