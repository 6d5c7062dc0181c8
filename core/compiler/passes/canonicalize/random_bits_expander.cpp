#include "core/compiler/passes/canonicalize/random_bits_expander.h"

#include <array>

#include "core/compiler/passes/canonicalize/expand_instructions.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/expand/expansion.h"
#include "core/hlo/ir/random_bits.h"

namespace hilo {
namespace {

using library::Expansion;
constexpr uint32_t kFactors[2] = {0xd2511f53, 0xcd9e8d57}, kKeySteps[2] = {0x9e3779b9, 0xbb67ae85};

bool isRandomBits(const Instruction& i) { return i.opcode() == Opcode::RngBitGenerator; }

std::optional<Diagnostic> refusal(const Instruction& i) {
  const auto no = [](std::string why) {
    return Diagnostic{.severity = Severity::kNote, .kind = "unsupported", .message = std::move(why)};
  };
  if (i.get<Attr::RandomAlgorithmKind>() == RandomAlgorithm::ThreeFry)
    return no("Threefry is not written out");
  const Shape state = i.operand(0)->shape(), made = randomBitsShape(i);
  if (!i.shape().isTuple() || !isPlainArray(made) || made.elementCount() == 0)
    return no("only a state and an array are written out");
  if (elementBits(made.elementType()) < 8 || isComplex(made.elementType()) ||
      made.elementType() == ElementType::Pred)
    return no("elements of this type are not written out");
  if (state.elementType() != ElementType::U64 || state.rank() != 1 || state.dimension(0) < 2 ||
      state.dimension(0) > 3)
    return no("the state is of another size than Philox's");
  return std::nullopt;
}

// Philox of vectors of counters.
class Philox {
 public:
  Philox(const Expansion& call, int64_t blocks)
      : call_(call),
        long_(Shape::array(ElementType::U64, {blocks})),
        word_(Shape::array(ElementType::U32, {blocks})) {}

  // Words of the blocks, from counters and the key.
  std::array<Instruction*, 4> words(Instruction* low, Instruction* high, Instruction* key) const {
    std::array<Instruction*, 4> at = {lowWord(low), highWord(low), lowWord(high), highWord(high)};
    std::array<Instruction*, 2> keys = {lowWord(key), highWord(key)};
    for (int round = 0; round < 10; ++round) {
      Instruction *a = product(at[0], kFactors[0]), *b = product(at[2], kFactors[1]);
      at = {mixed(highWord(b), at[1], keys[0]), lowWord(b), mixed(highWord(a), at[3], keys[1]), lowWord(a)};
      for (size_t k = 0; k < 2; ++k)
        keys[k] = call_.binary(Opcode::Add, keys[k], call_.splat(word_, kKeySteps[k]));
    }
    return at;
  }
  Instruction* lowWord(Instruction* value) const { return call_.add(Opcode::Convert, word_, {value}); }
  Instruction* highWord(Instruction* value) const {
    return lowWord(call_.binary(Opcode::ShiftRightLogical, value, call_.splat(long_, 32)));
  }
  // Two words as one number.
  Instruction* joined(Instruction* low, Instruction* high) const {
    Instruction* upper =
        call_.binary(Opcode::ShiftLeft, call_.add(Opcode::Convert, long_, {high}), call_.splat(long_, 32));
    return call_.binary(Opcode::Or, call_.add(Opcode::Convert, long_, {low}), upper);
  }

 private:
  Instruction* product(Instruction* word, uint32_t factor) const {
    return call_.binary(Opcode::Multiply, call_.add(Opcode::Convert, long_, {word}),
                        call_.splat(long_, factor));
  }
  Instruction* mixed(Instruction* a, Instruction* b, Instruction* c) const {
    return call_.binary(Opcode::Xor, call_.binary(Opcode::Xor, a, b), c);
  }

  const Expansion& call_;
  Shape long_, word_;
};

// The state's words; in the short form the key is the upper half of the counter too.
struct State {
  Instruction *key, *low, *high;
};

State stateOf(Instruction& generator) {
  Instruction* state = generator.operand(0);
  const int64_t size = state->shape().dimension(0);
  Instruction* key = elementOf(state, 0, generator);
  return {key, elementOf(state, 1, generator), size == 3 ? elementOf(state, 2, generator) : key};
}

// The sum of a 128-bit counter and a vector or scalar of 64 bits, as its halves.
std::pair<Instruction*, Instruction*> advanced(const Expansion& call, Instruction* low, Instruction* high,
                                               Instruction* by) {
  Instruction* sum = call.binary(Opcode::Add, low, by);
  Instruction* wraps = call.add(Opcode::Compare, sum->shape().withElementType(ElementType::Pred), {sum, by});
  wraps->set<Attr::Direction>(ComparisonDirection::Lt);
  return {sum, call.binary(Opcode::Add, high, call.add(Opcode::Convert, sum->shape(), {wraps}))};
}

Instruction* nextState(const Expansion& call, const State& state, int64_t blocks, Shape shape) {
  const Shape scalar = Shape::scalar(ElementType::U64), one = Shape::array(ElementType::U64, {1});
  const auto [low, high] =
      advanced(call, state.low, state.high, call.splat(scalar, static_cast<double>(blocks)));
  std::vector<Instruction*> words;
  for (Instruction* word : {state.key, low, high}) {
    if (static_cast<int64_t>(words.size()) < shape.dimension(0))
      words.push_back(call.add(Opcode::Reshape, one, {word}));
  }
  Instruction* next = call.add(Opcode::Concatenate, shape, words);
  next->set<Attr::Dimensions>(std::array<int64_t, 1>{0});
  return next;
}

// Vectors side by side, [n] each, as one of all in the order of rows.
Instruction* interleaved(const Expansion& call, const std::vector<Instruction*>& vectors) {
  const Shape shape = vectors[0]->shape();
  const int64_t rows = shape.dimension(0), columns = static_cast<int64_t>(vectors.size());
  std::vector<Instruction*> tall;
  for (Instruction* vector : vectors)
    tall.push_back(call.add(Opcode::Reshape, Shape::array(shape.elementType(), {rows, 1}), {vector}));
  Instruction* wide = call.add(Opcode::Concatenate, Shape::array(shape.elementType(), {rows, columns}), tall);
  wide->set<Attr::Dimensions>(std::array<int64_t, 1>{1});
  return call.add(Opcode::Reshape, Shape::array(shape.elementType(), {rows * columns}), {wide});
}

ElementType unsignedOf(int bits) {
  switch (bits) {
    case 8:
      return ElementType::U8;
    case 16:
      return ElementType::U16;
    case 32:
      return ElementType::U32;
    default:
      return ElementType::U64;
  }
}

Result<Instruction*> expand(Instruction& generator) {
  const Expansion call(generator);
  const Shape made = randomBitsShape(generator), stateShape = generator.shape().tupleShapes()[0];
  const int bits = elementBits(made.elementType());
  const int64_t count = made.elementCount(), aBlock = bits == 64 ? 2 : 4,
                blocks = (count + aBlock - 1) / aBlock;
  const State state = stateOf(generator);
  const Shape counters = Shape::array(ElementType::U64, {blocks});
  Instruction* places = call.add(Opcode::Iota, counters, {});
  places->set<Attr::IotaDimension>(0);
  const auto wide = [&](Instruction* scalar) { return call.broadcastScalar(scalar, counters); };
  const auto [low, high] = advanced(call, wide(state.low), wide(state.high), places);
  const Philox philox(call, blocks);
  const auto words = philox.words(low, high, wide(state.key));
  std::vector<Instruction*> vectors(words.begin(), words.end());
  if (bits == 64) vectors = {philox.joined(words[0], words[1]), philox.joined(words[2], words[3])};
  Instruction* all = cutTo(interleaved(call, vectors), std::array{count}, generator);
  all = call.convert(all, unsignedOf(bits));
  all = call.add(Opcode::Reshape, made.withElementType(unsignedOf(bits)), {all});
  if (all->shape() != made) all = call.add(Opcode::BitcastConvert, made, {all});
  Instruction* next = nextState(call, state, blocks, stateShape);
  return call.add(Opcode::Tuple, generator.shape(), {next, all});
}

}  // namespace

Result<bool> expandRandomBits(Module& module, PassContext& context) {
  return expandInstructions(module,
                            {.applies = isRandomBits,
                             .refusal = refusal,
                             .expand = expand,
                             .what = [](const Instruction&) { return std::string_view("Philox"); }},
                            context);
}

}  // namespace hilo
