#include "core/workspace/run/condition.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <random>

#include "core/hlo/eval/element_dispatch.h"
#include "core/hlo/eval/kernel.h"

namespace hilo {
namespace {

template <typename T>
T nextNumber(T value, bool away) {
  if constexpr (std::is_floating_point_v<T>) {
    const T to = away ? std::copysign(std::numeric_limits<T>::infinity(), value) : T(0);
    const T next = std::nextafter(value, to);
    return value == 0 || next == 0 || !std::isfinite(value) || !std::isfinite(next) ? value : next;
  } else {
    const int magnitude = value.bits & T::kMagnitudeMask, next = away ? magnitude + 1 : magnitude - 1;
    if (magnitude == 0 || next <= 0 || next > T::kMagnitudeMask || !value.isFinite()) return value;
    const T moved = T::fromBits(static_cast<typename T::Bits>((value.bits & T::kSignBit) | next));
    return moved.isFinite() ? moved : value;
  }
}

template <typename T>
void moveElements(std::span<std::byte> bytes, std::mt19937_64& random) {
  const std::span<T> elements(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T));
  uint64_t bits = 0;
  for (size_t i = 0; i < elements.size(); ++i, bits >>= 2) {
    if (i % 32 == 0) bits = random();
    if ((bits & 2) != 0) elements[i] = nextNumber(elements[i], (bits & 1) != 0);
  }
}

void move(Literal& value, std::mt19937_64& random) {
  if (value.isTuple()) {
    for (Literal& element : value.mutableElements()) move(element, random);
    return;
  }
  if (!value.shape().isArray()) return;
  const ElementType whole = value.shape().elementType();
  const ElementType type = isComplex(whole) ? complexComponent(whole) : whole;
  if (!isFloat(type)) return;
  const auto visit = [&]<typename T>() { moveElements<T>(value.mutableBytes(), random); };
  if (type == ElementType::F64) return visit.operator()<double>();
  if (type == ElementType::F32) return visit.operator()<float>();
  visitNarrowFloat(type, visit);
}

struct Distance {
  double most = 0, squares = 0;
  void take(double by) {
    most = std::max(most, by);
    squares += by * by;
  }
};

// Between finite numbers their distance, else nothing or everything.
double distanceOf(std::complex<double> a, std::complex<double> b) {
  const double by = std::abs(a - b);
  if (std::isfinite(by)) return by;
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return same(a.real(), b.real()) && same(a.imag(), b.imag()) ? 0 : std::numeric_limits<double>::infinity();
}

// One an array, in the order of the tuple.
void distances(const Literal& a, const Literal& b, std::vector<std::pair<double, double>>& mostAndRms) {
  if (a.isTuple()) {
    for (size_t i = 0; i < a.elements().size(); ++i) distances(a.elements()[i], b.elements()[i], mostAndRms);
    return;
  }
  if (!a.shape().isArray()) return;
  constexpr int64_t kBlock = 512;
  const ElementType type = a.shape().elementType();
  const int64_t count = a.shape().elementCount();
  std::array<std::complex<double>, kBlock> left, right;
  Distance distance;
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t block = std::min(kBlock, count - first);
    const int64_t at = first * elementStorageBytes(type);
    convertElements(left.data(), ElementType::C128, a.bytes().data() + at, type, block);
    convertElements(right.data(), ElementType::C128, b.bytes().data() + at, type, block);
    for (size_t i = 0; i < static_cast<size_t>(block); ++i) distance.take(distanceOf(left[i], right[i]));
  }
  mostAndRms.emplace_back(distance.most,
                          std::sqrt(distance.squares / static_cast<double>(std::max<int64_t>(count, 1))));
}

double ratio(double off, double moved) {
  if (off == 0) return 0;
  return moved == 0 || std::isinf(off) ? std::numeric_limits<double>::infinity() : off / moved;
}

Result<Literal> outputOfMoved(RunRequest request, int draw, const JobContext& context) {
  const auto moveAll = [&](std::vector<Literal>& list, uint64_t device) {
    for (size_t i = 0; i < list.size(); ++i)
      list[i] = movedByUnits(list[i], (static_cast<uint64_t>(draw) << 40) ^ (device << 20) ^ i);
  };
  moveAll(request.arguments.given, 0);
  for (size_t d = 0; d < request.arguments.otherGiven.size(); ++d)
    moveAll(request.arguments.otherGiven[d], d + 1);
  request.repeat = 1;
  // Which draw this is has been told; that it is one run of one says nothing.
  TRY(RunRecord run, execute(request, JobContext(context.cancel())));
  return *std::move(run.output);
}

}  // namespace

double LeafCondition::times() const { return std::max(ratio(mostOff, mostMoved), ratio(rmsOff, rmsMoved)); }

std::string conditionText(const Condition& condition) {
  const std::string_view verdict =
      condition.isRounding() ? "differ by rounding" : "differ by more than moving the arguments explains";
  if (std::isinf(condition.times)) {
    return fmt::format(
        "{}: one side alone is not finite, or moving them does not move what differs ({} samples)", verdict,
        condition.draws);
  }
  return fmt::format("{}: {:.3g}x of 1-ULP input sensitivity (limit {:g}x, {} samples)", verdict,
                     condition.times, Condition::kMostTimes, condition.draws);
}

Literal movedByUnits(const Literal& value, uint64_t seed) {
  std::mt19937_64 random(seed);
  Literal moved = value;
  move(moved, random);
  return moved;
}

Result<Condition> measureCondition(const RunRequest& request, const RunComparison& comparison, int draws,
                                   const JobContext& context) {
  if (!comparison.comparable)
    return fail("not-comparable", "the outputs cannot be compared: " + comparison.notComparable);
  Condition condition{.draws = draws, .leaves = std::vector<LeafCondition>(comparison.leaves.size())};
  std::vector<std::pair<double, double>> off;
  distances(*comparison.a.output, *comparison.b.output, off);
  for (size_t i = 0; i < off.size(); ++i)
    std::tie(condition.leaves[i].mostOff, condition.leaves[i].rmsOff) = off[i];
  for (int draw = 0; draw < draws; ++draw) {
    context.progress(
        static_cast<double>(draw) / draws,
        fmt::format("arguments moved by units in the last place, draw {} of {}", draw + 1, draws));
    TRY(const Literal output, outputOfMoved(request, draw, context));
    const auto bounds = [](const Literal& value) {
      return value.shape().withoutLayout().withStaticDimensions();
    };
    if (bounds(output) != bounds(*comparison.a.output))
      return fail("not-comparable", "with its arguments moved the module gives other arrays by outfeed");
    std::vector<std::pair<double, double>> moved;
    distances(*comparison.a.output, output, moved);
    for (size_t i = 0; i < moved.size(); ++i) {
      LeafCondition& leaf = condition.leaves[i];
      leaf.mostMoved = std::max(leaf.mostMoved, moved[i].first);
      leaf.rmsMoved = std::max(leaf.rmsMoved, moved[i].second);
    }
  }
  for (size_t i = 0; i < condition.leaves.size(); ++i) {
    if (comparison.leaves[i].mismatches > 0)
      condition.times = std::max(condition.times, condition.leaves[i].times());
  }
  return condition;
}

}  // namespace hilo
