// Fourier transforms: the operand widened to c128, each dimension transformed line by line by the scalar
// library, the result rounded once. A real transform is a complex one whose other half is left away; its
// inverse first completes that half.
#include <bit>
#include <complex>
#include <numbers>

#include "core/compiler/codegen/kernel_draft.h"
#include "core/compiler/codegen/scalars/scalars.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;
using Complex = std::complex<double>;

namespace {

// Lengths with a larger prime factor go by convolution.
constexpr int64_t kLargestRadix = 32;

int64_t largestFactor(int64_t n) {
  int64_t largest = 1;
  for (int64_t factor = 2; factor * factor <= n; ++factor) {
    for (; n % factor == 0; n /= factor) largest = factor;
  }
  return n > 1 ? std::max(largest, n) : largest;
}

// exp(sign * 2 pi i k / n)
Complex root(int64_t k, int64_t n, double sign) {
  return std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n));
}

Literal complexTable(int64_t count, const std::function<Complex(int64_t)>& element) {
  Literal table(Shape::array(ElementType::C128, {count}));
  auto values = table.mutableData<Complex>();
  for (int64_t k = 0; k < count; ++k) values[static_cast<size_t>(k)] = element(k);
  return table;
}

// What a transform of one length and sign needs besides its line.
struct Plan {
  std::vector<Literal> tables;  // the roots; by convolution: chirp, response, roots
  int64_t padded = 0;           // 0: by radices
  int64_t room = 0;             // elements beside the line
};

Plan planOf(int64_t n, double sign) {
  Plan plan;
  if (largestFactor(n) <= kLargestRadix) {
    plan.tables.push_back(complexTable(n, [&](int64_t k) { return root(k, n, sign); }));
    plan.room = n;
    return plan;
  }
  plan.padded = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n - 1)));
  plan.room = 2 * plan.padded;
  // k^2 modulo 2n keeps the angle exact for large k.
  const auto chirp = [&](int64_t k) {
    return root(static_cast<int64_t>(static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k) %
                                     static_cast<unsigned __int128>(2 * n)),
                2 * n, sign);
  };
  plan.tables.push_back(complexTable(n, chirp));
  Literal roots = complexTable(plan.padded, [&](int64_t k) { return root(k, plan.padded, -1); });
  Literal response = complexTable(plan.padded, [&](int64_t k) {
    const int64_t from = std::min(k, plan.padded - k);
    return from < n ? std::conj(chirp(from)) : Complex();
  });
  std::vector<double> room(static_cast<size_t>(2 * plan.padded));
  hilo_fft(reinterpret_cast<double*>(response.mutableData<Complex>().data()), plan.padded,
           reinterpret_cast<const double*>(roots.data<Complex>().data()), room.data());
  plan.tables.push_back(std::move(response));
  plan.tables.push_back(std::move(roots));
  return plan;
}

}  // namespace

// Every line of `data`, a dense c128 array, along one dimension in place.
Status Lowering::transformAlong(const Instruction& instruction, Scope& scope, const LeafValue& data,
                                Shape shape, size_t dimension, double sign) {
  const int64_t n = shape.dimension(dimension);
  if (n < 2) return {};
  const Plan plan = planOf(n, sign);
  const int64_t lines = shape.elementCount() / n;
  // On the stack, or where that is too little in memory, a piece for each line.
  constexpr int64_t kMostOnStack = 8192;
  const int64_t roomNumbers = 2 * (n + plan.room);
  const bool isOnStack = n + plan.room <= kMostOnStack;
  const Shape room = Shape::array(ElementType::C128, {isOnStack ? 0 : lines, n + plan.room});
  std::vector<int64_t> outerSizes(shape.dimensions().begin(), shape.dimensions().end());
  outerSizes[dimension] = 1;
  const Shape outer = Shape::array(ElementType::C128, outerSizes);
  LeafValues tables;
  for (const Literal& table : plan.tables) tables.push_back(constantLeaf(table));
  const int dataBuffer = static_cast<int>(tables.size()), roomBuffer = dataBuffer + 1;
  const auto write = [&](KernelBuilder& k) {
    auto& b = k.b();
    llvm::Type* f64 = b.getDoubleTy();
    Value* stack = isOnStack ? k.room(f64, roomNumbers) : nullptr;
    k.loop(k.begin(), k.end(), [&](Value* line) {
      ElementIndex at{{}, line, outer};
      Dims place = k.dimsOf(at);
      Value* start = isOnStack ? stack : k.pointerTo(roomBuffer, room, k.indexAt({line, k.int64(0)}));
      const auto numberAt = [&](Value* i) { return b.CreateInBoundsGEP(f64, start, {i}); };
      // Of every element its place in the array and where its two parts are in the room.
      const auto each = [&](const auto& body) {
        k.loop(k.int64(0), k.int64(n), [&](Value* i) {
          place[dimension] = i;
          Value* real = b.CreateShl(i, 1);
          body(k.indexAt(place), numberAt(real), numberAt(b.CreateOr(real, k.int64(1))));
        });
      };
      each([&](ElementIndex there, Value* real, Value* imaginary) {
        const Scalar x = k.load(dataBuffer, shape, there);
        b.CreateStore(x.value, real);
        b.CreateStore(x.imaginary, imaginary);
      });
      const auto tableAt = [&](int i) {
        return k.pointerTo(i, plan.tables[static_cast<size_t>(i)].shape(), k.indexAt({k.int64(0)}));
      };
      Value* rest = numberAt(k.int64(2 * n));
      if (plan.padded == 0) {
        k.scalars().call("hilo_fft", b.getVoidTy(), {start, k.int64(n), tableAt(0), rest});
      } else {
        k.scalars().call("hilo_fft_by_convolution", b.getVoidTy(),
                         {start, k.int64(n), tableAt(0), k.int64(plan.padded), tableAt(1), tableAt(2), rest});
      }
      each([&](ElementIndex there, Value* real, Value* imaginary) {
        k.store(dataBuffer, shape, there, {b.CreateLoad(f64, real), b.CreateLoad(f64, imaginary)});
      });
    });
  };
  addKernelOn(instruction, tables, {data, newLeaf(room)}, lines,
              10 * shape.elementCount() * std::bit_width(static_cast<uint64_t>(n)), scope.sequence, write);
  return {};
}

namespace {

// Runs body at every index of a dense array.
void everyElement(KernelBuilder& k, Shape shape, const std::function<void(ElementIndex&)>& body) {
  k.loop(k.begin(), k.end(), [&](Value* i) {
    ElementIndex index{{}, i, shape};
    body(index);
  });
}

// The same index for an array of other sizes.
ElementIndex indexOf(KernelBuilder& k, ElementIndex& index, Shape shape) {
  return sameMemoryOrder(index.shape, shape) ? index : k.indexAt(k.dimsOf(index));
}

// The spectrum of a real signal from its first half: places past the middle are the conjugates of their
// mirror images, and what is its own mirror image is real.
void completeSpectrum(KernelBuilder& k, Shape half, Shape whole) {
  auto& b = k.b();
  const size_t last = whole.rank() - 1;
  const int64_t n = whole.dimension(last);
  everyElement(k, whole, [&](ElementIndex& index) {
    Dims place = k.dimsOf(index);
    Value* at = place[last];
    Value* mirror = b.CreateSub(k.int64(n), at);
    Value* isPast = b.CreateICmpSGT(at, k.int64(n / 2));
    place[last] = b.CreateSelect(isPast, mirror, at);
    Scalar x = k.load(0, half, k.indexAt(place));
    Value* isOwnMirror = b.CreateICmpEQ(at, k.int64(0));
    if (n % 2 == 0) isOwnMirror = b.CreateOr(isOwnMirror, b.CreateICmpEQ(at, k.int64(n / 2)));
    x.imaginary = b.CreateSelect(isPast, b.CreateFNeg(x.imaginary), x.imaginary);
    x.imaginary = b.CreateSelect(isOwnMirror, llvm::ConstantFP::get(b.getDoubleTy(), 0.0), x.imaginary);
    k.store(1, whole, index, x);
  });
}

}  // namespace

Status Lowering::lowerFft(const Instruction& instruction, Scope& scope) {
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  const auto lengths = instruction.get<Attr::FftLength>();
  const FftType type = instruction.get<Attr::FftTypeKind>().value_or(FftType::Fft);
  const bool isForward = type == FftType::Fft || type == FftType::Rfft;
  const double sign = isForward ? -1 : 1;
  LeafValue result = newLeaf(to);
  scope.values[&instruction] = {result};
  if (from.elementCount() == 0 || to.elementCount() == 0) return {};
  Shape shape = Shape::array(ElementType::C128, from.dimensions());
  LeafValue data = newLeaf(shape);
  {
    KernelDraft draft(*this, instruction, scope, {data});
    everyElement(draft.builder(), shape, [&](ElementIndex& index) {
      draft.elements().inFrame([&] {
        const ElementIndex place = indexOf(draft.builder(), index, from);
        const Scalar x = draft.elements().at(*instruction.operand(0), place);
        draft.builder().store(draft.resultBuffer(0), shape, index,
                              draft.builder().scalars().convert(from.elementType(), ElementType::C128, x));
      });
    });
    TRY_STATUS(draft.finish(shape.elementCount(), shape.elementCount()));
  }
  const size_t last = from.rank() - 1, first = from.rank() - lengths.size();
  for (size_t d = first; d < last; ++d) TRY_STATUS(transformAlong(instruction, scope, data, shape, d, sign));
  if (type == FftType::Irfft) {
    std::vector<int64_t> sizes(from.dimensions().begin(), from.dimensions().end());
    sizes.back() = lengths.back();
    const Shape whole = Shape::array(ElementType::C128, sizes);
    const LeafValue completed = newLeaf(whole);
    addKernelOn(instruction, {data}, {completed}, whole.elementCount(), whole.elementCount(), scope.sequence,
                [&](KernelBuilder& k) { completeSpectrum(k, shape, whole); });
    shape = whole;
    data = completed;
  }
  TRY_STATUS(transformAlong(instruction, scope, data, shape, last, sign));
  int64_t count = 1;
  for (const int64_t length : lengths) count *= length;
  const double scale = isForward ? 1 : 1.0 / static_cast<double>(count);
  addKernelOn(instruction, {data}, {result}, to.elementCount(), to.elementCount(), scope.sequence,
              [&](KernelBuilder& k) {
                everyElement(k, to, [&](ElementIndex& index) {
                  Scalar x = k.load(0, shape, indexOf(k, index, shape));
                  Value* factor = llvm::ConstantFP::get(k.b().getDoubleTy(), scale);
                  x = {k.b().CreateFMul(x.value, factor), k.b().CreateFMul(x.imaginary, factor)};
                  const bool isReal = !isComplex(to.elementType());
                  k.store(1, to, index,
                          isReal ? k.scalars().convert(ElementType::F64, to.elementType(), {x.value})
                                 : k.scalars().convert(ElementType::C128, to.elementType(), x));
                });
              });
  return {};
}

}  // namespace hilo
