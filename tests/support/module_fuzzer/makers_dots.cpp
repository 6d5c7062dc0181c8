// Products, transforms, factors, and generated bits.
#include <fmt/format.h>

#include "tests/support/module_fuzzer/module_writer.h"

namespace hilo::fuzz {
namespace {

bool isNumber(ElementType type) { return type != ElementType::Pred; }

struct DotShapes {
  Sizes lhs, rhs, result;
  std::vector<int64_t> lhsBatch, rhsBatch, lhsSum, rhsSum;
  std::string attributes() const {
    return fmt::format(
        "lhs_batch_dims={}, lhs_contracting_dims={}, rhs_batch_dims={}, rhs_contracting_dims={}",
        list(lhsBatch), list(lhsSum), list(rhsBatch), list(rhsSum));
  }
};

// Dimensions of random roles at random places.
DotShapes makeDot(ModuleWriter& w, bool oneSum = false) {
  constexpr size_t kMostOfARole = 2;
  DotShapes made;
  const size_t batches = w.below(kMostOfARole), sums = oneSum ? 1 : w.below(kMostOfARole + 1),
               left = w.below(kMostOfARole + 1), right = w.below(kMostOfARole + 1);
  const auto lhsPlaces = w.permutation(batches + sums + left),
             rhsPlaces = w.permutation(batches + sums + right);
  made.lhs.resize(lhsPlaces.size());
  made.rhs.resize(rhsPlaces.size());
  for (size_t i = 0; i < batches + sums; ++i) {
    const int64_t size = w.between(1, 4);
    made.lhs[static_cast<size_t>(lhsPlaces[i])] = made.rhs[static_cast<size_t>(rhsPlaces[i])] = size;
    (i < batches ? made.lhsBatch : made.lhsSum).push_back(lhsPlaces[i]);
    (i < batches ? made.rhsBatch : made.rhsSum).push_back(rhsPlaces[i]);
    if (i < batches) made.result.push_back(size);
  }
  for (Sizes* side : {&made.lhs, &made.rhs}) {
    for (int64_t& size : *side) {
      if (size != 0) continue;
      size = w.between(1, 4);
      made.result.push_back(size);
    }
  }
  return made;
}

std::string complexFft(ModuleWriter& w, size_t rank, Sizes& sizes, bool isReal) {
  const size_t over = 1 + w.below(std::min<size_t>(3, rank));
  std::vector<int64_t> lengths(sizes.end() - static_cast<ptrdiff_t>(over), sizes.end());
  if (isReal) sizes.back() = sizes.back() / 2 + 1;
  return list(lengths);
}

}  // namespace

void addDot(ModuleWriter& w) {
  const DotShapes made = makeDot(w);
  const ElementType type = w.numberType();
  const Value lhs = w.valueOf(type, made.lhs), rhs = w.valueOf(type, made.rhs);
  const ElementType to = w.oneIn(4) && isFloat(type) ? ElementType::F32 : type;
  w.add(to, made.result, "dot", {lhs, rhs}, made.attributes());
}

void addScaledDot(ModuleWriter& w) {
  const DotShapes made = makeDot(w, true);
  const ElementType type = w.floatType();
  const Value lhs = w.valueOf(type, made.lhs), rhs = w.valueOf(type, made.rhs);
  const auto scaleOf = [&](const Sizes& sizes) {
    Sizes blocks;
    for (const int64_t size : sizes) blocks.push_back(w.oneIn(2) ? 1 : size);
    return w.valueOf(w.floatType(), blocks);
  };
  const Value lhsScale = scaleOf(made.lhs), rhsScale = scaleOf(made.rhs);
  w.add(ElementType::F32, made.result, "scaled-dot", {lhs, rhs, lhsScale, rhsScale}, made.attributes());
}

// Rows in groups, each with a matrix of its own.
void addRaggedDot(ModuleWriter& w) {
  const ElementType type = w.pickOf(isNumber).type;
  const int64_t m = w.between(1, 6), k = w.between(1, 4), n = w.between(1, 4), groups = w.between(1, 3);
  const Value lhs = w.valueOf(type, {m, k});
  const bool sums = w.oneIn(3);
  const Value rhs = w.valueOf(type, sums ? Sizes{m, n} : Sizes{groups, k, n});
  const Value sizes = w.valueOf(w.oneIn(2) ? ElementType::S32 : ElementType::S64, {groups});
  if (sums) {
    w.add(type, {groups, k, n}, "ragged-dot", {lhs, rhs, sizes},
          "lhs_contracting_dims={0}, rhs_contracting_dims={0}, lhs_ragged_dims={0}");
  } else {
    w.add(type, {m, n}, "ragged-dot", {lhs, rhs, sizes},
          "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}");
  }
}

void addConvolution(ModuleWriter& w) {
  const size_t space = w.below(3);
  const int64_t channels = w.between(1, 3), features = w.between(1, 2);
  const int64_t groups = w.oneIn(3) ? w.between(2, 3) : 1;
  const bool batchGroups = groups > 1 && w.oneIn(2);
  const int64_t batch = w.between(1, 2);
  // In the order b, f, 0, 1 / o, i, 0, 1 / b, f, 0, 1; then put where the labels say.
  Sizes input = {batchGroups ? batch * groups : batch, batchGroups ? channels : channels * groups};
  Sizes kernel = {features * groups, channels}, output = {batch, features * groups};
  std::vector<int64_t> size, stride, base, window, reversal;
  std::vector<std::string> pad;
  for (size_t i = 0; i < space; ++i) {
    input.push_back(w.between(1, 5));
    size.push_back(w.between(1, 3));
    kernel.push_back(size.back());
    stride.push_back(w.between(1, 2));
    base.push_back(w.oneIn(3) ? 2 : 1);
    window.push_back(w.oneIn(3) ? 2 : 1);
    reversal.push_back(w.oneIn(3) ? 1 : 0);
    const int64_t low = w.between(input.back() > 1 ? -1 : 0, 2), high = w.between(0, 2);
    pad.push_back(fmt::format("{}_{}", low, high));
    const int64_t room = (input.back() - 1) * base.back() + 1 + low + high,
                  reach = (size.back() - 1) * window.back() + 1;
    output.push_back(room < reach ? 0 : (room - reach) / stride.back() + 1);
  }
  std::string labels;
  const auto placed = [&](const Sizes& sizes, const char* names) {
    Sizes moved(sizes.size());
    std::string text(sizes.size(), '?');
    const auto order = w.permutation(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      moved[static_cast<size_t>(order[i])] = sizes[i];
      text[static_cast<size_t>(order[i])] = names[i];
    }
    labels += text;
    return moved;
  };
  const ElementType type = w.numberType();
  const Value x = w.valueOf(type, placed(input, "bf01"));
  labels += "_";
  const Value y = w.valueOf(type, placed(kernel, "oi01"));
  labels += "->";
  const Sizes result = placed(output, "bf01");
  std::string attributes;
  if (space > 0) {
    attributes =
        fmt::format("window={{size={} stride={} pad={} lhs_dilate={} rhs_dilate={} rhs_reversal={}}}, ",
                    fmt::join(size, "x"), fmt::join(stride, "x"), fmt::join(pad, "x"), fmt::join(base, "x"),
                    fmt::join(window, "x"), fmt::join(reversal, "x"));
  }
  attributes += "dim_labels=" + labels;
  if (groups > 1) attributes += fmt::format(", {}_group_count={}", batchGroups ? "batch" : "feature", groups);
  w.add(type, result, "convolution", {x, y}, attributes);
}

void addFft(ModuleWriter& w) {
  const bool isDouble = w.oneIn(2);
  const ElementType real = isDouble ? ElementType::F64 : ElementType::F32,
                    complex = isDouble ? ElementType::C128 : ElementType::C64;
  Sizes sizes = w.anySizes(1, 3);
  if (w.oneIn(3)) sizes = {w.between(1, 60)};
  if (sizes.back() == 0) return;
  Sizes half = sizes;
  switch (w.below(3)) {
    case 0: {
      const std::string lengths = complexFft(w, sizes.size(), half, false);
      w.add(complex, sizes, "fft", {w.valueOf(complex, sizes)},
            fmt::format("fft_type={}, fft_length={}", w.oneIn(2) ? "FFT" : "IFFT", lengths));
      break;
    }
    case 1: {
      const std::string lengths = complexFft(w, sizes.size(), half, true);
      w.add(complex, half, "fft", {w.valueOf(real, sizes)}, "fft_type=RFFT, fft_length=" + lengths);
      break;
    }
    default: {
      const std::string lengths = complexFft(w, sizes.size(), half, true);
      w.add(real, sizes, "fft", {w.valueOf(complex, half)}, "fft_type=IRFFT, fft_length=" + lengths);
      break;
    }
  }
}

namespace {

// A square matrix with a large diagonal, so that it has a factor and can be divided by.
Value solvable(ModuleWriter& w, ElementType type, Sizes sizes) {
  const Value x = w.valueOf(type, sizes);
  const auto counted = [&](size_t d) {
    return w.add(ElementType::S32, sizes, "iota", {}, fmt::format("iota_dimension={}", d));
  };
  const Value row = counted(sizes.size() - 2), column = counted(sizes.size() - 1);
  const Value isDiagonal = w.add(ElementType::Pred, sizes, "compare", {row, column}, "direction=EQ");
  const Value large = w.add(type, sizes, "broadcast", {w.scalar(type, 30)}, "dimensions={}");
  return w.add(type, sizes, "select", {isDiagonal, large, x});
}
constexpr ElementType kSolved[] = {ElementType::F32, ElementType::F64, ElementType::C64, ElementType::C128};

}  // namespace

void addCholesky(ModuleWriter& w) {
  Sizes sizes = w.anySizes(0, 2);
  const int64_t n = w.between(1, 4);
  if (sizes.size() == 2) sizes.pop_back();
  sizes.insert(sizes.end(), {n, n});
  const ElementType type = w.oneOf(kSolved);
  w.add(type, sizes, "cholesky", {solvable(w, type, sizes)}, w.oneIn(2) ? "lower=true" : "lower=false");
}

void addTriangularSolve(ModuleWriter& w) {
  const Sizes batch = w.anySizes(0, 1);
  const int64_t n = w.between(1, 4), count = w.between(1, 3);
  const bool left = w.oneIn(2);
  Sizes square = batch, sides = batch;
  square.insert(square.end(), {n, n});
  sides.insert(sides.end(), {left ? n : count, left ? count : n});
  const ElementType type = w.oneOf(kSolved);
  const Value a = solvable(w, type, square), b = w.valueOf(type, sides);
  constexpr const char* kTransposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  const auto truth = [&] { return w.oneIn(2) ? "true" : "false"; };
  w.add(type, sides, "triangular-solve", {a, b},
        fmt::format("left_side={}, lower={}, unit_diagonal={}, transpose_a={}", left ? "true" : "false",
                    truth(), truth(), w.oneOf(kTransposes)));
}

void addBatchNorm(ModuleWriter& w) {
  const Value x = w.pickOf(isFloat, 1);
  const size_t feature = w.below(x.rank());
  const auto perFeature = [&] { return w.valueOf(x.type, {x.sizes[feature]}); };
  const std::string attributes = fmt::format("epsilon={}, feature_index={}", w.oneIn(2) ? 0.5 : 8.0, feature);
  const Value scale = perFeature(), offset = perFeature();
  // The variance is not negative.
  const Value variance = w.add(x.type, scale.sizes, "abs", {perFeature()});
  if (w.oneIn(3)) {
    w.add(x.type, x.sizes, "batch-norm-inference", {x, scale, offset, perFeature(), variance}, attributes);
    return;
  }
  const bool isGradient = w.oneIn(2);
  Value array = x, first = scale, second = scale;
  const std::string shape = fmt::format("({}, {}, {})", array.shape(), first.shape(), second.shape());
  const Value mean = perFeature();
  const std::string all =
      isGradient ? w.addRaw(shape, "batch-norm-grad",
                            {x.name, scale.name, mean.name, variance.name, w.valueOf(x.type, x.sizes).name},
                            attributes)
                 : w.addRaw(shape, "batch-norm-training", {x.name, scale.name, offset.name}, attributes);
  const std::array<Value*, 3> parts = {&array, &first, &second};
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i]->name = w.addRaw(parts[i]->shape(), "get-tuple-element", {all}, fmt::format("index={}", i));
    w.keep(*parts[i]);
  }
}

void addRngBits(ModuleWriter& w) {
  ElementType type = w.anyType();
  if (isComplex(type) || type == ElementType::Pred) type = ElementType::U32;
  constexpr const char* kAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
  const size_t algorithm = w.below(3);
  const Value state = w.valueOf(ElementType::U64, {algorithm == 2 && w.oneIn(2) ? 3 : 2});
  const Sizes sizes = w.anySizes();
  Value next = state, bits{"", type, sizes, w.randomLayout(sizes.size())};
  const std::string both = w.addRaw(fmt::format("({}, {})", next.shape(), bits.shape()), "rng-bit-generator",
                                    {state.name}, fmt::format("algorithm={}", kAlgorithms[algorithm]));
  next.name = w.addRaw(next.shape(), "get-tuple-element", {both}, "index=0");
  bits.name = w.addRaw(bits.shape(), "get-tuple-element", {both}, "index=1");
  w.keep(next);
  w.keep(bits);
}

}  // namespace hilo::fuzz
