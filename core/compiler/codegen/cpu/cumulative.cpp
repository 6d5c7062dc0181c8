#include "core/compiler/codegen/cpu/cumulative.h"

#include "core/compiler/codegen/cpu/walk.h"
#include "core/runtime/program/program.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

namespace {

constexpr int64_t kColumns = 64;  // side by side, on the stack

class Running {
 public:
  Running(KernelBuilder& k, ElementEmitter& elements, const Instruction& instruction, CumulativeWindow window,
          const StoreElements& store)
      : k_(k),
        elements_(elements),
        instruction_(instruction),
        along_(window.dimension),
        isFromEnd_(window.isFromEnd),
        store_(store),
        shape_(arrayLeaves(instruction.shape())[0]),
        isSum_(isFloatSum(instruction)) {}

  int64_t write() {
    const auto dense = static_cast<size_t>(majorToMinor(shape_).back());
    const bool inColumns = dense != along_ && !isComplex(shape_.elementType()) && inputs() == 1;
    std::vector<int64_t> sizes(shape_.dimensions().begin(), shape_.dimensions().end());
    sizes[along_] = 1;
    if (inColumns) sizes[dense] = (sizes[dense] + kColumns - 1) / kColumns;
    const Walk walk = walkOver(Shape::array(shape_.elementType(), sizes, shape_.layout()), false);
    walk.run(k_, [&](ElementIndex index) {
      const Dims place = k_.dimsOf(index);
      inColumns ? writeColumns(place, dense) : writeLine(place);
    });
    return walk.iterations;
  }

 private:
  size_t inputs() const { return instruction_.operandCount() / 2; }
  ElementType typeOf(size_t i) const { return instruction_.operand(i)->shape().elementType(); }

  // Sums of floats run in f64.
  std::vector<Scalar> initial() {
    std::vector<Scalar> values;
    for (size_t i = 0; i < inputs(); ++i)
      values.push_back(elements_.at(*instruction_.operand(inputs() + i), {}));
    if (isSum_) values[0] = {k_.scalars().toDouble(typeOf(0), values[0])};
    return values;
  }
  std::vector<Scalar> next(const std::vector<Scalar>& soFar, const ElementIndex& index) {
    if (isSum_) {
      const Scalar x = elements_.at(*instruction_.operand(0), index);
      return {{k_.b().CreateFAdd(soFar[0].value, k_.scalars().toDouble(typeOf(0), x))}};
    }
    std::vector<Scalar> arguments = soFar;
    for (size_t i = 0; i < inputs(); ++i) arguments.push_back(elements_.at(*instruction_.operand(i), index));
    return elements_.apply(*instruction_.get<Attr::ToApply>(), arguments);
  }
  void store(const ElementIndex& index, const std::vector<Scalar>& soFar) {
    isSum_ ? store_(index, {k_.scalars().fromDouble(typeOf(0), soFar[0].value)}) : store_(index, soFar);
  }

  // body(place along the dimension), in the order of folding.
  void eachPlace(const std::function<void(Value*)>& body) {
    const int64_t length = shape_.dimension(along_);
    k_.loop(k_.int64(0), k_.int64(length), [&](Value* i) {
      elements_.inFrame([&] { body(isFromEnd_ ? k_.b().CreateSub(k_.int64(length - 1), i) : i); });
    });
  }

  void writeLine(Dims place) {
    std::vector<KernelBuilder::Variable> soFar;
    for (const Scalar& value : initial()) soFar.push_back(k_.variable(value));
    eachPlace([&](Value* i) {
      place[along_] = i;
      std::vector<Scalar> values;
      for (const auto& variable : soFar) values.push_back(k_.get(variable));
      values = next(values, k_.indexAt(place));
      for (size_t n = 0; n < soFar.size(); ++n) k_.set(soFar[n], values[n]);
      store(k_.indexAt(place), values);
    });
  }

  void writeColumns(Dims place, size_t dense) {
    auto& b = k_.b();
    Value* first = b.CreateMul(place[dense], k_.int64(kColumns));
    Value* rest = b.CreateSub(k_.int64(shape_.dimension(dense)), first);
    Value* count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, rest, k_.int64(kColumns));
    Value* start = initial()[0].value;
    llvm::Type* type = start->getType();
    Value* room = k_.room(type, kColumns);
    const auto each = [&](const auto& body) {
      k_.lineLoop(k_.int64(0), count, [&](Value* j) {
        elements_.inFrame([&] {
          place[dense] = b.CreateAdd(first, j);
          body(b.CreateInBoundsGEP(type, room, {j}));
        });
      });
    };
    each([&](Value* soFar) { b.CreateStore(start, soFar); });
    eachPlace([&](Value* i) {
      place[along_] = i;
      each([&](Value* soFar) {
        const auto value = next({{b.CreateLoad(type, soFar)}}, k_.indexAt(place));
        b.CreateStore(value[0].value, soFar);
        store(k_.indexAt(place), value);
      });
    });
  }

  KernelBuilder& k_;
  ElementEmitter& elements_;
  const Instruction& instruction_;
  const size_t along_;
  const bool isFromEnd_;
  const StoreElements& store_;
  const Shape shape_;
  const bool isSum_;
};

}  // namespace

int64_t writeCumulative(KernelBuilder& k, ElementEmitter& elements, const Instruction& reduceWindow,
                        CumulativeWindow window, const StoreElements& store) {
  return Running(k, elements, reduceWindow, window, store).write();
}

}  // namespace hilo
