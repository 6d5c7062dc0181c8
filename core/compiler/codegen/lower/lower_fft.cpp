// Fourier transforms: one dimension after the other, its lines widened to c128 as they are read and
// transformed by the scalar library, eight at once where there are so many; the result is rounded once. A
// real transform is a complex one whose other half is left away; its inverse first completes that half.
#include <fmt/format.h>

#include <bit>
#include <complex>
#include <numbers>

#include "core/compiler/codegen/emit/scalars/scalars.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;
using Complex = std::complex<double>;

namespace {

// Lengths with a larger prime factor go by convolution.
constexpr int64_t kLargestRadix = 32;
// Lines take tables of their length.
constexpr int64_t kLongest = int64_t{1} << 24;

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

namespace {

// An element of an array at a place in its dimensions.
using Read = std::function<Scalar(const Dims&)>;
using Write = std::function<void(const Dims&, Scalar)>;

// The transforms of all lines along one dimension of an array of these sizes.
class LineTransforms {
 public:
  LineTransforms(std::span<const int64_t> sizes, size_t dimension, int64_t length, double sign)
      : dimension_(dimension), length_(length), plan_(planOf(length, sign)) {
    std::vector<int64_t> outer(sizes.begin(), sizes.end());
    outer[dimension] = 1;
    starts_ = Shape::array(ElementType::C128, outer);
    const int64_t numbers = length_ + plan_.room;
    lanes_ = lines() >= kLanes && kLanes * numbers <= kMostOnStack ? kLanes : 1;
    isOnStack_ = lanes_ * numbers <= kMostOnStack;
  }

  const std::vector<Literal>& tables() const { return plan_.tables; }
  int64_t iterations() const { return (lines() + lanes_ - 1) / lanes_; }
  int64_t costNs() const {
    return (lanes_ == 1 ? 4 : 1) * lines() * length_ * std::bit_width(static_cast<uint64_t>(length_)) / 4;
  }
  // Where lines are that are too long for the stack.
  Shape room() const {
    return Shape::array(ElementType::C128, {isOnStack_ ? 0 : lines(), length_ + plan_.room});
  }

  // The tables are the first buffers. Of each line `length` numbers are read and `kept` are written.
  void write(KernelBuilder& k, int roomBuffer, int64_t kept, const Read& read, const Write& write) const {
    auto& b = k.b();
    llvm::Type* f64 = b.getDoubleTy();
    Value* stack = isOnStack_ ? k.room(f64, 2 * lanes_ * (length_ + plan_.room)) : nullptr;
    k.loop(k.begin(), k.end(), [&](Value* group) {
      Value* start = isOnStack_ ? stack : k.pointerTo(roomBuffer, room(), k.indexAt({group, k.int64(0)}));
      eachOf(k, group, length_, [&](const Dims& place, Value* number) {
        const Scalar x = read(place);
        b.CreateStore(x.value, b.CreateInBoundsGEP(f64, start, {number}));
        b.CreateStore(x.imaginary, imaginaryAt(k, start, number));
      });
      transform(k, start);
      eachOf(k, group, kept, [&](const Dims& place, Value* number) {
        write(place, {b.CreateLoad(f64, b.CreateInBoundsGEP(f64, start, {number})),
                      b.CreateLoad(f64, imaginaryAt(k, start, number))});
      });
    });
  }

 private:
  static constexpr int64_t kLanes = 8;
  static constexpr int64_t kMostOnStack = 1 << 16;  // numbers

  int64_t lines() const { return starts_.elementCount(); }

  Value* imaginaryAt(KernelBuilder& k, Value* start, Value* number) const {
    return k.b().CreateInBoundsGEP(k.b().getDoubleTy(), start,
                                   {k.b().CreateAdd(number, k.int64(lanes_), "", true, true)});
  }

  // Runs body at the place of each of the first `count` numbers of the lines of a group, and with where in
  // the room its real part is. A few numbers of one line and then of the next: both sides stay near.
  void eachOf(KernelBuilder& k, Value* group, int64_t count,
              const std::function<void(const Dims&, Value*)>& body) const {
    constexpr int64_t kAtOnce = 8;
    auto& b = k.b();
    const auto numbers = [&](Value* lane, Value* from, Value* to) {
      // Of the last group lines that are not there are the last one again.
      Value* line = b.CreateAdd(b.CreateMul(group, k.int64(lanes_)), lane);
      if (lines() % lanes_ != 0)
        line = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, line, k.int64(lines() - 1));
      ElementIndex at{{}, line, starts_};
      Dims place = k.dimsOf(at);
      k.loop(from, to, [&](Value* i) {
        place[dimension_] = i;
        body(place, b.CreateAdd(b.CreateMul(i, k.int64(2 * lanes_), "", true, true), lane, "", true, true));
      });
    };
    if (lanes_ == 1) return numbers(k.int64(0), k.int64(0), k.int64(count));
    k.loop(k.int64(0), k.int64((count + kAtOnce - 1) / kAtOnce), [&](Value* block) {
      Value* from = b.CreateMul(block, k.int64(kAtOnce), "", true, true);
      Value* to = b.CreateAdd(from, k.int64(kAtOnce), "", true, true);
      if (count % kAtOnce != 0) to = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, k.int64(count));
      k.loop(k.int64(0), k.int64(lanes_), [&](Value* lane) { numbers(lane, from, to); });
    });
  }

  void transform(KernelBuilder& k, Value* start) const {
    auto& b = k.b();
    const auto table = [&](int i) {
      return k.pointerTo(i, plan_.tables[static_cast<size_t>(i)].shape(), k.indexAt({k.int64(0)}));
    };
    const std::string_view lanes = lanes_ == 1 ? "" : "_lanes";
    Value* rest = b.CreateInBoundsGEP(b.getDoubleTy(), start, {k.int64(2 * lanes_ * length_)});
    if (plan_.padded == 0) {
      k.scalars().call(fmt::format("hilo_fft{}", lanes), b.getVoidTy(),
                       {start, k.int64(length_), table(0), rest});
    } else {
      k.scalars().call(fmt::format("hilo_fft_by_convolution{}", lanes), b.getVoidTy(),
                       {start, k.int64(length_), table(0), k.int64(plan_.padded), table(1), table(2), rest});
    }
  }

  size_t dimension_;
  int64_t length_;
  Plan plan_;
  Shape starts_;  // as many elements as lines, in the order of these
  int64_t lanes_ = 1;
  bool isOnStack_ = true;
};

// The spectrum of a real signal of n numbers from its first half: places past the middle are the conjugates
// of their mirror images, and what is its own mirror image is real.
Read completed(KernelBuilder& k, int64_t n, const Read& half) {
  return [&k, n, half](Dims place) {
    auto& b = k.b();
    Value* at = place.back();
    Value* isPast = b.CreateICmpSGT(at, k.int64(n / 2));
    place.back() = b.CreateSelect(isPast, b.CreateSub(k.int64(n), at), at);
    Scalar x = half(place);
    Value* isOwnMirror = b.CreateICmpEQ(at, k.int64(0));
    if (n % 2 == 0) isOwnMirror = b.CreateOr(isOwnMirror, b.CreateICmpEQ(at, k.int64(n / 2)));
    x.imaginary = b.CreateSelect(isPast, b.CreateFNeg(x.imaginary), x.imaginary);
    x.imaginary = b.CreateSelect(isOwnMirror, llvm::ConstantFP::get(b.getDoubleTy(), 0.0), x.imaginary);
    return x;
  };
}

double scaleOf(std::span<const int64_t> lengths, bool isForward) {
  int64_t count = 1;
  for (const int64_t length : lengths) count *= length;
  return isForward ? 1 : 1.0 / static_cast<double>(count);
}
}  // namespace

// Along dimension `d`, from the operand or what the dimensions before it made of it, `data`, to there or, the
// last, the result.
static Status transformAlong(const Instruction& instruction, LoweringContext& context, const LeafValue& data,
                             const LeafValue& result, size_t d) {
  const Instruction& operand = *instruction.operand(0);
  const Shape from = operand.shape(), to = instruction.shape(),
              wide = Shape::array(ElementType::C128, from.dimensions());
  const auto lengths = instruction.get<Attr::FftLength>();
  const FftType type = instruction.get<Attr::FftTypeKind>().value_or(FftType::Fft);
  const bool isForward = type == FftType::Fft || type == FftType::Rfft, isLast = d + 1 == from.rank(),
             isFirst = d + lengths.size() == from.rank(), completes = isLast && type == FftType::Irfft;
  const LineTransforms lines(from.dimensions(), d, completes ? lengths.back() : from.dimension(d),
                             isForward ? -1 : 1);
  LeafValues tables;
  for (const Literal& table : lines.tables()) tables.push_back(context.constantLeaf(table));
  if (!isFirst && isLast) tables.push_back(data);
  KernelDraft draft(context, instruction, {isLast ? result : data, context.newLeaf(lines.room())}, tables);
  KernelBuilder& k = draft.builder();
  const int target = draft.resultBuffer(0),
            source = isLast ? static_cast<int>(lines.tables().size()) : target;
  const Read given = [&](const Dims& place) {
    if (!isFirst) return k.load(source, wide, k.indexAt(place));
    Scalar x;
    draft.elements().inFrame([&] { x = draft.elements().at(operand, k.indexAt(place)); });
    return k.scalars().convert(from.elementType(), ElementType::C128, x);
  };
  const Write store = [&](const Dims& place, Scalar x) {
    if (!isLast) return k.store(target, wide, k.indexAt(place), x);
    Value* factor = llvm::ConstantFP::get(k.b().getDoubleTy(), scaleOf(lengths, isForward));
    x = {k.b().CreateFMul(x.value, factor), k.b().CreateFMul(x.imaginary, factor)};
    const bool isReal = !isComplex(to.elementType());
    k.store(target, to, k.indexAt(place),
            isReal ? k.scalars().convert(ElementType::F64, to.elementType(), {x.value})
                   : k.scalars().convert(ElementType::C128, to.elementType(), x));
  };
  lines.write(k, draft.resultBuffer(1), isLast ? to.dimension(d) : from.dimension(d),
              completes ? completed(k, lengths.back(), given) : given, store);
  return draft.finish(lines.iterations(), lines.costNs());
}

std::optional<Diagnostic> transformObstacle(const Instruction& instruction, const HasHandler&) {
  for (const int64_t length : instruction.get<Attr::FftLength>()) {
    if (length > kLongest)
      return obstacle(instruction, "too-large", fmt::format("a transform of {} numbers", length));
  }
  return std::nullopt;
}

Status lowerFft(const Instruction& instruction, LoweringContext& context) {
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  const size_t count = instruction.get<Attr::FftLength>().size();
  const LeafValue result = context.newLeaf(to);
  context.values[&instruction] = {result};
  if (from.elementCount() == 0 || to.elementCount() == 0) return {};
  const LeafValue data =
      count > 1 ? context.newLeaf(Shape::array(ElementType::C128, from.dimensions())) : result;
  for (size_t d = from.rank() - count; d < from.rank(); ++d)
    TRY_STATUS(transformAlong(instruction, context, data, result, d));
  return {};
}

}  // namespace hilo
