// cuDNN's layer norm, in f32: y = (x - mean) * factor * scale + bias, where factor is one over the root of
// the variance and epsilon. The first dimension of x counts rows; a row is all the others.
#include "core/hlo/expand/expansion.h"

namespace hilo::library {
namespace {

struct Norm {
  const Expansion& call;
  Shape shape;  // of x, in f32
  std::vector<int64_t> inRow;
  int64_t rowElements = 1;

  Instruction* operand(size_t n) const { return call.convert(call.operand(n), ElementType::F32); }
  Shape ofRows() const { return Shape::array(ElementType::F32, {shape.dimension(0)}); }
  Shape ofRow() const { return Shape::array(ElementType::F32, shape.dimensions().subspan(1)); }
  // One number a row, and one an element of a row, for all elements.
  Instruction* alongRows(Instruction* value) const {
    return call.broadcast(call.add(Opcode::Reshape, ofRows(), {value}), shape, std::array<int64_t, 1>{0});
  }
  Instruction* inRows(Instruction* value) const {
    return call.broadcast(call.add(Opcode::Reshape, ofRow(), {value}), shape, inRow);
  }
  Instruction* times(Instruction* a, Instruction* b) const { return call.binary(Opcode::Multiply, a, b); }
  Instruction* meanOfRows(Instruction* value) const {
    Instruction* sum = call.reduce(value, inRow, Opcode::Add, 0);
    return call.binary(Opcode::Divide, sum, call.splat(sum->shape(), static_cast<double>(rowElements)));
  }
  Instruction* sumOfRows(Instruction* value) const {
    return call.reduce(value, std::array<int64_t, 1>{0}, Opcode::Add, 0);
  }
  // As result n is.
  Instruction* as(Instruction* value, size_t n) const {
    const Shape to = call.result(n).withoutLayout();
    return call.convert(call.add(Opcode::Reshape, to.withElementType(ElementType::F32), {value}),
                        to.elementType());
  }
};

// Operands of `rowWide` have a number for each element of a row, those of `rowHigh` one for each row.
Result<Norm> readNorm(const Expansion& call, std::initializer_list<size_t> rowWide,
                      std::initializer_list<size_t> rowHigh) {
  const Shape x = call.operand(0)->shape();
  if (!x.isArray() || x.rank() < 2 || !isFloat(x.elementType())) return call.malformed("has no rows");
  constexpr int64_t kMost = int64_t{1} << 48;
  if (x.elementCount() == 0 || x.elementCount() > kMost) return call.refuse("has no elements, or too many");
  Norm norm{.call = call, .shape = Shape::array(ElementType::F32, x.dimensions())};
  for (size_t d = 1; d < x.rank(); ++d) {
    norm.inRow.push_back(static_cast<int64_t>(d));
    norm.rowElements *= x.dimension(d);
  }
  for (const size_t n : rowWide) {
    if (call.operand(n)->shape().elementCount() != norm.rowElements)
      return call.malformed("has a row of another length");
  }
  for (const size_t n : rowHigh) {
    if (call.operand(n)->shape().elementCount() != x.dimension(0))
      return call.malformed("has another number of rows");
  }
  return norm;
}

Status checkResults(const Norm& norm, std::initializer_list<std::pair<size_t, int64_t>> elements) {
  for (const auto& [n, count] : elements) {
    if (!norm.call.result(n).isArray() || norm.call.result(n).elementCount() != count)
      return norm.call.malformed(fmt::format("gives {}", toString(norm.call.result(n))));
  }
  return {};
}

// Operands: x, scale, bias. Results: y; for training the means and the factors of rows; workspace.
Result<Instruction*> forward(const Expansion& call, double epsilon, bool trains) {
  TRY_STATUS(call.needsArrays(3, 3));
  TRY_STATUS(call.needsResults(trains ? 3 : 1, trains ? 4 : 2));
  TRY(const Norm norm, readNorm(call, {1, 2}, {}));
  Instruction* x = norm.operand(0);
  Instruction* mean = norm.meanOfRows(x);
  Instruction* from = call.binary(Opcode::Subtract, x, norm.alongRows(mean));
  Instruction* variance = norm.meanOfRows(norm.times(from, from));
  Instruction* factor =
      call.unary(Opcode::Rsqrt, call.binary(Opcode::Add, variance, call.splat(variance->shape(), epsilon)));
  Instruction* scaled = norm.times(norm.times(from, norm.alongRows(factor)), norm.inRows(norm.operand(1)));
  TRY_STATUS(checkResults(norm, {{0, norm.shape.elementCount()}}));
  std::vector<Instruction*> given = {
      norm.as(call.binary(Opcode::Add, scaled, norm.inRows(norm.operand(2))), 0)};
  if (trains) {
    const int64_t rows = norm.shape.dimension(0);
    TRY_STATUS(checkResults(norm, {{1, rows}, {2, rows}}));
    given.insert(given.end(), {norm.as(mean, 1), norm.as(factor, 2)});
  }
  return call.give(std::move(given));
}

// Operands: x, scale, the gradient of y, the means, the factors. Results: the gradients of x, scale
// and bias; workspace.
Result<Instruction*> backward(const Expansion& call) {
  TRY_STATUS(call.needsArrays(5, 5));
  TRY_STATUS(call.needsResults(3, 4));
  TRY(const Norm norm, readNorm(call, {1}, {3, 4}));
  if (call.operand(2)->shape().elementCount() != norm.shape.elementCount())
    return call.malformed("has another number of gradients");
  TRY_STATUS(
      checkResults(norm, {{0, norm.shape.elementCount()}, {1, norm.rowElements}, {2, norm.rowElements}}));
  Instruction* from = call.add(Opcode::Reshape, norm.shape, {norm.operand(2)});
  Instruction* factor = norm.alongRows(norm.operand(4));
  Instruction* normed =
      norm.times(call.binary(Opcode::Subtract, norm.operand(0), norm.alongRows(norm.operand(3))), factor);
  Instruction* scaled = norm.times(from, norm.inRows(norm.operand(1)));
  // Less what changes the mean, and what changes the variance.
  Instruction* level = norm.alongRows(norm.meanOfRows(scaled));
  Instruction* spread = norm.times(normed, norm.alongRows(norm.meanOfRows(norm.times(scaled, normed))));
  Instruction* rest = call.binary(Opcode::Subtract, call.binary(Opcode::Subtract, scaled, level), spread);
  return call.give({norm.as(norm.times(rest, factor), 0),
                    norm.as(norm.sumOfRows(norm.times(from, normed)), 1), norm.as(norm.sumOfRows(from), 2)});
}

}  // namespace

Result<Instruction*> expandNorm(Expansion& call) {
  TRY(const CallConfig whole, call.config());
  const CallConfig config = whole.part("cudnn_norm_backend_config");
  const std::string kind = config.text("kind", "LAYER_FWD_INFER");
  if (kind == "LAYER_BWD") return backward(call);
  if (kind != "LAYER_FWD_INFER" && kind != "LAYER_FWD_TRAIN")
    return call.refuse(fmt::format("is of kind {}", kind));
  return forward(call, config.number("epsilon", 0), kind == "LAYER_FWD_TRAIN");
}

}  // namespace hilo::library
