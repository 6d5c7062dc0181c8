// Random numbers. rng-bit-generator gives exactly the bits of XLA's expansion (hlo/builder/lib/prng.cc);
// `rng` has no bits that XLA promises, so it gives reproducible ones: Philox with key 0, counted by the state
// that rng-get-and-update-state shows, 64 bits an element. Compiled programs draw the same.
#include <bit>
#include <cmath>
#include <cstring>

#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"
#include "core/hlo/ir/random_bits.h"

namespace hilo::eval {
namespace {

using Words2 = std::array<uint32_t, 2>;
using Words4 = std::array<uint32_t, 4>;

Words2 wordsOf(uint64_t value) { return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)}; }

// Threefry-2x32 with 20 rounds (Salmon et al., Parallel random numbers: as easy as 1, 2, 3; SC 2011).
Words2 threeFry(Words2 counter, Words2 key) {
  constexpr std::array<std::array<int, 4>, 2> kRotations = {{{13, 15, 26, 6}, {17, 29, 16, 24}}};
  const std::array<uint32_t, 3> schedule = {key[0], key[1], key[0] ^ key[1] ^ 0x1bd11bdau};
  Words2 x = {counter[0] + schedule[0], counter[1] + schedule[1]};
  for (uint32_t block = 0; block < 5; ++block) {
    for (const int rotation : kRotations[block % 2]) {
      x[0] += x[1];
      x[1] = std::rotl(x[1], rotation) ^ x[0];
    }
    x[0] += schedule[(block + 1) % 3];
    x[1] += schedule[(block + 2) % 3] + block + 1;
  }
  return x;
}

// Philox-4x32 with 10 rounds (same paper).
Words4 philox(Words4 counter, Words2 key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{counter[0]} * 0xd2511f53u, b = uint64_t{counter[2]} * 0xcd9e8d57u;
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key = {key[0] + 0x9e3779b9u, key[1] + 0xbb67ae85u};
  }
  return counter;
}

struct Bits {
  std::vector<uint64_t> values;  // one an element, in its low bits
  std::vector<uint64_t> state;   // after the key
};

// 64-bit elements take one counter each. Narrower ones come in pairs: the first words of all counters fill
// one half of a dimension (the first of even size, else the largest), the second words the other,
// interleaved; an odd dimension drops the last.
Bits threeFryBits(uint64_t key, uint64_t state, std::span<const int64_t> sizes, int bits) {
  Bits out;
  const int64_t count = productOf(sizes);
  out.values.resize(static_cast<size_t>(count));
  if (bits == 64) {
    for (int64_t i = 0; i < count; ++i) {
      // Counters run in row-major order.
      const Words2 words = threeFry(wordsOf(state + static_cast<uint64_t>(i)), wordsOf(key));
      out.values[i] = words[0] | uint64_t{words[1]} << 32;
    }
    out.state = {state + static_cast<uint64_t>(count)};
    return out;
  }
  if (sizes.empty()) {
    out.values[0] = threeFry(wordsOf(state), wordsOf(key))[0];
    out.state = {state + 1};
    return out;
  }
  size_t split = 0;
  const auto even = std::ranges::find_if(sizes, [](int64_t size) { return size % 2 == 0; });
  split = static_cast<size_t>((even != sizes.end() ? even : std::ranges::max_element(sizes)) - sizes.begin());
  DimVector half(sizes.begin(), sizes.end());
  half[split] = (half[split] + 1) / 2;
  const DimVector strides = rowMajorStrides(sizes);
  DimVector targets = strides;
  targets[split] *= 2;
  uint64_t counter = state;
  for (StridedCounter<1> at(half, {targets}); !at.done(); at.next(), ++counter) {
    const Words2 words = threeFry(wordsOf(counter), wordsOf(key));
    out.values[at.offset(0)] = words[0];
    if (2 * at.index(split) + 1 < sizes[split]) out.values[at.offset(0) + strides[split]] = words[1];
  }
  out.state = {state + static_cast<uint64_t>(productOf(half))};
  return out;
}

Bits philoxBits(uint64_t key, unsigned __int128 state, int64_t count, int bits) {
  Bits out;
  out.values.resize(static_cast<size_t>(count));
  const int64_t aBlock = bits == 64 ? 2 : 4, blocks = (count + aBlock - 1) / aBlock;
  for (int64_t block = 0; block < blocks; ++block) {
    const unsigned __int128 counter = state + static_cast<unsigned __int128>(block);
    const Words2 low = wordsOf(static_cast<uint64_t>(counter)),
                 high = wordsOf(static_cast<uint64_t>(counter >> 64));
    const Words4 words = philox({low[0], low[1], high[0], high[1]}, wordsOf(key));
    for (int64_t k = 0; k < aBlock && block * aBlock + k < count; ++k) {
      out.values[block * aBlock + k] =
          bits == 64 ? words[2 * k] | uint64_t{words[2 * k + 1]} << 32 : words[k];
    }
  }
  const unsigned __int128 next = state + static_cast<unsigned __int128>(blocks);
  out.state = {static_cast<uint64_t>(next), static_cast<uint64_t>(next >> 64)};
  return out;
}

// An element from each 64 random bits.
template <typename Generator>
Result<Literal> filled(const Instruction& instruction, EvalContext& context, ElementType wide,
                       Generator generate) {
  TRY(Literal result, context.make(instruction.shape()));
  const int64_t count = instruction.shape().elementCount();
  const Bits words = philoxBits(0, context.takeRandomState((count + 1) / 2), count, 64);
  std::vector<decltype(generate(uint64_t{}))> values;
  for (const uint64_t word : words.values) values.push_back(generate(word));
  convertElements(result.mutableBytes().data(), instruction.shape().elementType(), values.data(), wide,
                  count);
  return result;
}

double scalarAsDouble(const Literal& literal) { return elementsAs<double>(literal, ElementType::F64)[0]; }

}  // namespace

// rng_default is Philox, as on XLA's CPU and GPU. The state is u64[2] (key, counter), or u64[3] for
// Philox's 128-bit one.
Result<Literal> rngBitGenerator(const Instruction& instruction, std::span<Literal> operands,
                                EvalContext& context) {
  const Shape state = operands[0].shape();
  const Shape shape = randomBitsShape(instruction);
  EVAL_REQUIRE(shape.isArray(), "must give a state and an array, or the array alone");
  const int bits = elementBits(shape.elementType());
  if (isComplex(shape.elementType()) || shape.elementType() == ElementType::Pred)
    return unsupportedType(instruction, shape.elementType());
  EVAL_REQUIRE(state.isArray() && state.elementType() == ElementType::U64 && state.rank() == 1,
               "the state must be a vector of u64");
  EVAL_REQUIRE(shape.elementCount() <= context.options().maxLiveBytes / 16, "the result is too large");
  const auto words = operands[0].data<uint64_t>();
  const bool isThreeFry = instruction.get<Attr::RandomAlgorithmKind>() == RandomAlgorithm::ThreeFry;
  EVAL_REQUIRE(words.size() == 2 || (words.size() == 3 && !isThreeFry),
               "the state has another size than the algorithm's");
  Bits made;
  if (isThreeFry) {
    made = threeFryBits(words[0], words[1], shape.dimensions(), bits);
  } else {
    // In the short form the key stands for the upper half of the counter too.
    const uint64_t low = words[1], high = words.size() == 3 ? words[2] : words[0];
    made = philoxBits(words[0], static_cast<unsigned __int128>(high) << 64 | low, shape.elementCount(), bits);
    if (words.size() == 2) made.state.resize(1);
  }
  std::vector<Literal> both(2);
  const auto give = [&] {
    return instruction.shape().isTuple() ? Literal::tuple(std::move(both)) : std::move(both[1]);
  };
  TRY(both[0], context.make(state));
  TRY(both[1], context.make(shape));
  const auto newState = both[0].mutableData<uint64_t>();
  newState[0] = words[0];
  std::ranges::copy(made.state, newState.begin() + 1);
  // Bits, not numbers: a float result has them as its own.
  auto out = both[1].mutableBytes();
  const int bytes = storageBytes(shape);
  if (bits < 8) {
    const ElementType type = isSigned(shape.elementType()) || isUnsigned(shape.elementType())
                                 ? shape.elementType()
                                 : ElementType::U8;
    convertElements(out.data(), type, made.values.data(), ElementType::U64, shape.elementCount());
    if (type == ElementType::U8) {
      for (std::byte& byte : out) byte &= std::byte((1 << bits) - 1);
    }
    return give();
  }
  for (size_t i = 0; i < made.values.size(); ++i)
    std::memcpy(out.data() + i * bytes, &made.values[i], static_cast<size_t>(bytes));
  return give();
}

Result<Literal> rng(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  EVAL_REQUIRE(operands.size() == 2 && operands[0].shape().isScalar() && operands[1].shape().isScalar() &&
                   instruction.shape().isArray(),
               "needs two scalars");
  const ElementType type = instruction.shape().elementType();
  EVAL_REQUIRE(operands[0].shape().elementType() == type && operands[1].shape().elementType() == type,
               "operand and result types differ");
  EVAL_REQUIRE(instruction.shape().elementCount() <= context.options().maxLiveBytes / 16,
               "the result is too large");
  const auto distribution = instruction.get<Attr::Distribution>();
  if (isFloat(type)) {
    const double a = scalarAsDouble(operands[0]), b = scalarAsDouble(operands[1]);
    if (distribution == RandomDistribution::Normal) {
      // Box and Muller: a radius from the upper half, an angle from the lower.
      return filled(instruction, context, ElementType::F64, [&](uint64_t word) {
        const double radius = (static_cast<double>(word >> 32) + 0.5) * 0x1p-32;
        const double turn = static_cast<double>(word & 0xffffffff) * (0x1.921fb54442d18p+2 * 0x1p-32);
        return a + b * (std::sqrt(-2 * std::log(radius)) * std::cos(turn));
      });
    }
    EVAL_REQUIRE(distribution == RandomDistribution::Uniform, "has no distribution");
    // The top 24 bits: rounding a finer fraction to f32 could give the excluded upper bound. Coarser types
    // still may, and then take the lower one.
    return filled(instruction, context, ElementType::F64, [&](uint64_t word) {
      const double fraction = type == ElementType::F64 ? static_cast<double>(word >> 11) * 0x1p-53
                                                       : static_cast<double>(word >> 40) * 0x1p-24;
      const double value = a + (b - a) * fraction;
      double stored = value;
      alignas(8) std::byte element[8];
      convertElements(element, type, &value, ElementType::F64, 1);
      convertElements(&stored, ElementType::F64, element, type, 1);
      return stored < b ? value : a;
    });
  }
  if (!isIntegral(type) && type != ElementType::Pred) return unsupportedType(instruction, type);
  EVAL_REQUIRE(distribution == RandomDistribution::Uniform, "integers are uniform only");
  const int64_t low = integerAt(operands[0], 0), high = integerAt(operands[1], 0);
  EVAL_REQUIRE(low < high, "the interval is empty");
  const auto range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return filled(instruction, context, ElementType::S64, [&](uint64_t word) {
    return static_cast<int64_t>(static_cast<uint64_t>(low) + word % range);
  });
}

// Gives the state (low word first) and adds delta to it.
Result<Literal> rngGetAndUpdateState(const Instruction& instruction, std::span<Literal>,
                                     EvalContext& context) {
  const Shape shape = instruction.shape();
  EVAL_REQUIRE(shape.isArray() && shape.elementType() == ElementType::U64 && shape.elementCount() == 2,
               "must give u64[2]");
  const unsigned __int128 state = context.takeRandomState(instruction.get<Attr::Delta>().value_or(0));
  TRY(Literal result, context.make(shape));
  result.mutableData<uint64_t>()[0] = static_cast<uint64_t>(state);
  result.mutableData<uint64_t>()[1] = static_cast<uint64_t>(state >> 64);
  return result;
}

}  // namespace hilo::eval
