#include "core/hlo/eval/collective_results.h"

#include <cstring>

#include "core/hlo/eval/applier.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {

Result<Literal> copied(const Literal& from, EvalContext& context) {
  TRY(Literal result, context.make(from.shape()));
  if (const auto out = result.mutableBytes(); !out.empty())
    std::memcpy(out.data(), from.bytes().data(), out.size());
  return result;
}

namespace {

// A dense array seen around one dimension: `outer` runs, each of `size` pieces of `pieceBytes`.
struct Around {
  int64_t outer, size, pieceBytes;
  Around(Shape shape, int64_t dimension)
      : outer(productOf(shape.dimensions().first(static_cast<size_t>(dimension)))),
        size(shape.dimension(static_cast<size_t>(dimension))),
        pieceBytes(productOf(shape.dimensions().subspan(static_cast<size_t>(dimension) + 1)) *
                   storageBytes(shape)) {}
};

Result<Shape> withDimension(const Instruction& instruction, Shape shape, int64_t dimension, int64_t size) {
  EVAL_REQUIRE(size >= 0 && size < int64_t{1} << 48, "its dimensions are too large");
  DimVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[static_cast<size_t>(dimension)] = size;
  return Shape::array(shape.elementType(), sizes);
}

// The parts one after the other along a dimension. All are of one shape.
Result<Literal> joined(const Instruction& instruction, std::span<const Literal> parts, int64_t dimension,
                       EvalContext& context) {
  const auto n = static_cast<int64_t>(parts.size());
  const Around part(parts[0].shape(), dimension);
  TRY(const Shape shape, withDimension(instruction, parts[0].shape(), dimension, part.size * n));
  TRY(Literal result, context.make(shape));
  std::byte* out = result.mutableBytes().data();
  const auto runBytes = static_cast<size_t>(part.size * part.pieceBytes);
  if (runBytes == 0) return result;
  for (int64_t o = 0; o < part.outer; ++o) {
    for (const Literal& from : parts) {
      std::memcpy(out, from.bytes().data() + static_cast<size_t>(o) * runBytes, runBytes);
      out += runBytes;
    }
  }
  return result;
}

// Part `index` of `count` equal ones along a dimension.
Result<Literal> partOf(const Instruction& instruction, const Literal& whole, int64_t dimension, size_t index,
                       size_t count, EvalContext& context) {
  const Around all(whole.shape(), dimension);
  const auto n = static_cast<int64_t>(count);
  EVAL_REQUIRE(all.size % n == 0, "the group's size does not divide the dimension");
  TRY(const Shape shape, withDimension(instruction, whole.shape(), dimension, all.size / n));
  TRY(Literal result, context.make(shape));
  const auto runBytes = static_cast<size_t>(all.size / n * all.pieceBytes);
  if (runBytes == 0) return result;
  std::byte* out = result.mutableBytes().data();
  for (int64_t o = 0; o < all.outer; ++o) {
    std::memcpy(out + static_cast<size_t>(o) * runBytes,
                whole.bytes().data() + (static_cast<size_t>(o) * count + index) * runBytes, runBytes);
  }
  return result;
}

// Adds floats in f64 and rounds once, as reduce does.
Literal sumOf(const Met& met, size_t index, Literal result) {
  const ElementType type = result.shape().elementType();
  const int bytes = elementStorageBytes(type);
  std::byte* out = result.mutableBytes().data();
  constexpr int64_t kBlock = 1024;
  double sums[kBlock], values[kBlock];
  const int64_t total = result.shape().elementCount();
  for (int64_t start = 0; start < total; start += kBlock) {
    const int64_t count = std::min(kBlock, total - start);
    for (size_t member = 0; member < met.size(); ++member) {
      convertElements(member == 0 ? sums : values, ElementType::F64,
                      met.operand(member, index).bytes().data() + start * bytes, type, count);
      for (int64_t i = 0; member > 0 && i < count; ++i) sums[i] += values[i];
    }
    convertElements(out + start * bytes, type, sums, ElementType::F64, count);
  }
  return result;
}

Result<Literal> reduced(const Instruction& instruction, const Met& met, size_t index, EvalContext& context) {
  const Shape shape = met.operand(0, index).shape();
  EVAL_REQUIRE(shape.isArray(), "needs arrays");
  const ElementType type = shape.elementType();
  const ElementType both[] = {type, type};
  TRY(Applier applier,
      Applier::make(instruction, instruction.get<Attr::ToApply>(), both, std::span(both).first(1), context));
  TRY(Literal result, context.make(shape));
  if (isFloat(type) && met.size() > 1 && applier.program() != nullptr &&
      applier.program()->singleBinaryOp() == Opcode::Add) {
    return sumOf(met, index, std::move(result));
  }
  const auto out = result.mutableBytes();
  if (out.empty()) return result;
  std::memcpy(out.data(), met.operand(0, index).bytes().data(), out.size());
  for (size_t member = 1; member < met.size(); ++member) {
    TRY_STATUS(context.poll(shape.elementCount() / 1024 + 1));
    const void* parameters[] = {out.data(), met.operand(member, index).bytes().data()};
    void* results[] = {out.data()};
    TRY_STATUS(applier.apply(parameters, results, shape.elementCount()));
  }
  return result;
}

// The dimension an all-gather, reduce-scatter or all-to-all of arrays works along.
Result<int64_t> dimensionOf(const Instruction& instruction, const Literal& operand) {
  const auto dimensions = instruction.dimensions();
  EVAL_REQUIRE(operand.shape().isArray() && dimensions.size() == 1 && dimensions[0] >= 0 &&
                   dimensions[0] < static_cast<int64_t>(operand.shape().rank()),
               "needs one dimension of its operand");
  return dimensions[0];
}

Result<std::vector<Literal>> allToAll(const Instruction& instruction, const Met& met, EvalContext& context) {
  std::vector<Literal> results;
  const size_t n = met.size();
  if (instruction.dimensions().empty()) {
    EVAL_REQUIRE((*met.all)[met.self].size() == n, "needs an operand for each device of the group");
    for (size_t member = 0; member < n; ++member) {
      TRY(Literal result, copied(met.operand(member, met.self), context));
      results.push_back(std::move(result));
    }
    return results;
  }
  EVAL_REQUIRE((*met.all)[met.self].size() == 1, "takes one array");
  TRY(const int64_t dimension, dimensionOf(instruction, met.operand(met.self, 0)));
  std::vector<Literal> parts;
  for (size_t member = 0; member < n; ++member) {
    TRY(Literal part, partOf(instruction, met.operand(member, 0), dimension, met.self, n, context));
    parts.push_back(std::move(part));
  }
  TRY(Literal result, joined(instruction, parts, dimension, context));
  results.push_back(std::move(result));
  return results;
}

struct RaggedPart {
  int64_t source, rows, target;
};

// Operands: input, output, then for every part where it starts in the sender's input, how many rows it has
// and where it goes in the receiver's output, and how many rows come in. A device has as many parts for each
// member of the group as the lengths say, those for the first member first.
Result<Literal> raggedAllToAll(const Instruction& instruction, const Met& met, EvalContext& context) {
  const auto& own = (*met.all)[met.self];
  EVAL_REQUIRE(own.size() == 6, "needs six operands");
  const Shape from = own[0].shape(), to = own[1].shape();
  EVAL_REQUIRE(from.isArray() && to.isArray() && from.rank() >= 1 && from.elementType() == to.elementType() &&
                   from.rank() == to.rank() &&
                   std::ranges::equal(from.dimensions().subspan(1), to.dimensions().subspan(1)),
               "input and output rows differ");
  for (size_t i = 2; i < 6; ++i) {
    EVAL_REQUIRE(
        own[i].shape().isArray() && holdsIntegers(own[i]) && sameDimensions(own[i].shape(), own[2].shape()),
        "offsets and sizes must be integers of one shape");
  }
  const auto n = static_cast<int64_t>(met.size());
  const int64_t parts = own[2].shape().elementCount();
  EVAL_REQUIRE(parts % n == 0, "needs as many parts for every device of the group");
  TRY(Literal result, copied(own[1], context));
  auto out = result.mutableBytes();
  const int64_t rowBytes = productOf(from.dimensions().subspan(1)) * storageBytes(from);
  const int64_t first = static_cast<int64_t>(met.self) * (parts / n);
  for (size_t sender = 0; sender < met.size(); ++sender) {
    for (int64_t i = first; i < first + parts / n; ++i) {
      const RaggedPart part{integerAt(met.operand(sender, 2), i), integerAt(met.operand(sender, 3), i),
                            integerAt(met.operand(sender, 4), i)};
      EVAL_REQUIRE(part.source >= 0 && part.rows >= 0 && part.target >= 0 && part.rows <= from.dimension(0) &&
                       part.rows <= to.dimension(0) && part.source <= from.dimension(0) - part.rows &&
                       part.target <= to.dimension(0) - part.rows,
                   "a part lies outside the input or output");
      if (part.rows * rowBytes == 0) continue;
      std::memcpy(out.data() + part.target * rowBytes,
                  met.operand(sender, 0).bytes().data() + part.source * rowBytes,
                  static_cast<size_t>(part.rows * rowBytes));
    }
  }
  return result;
}

// The member of the group that broadcasts operand `index`: the first, or the one the last operand tells.
Result<size_t> rootOf(const Instruction& instruction, const Met& met, size_t index) {
  const auto& own = (*met.all)[met.self];
  if (broadcastCount(instruction, own.size()) == own.size()) return 0;
  const Literal& roots = own.back();
  EVAL_REQUIRE(roots.shape().isArray() && holdsIntegers(roots) &&
                   roots.shape().elementCount() == static_cast<int64_t>(own.size()) - 1,
               "needs a root for each value");
  const int64_t root = integerAt(roots, static_cast<int64_t>(index));
  EVAL_REQUIRE(root >= 0 && root < static_cast<int64_t>(met.size()), "a root is no member of the group");
  return static_cast<size_t>(root);
}

// One result for each operand that is treated by itself.
Result<Literal> resultOf(const Instruction& instruction, const Met& met, size_t index, EvalContext& context) {
  switch (instruction.opcode()) {
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
      return reduced(instruction, met, index, context);
    case Opcode::ReduceScatter: {
      TRY(const int64_t dimension, dimensionOf(instruction, met.operand(0, index)));
      TRY(const Literal whole, reduced(instruction, met, index, context));
      return partOf(instruction, whole, dimension, met.self, met.size(), context);
    }
    case Opcode::AllGather:
    case Opcode::AllGatherStart: {
      TRY(const int64_t dimension, dimensionOf(instruction, met.operand(0, index)));
      std::vector<Literal> parts;
      for (size_t member = 0; member < met.size(); ++member) parts.push_back(met.operand(member, index));
      return joined(instruction, parts, dimension, context);
    }
    default: {
      CHECK(instruction.opcode() == Opcode::CollectiveBroadcast);
      TRY(const size_t root, rootOf(instruction, met, index));
      return copied(met.operand(root, index), context);
    }
  }
}

}  // namespace

Result<std::vector<Literal>> collectiveResults(const Instruction& instruction, const Met& met,
                                               EvalContext& context) {
  if (instruction.opcode() == Opcode::AllToAll) return allToAll(instruction, met, context);
  std::vector<Literal> results;
  if (instruction.opcode() == Opcode::RaggedAllToAll) {
    TRY(Literal result, raggedAllToAll(instruction, met, context));
    results.push_back(std::move(result));
    return results;
  }
  for (size_t i = 0; i < broadcastCount(instruction, (*met.all)[met.self].size()); ++i) {
    TRY(Literal result, resultOf(instruction, met, i, context));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace hilo::eval
