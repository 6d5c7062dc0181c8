#include "core/compiler/codegen/cpu/walk.h"

namespace hilo {

using llvm::Value;

namespace {

ElementIndex flatIndex(Shape shape, Value* i) {
  ElementIndex index{{}, i, shape};
  if (shape.rank() == 1) index.dims = {i};
  return index;
}

// Of the elements of a line, which counts lines along the dense dimension in memory order.
std::function<ElementIndex(Value*)> lineIndices(KernelBuilder& k, Shape shape, Value* line) {
  const auto order = majorToMinor(shape);
  const auto minor = static_cast<size_t>(order.back());
  llvm::SmallVector<Value*, 6> dims(shape.rank());
  Value* rest = line;
  for (size_t i = order.size() - 1; i-- > 0;) {
    const auto d = static_cast<size_t>(order[i]);
    const int64_t size = shape.dimension(d);
    dims[d] = i == 0 ? rest : (size == 1 ? k.int64(0) : k.b().CreateURem(rest, k.int64(size)));
    if (i > 0 && size > 1) rest = k.b().CreateUDiv(rest, k.int64(size));
  }
  Value* base = k.b().CreateMul(line, k.int64(shape.dimension(minor)), "", true, true);
  return [&k, shape, minor, dims, base](Value* j) {
    ElementIndex index{dims, k.b().CreateAdd(base, j, "", true, true), shape};
    index.dims[minor] = j;
    return index;
  };
}

}  // namespace

Walk walkOver(Shape shape, bool flat) {
  if (shape.rank() == 0) {
    return {1, [](KernelBuilder& k, Value* from, Value* to, const auto& body) {
              k.branch(k.b().CreateICmpSLT(from, to), [&] { body({}); });
            }};
  }
  if (flat || shape.rank() == 1) {
    return {shape.elementCount(), [shape](KernelBuilder& k, Value* from, Value* to, const auto& body) {
              k.loop(from, to, [&](Value* i) { body(flatIndex(shape, i)); });
            }};
  }
  const int64_t length = shape.dimension(static_cast<size_t>(majorToMinor(shape).back()));
  return {length == 0 ? 0 : shape.elementCount() / length,
          [shape, length](KernelBuilder& k, Value* from, Value* to, const auto& body) {
            k.loop(from, to, [&](Value* line) {
              const auto at = lineIndices(k, shape, line);
              length == 1 ? body(at(k.int64(0)))
                          : k.loop(k.int64(0), k.int64(length), [&](Value* j) { body(at(j)); });
            });
          }};
}

namespace {

constexpr int64_t kPiece = HeldPiece::kCount;

int64_t lineOf(Shape shape, bool flat) {
  return flat || shape.rank() == 1 ? shape.elementCount()
                                   : shape.dimension(static_cast<size_t>(majorToMinor(shape).back()));
}

}  // namespace

Walk walkInPieces(Shape shape, bool flat, FetchAhead& ahead, const WritePiece& writePiece) {
  constexpr int64_t kAhead = 1024;
  const bool isOneLine = flat || shape.rank() == 1;
  const int64_t length = lineOf(shape, flat), pieces = (length + kPiece - 1) / kPiece;
  const auto walkPiece = [=, &ahead](KernelBuilder& k, Value* base, Value* piece, const auto& at,
                                     const auto& body) {
    llvm::IRBuilder<>& b = k.b();
    Value* first = b.CreateMul(piece, k.int64(kPiece), "", true, true);
    ahead.ask(b.CreateAdd(b.CreateAdd(base, first), k.int64(kAhead)), kPiece, kAhead);
    if (length % kPiece == 0) {
      const auto inPiece = [&](Value* i) { return at(b.CreateAdd(first, i, "", true, true)); };
      return writePiece ? writePiece(kPiece, inPiece)
                        : k.shortLineLoop(kPiece, [&](Value* i) { body(inPiece(i)); });
    }
    Value* end = b.CreateAdd(first, k.int64(kPiece), "", true, true);
    k.lineLoop(first, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, k.int64(length)),
               [&](Value* i) { body(at(i)); });
  };
  if (isOneLine) {
    return {pieces, [=](KernelBuilder& k, Value* from, Value* to, const auto& body) {
              const auto at = [&](Value* i) { return flatIndex(shape, i); };
              k.loop(from, to, [&](Value* piece) { walkPiece(k, k.int64(0), piece, at, body); });
            }};
  }
  return {length == 0 ? 0 : shape.elementCount() / length,
          [=](KernelBuilder& k, Value* from, Value* to, const auto& body) {
            k.loop(from, to, [&](Value* line) {
              const auto at = lineIndices(k, shape, line);
              Value* base = k.b().CreateMul(line, k.int64(length), "", true, true);
              const auto write = [&](Value* piece) { walkPiece(k, base, piece, at, body); };
              // A loop of one would have stores past the caches moved behind it, as plain ones.
              if (pieces == 1) return write(k.int64(0));
              k.loop(k.int64(0), k.int64(pieces), write);
            });
          }};
}

}  // namespace hilo
