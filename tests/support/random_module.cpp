#include "tests/support/random_module.h"

#include <numeric>

namespace hilo {
namespace {

class Builder {
 public:
  Builder(Module& module, uint64_t seed) : module_(module), state_(seed * 2 + 1) {}

  void build(int instructions) {
    Computation* helper = makeHelper();
    sum_ = makeSum();
    entry_ = module_.createComputation("main");
    module_.setEntry(entry_);
    values_.push_back(entry_->createParameter(0, Shape::array(ElementType::F32, {2, 3}), "p0"));
    values_.push_back(entry_->createParameter(1, Shape::array(ElementType::F32, {2, 3}), "p1"));
    values_.push_back(entry_->createParameter(2, Shape::array(ElementType::S32, {2, 3}), "p2"));
    values_.push_back(entry_->createParameter(3, Shape::scalar(ElementType::F32), "p3"));
    helper_ = helper;
    for (int i = 0; i < instructions; ++i) addOne();
    std::vector<Instruction*> results;
    std::vector<Shape> shapes;
    for (int i = 0; i < 6; ++i) {
      results.push_back(pick());
      shapes.push_back(results.back()->shape());
    }
    entry_->setRoot(entry_->create(Opcode::Tuple, Shape::tuple(shapes), results, "root"));
  }

 private:
  // splitmix64: the same numbers everywhere, unlike the standard distributions.
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  size_t below(size_t limit) { return next() % limit; }
  Instruction* pick() { return values_[below(values_.size())]; }
  Instruction* pick(ElementType type) {
    for (;;) {
      Instruction* value = pick();
      if (value->shape().elementType() == type) return value;
    }
  }
  // Another value of the same shape, often the same one again.
  Instruction* partner(Instruction* value) {
    if (below(4) == 0) return value;
    for (int tries = 0; tries < 8; ++tries) {
      Instruction* other = pick();
      if (other->shape() == value->shape()) return other;
    }
    return splat(value->shape(), static_cast<double>(below(3)));
  }

  Computation* makeSum() {
    Computation* sum = module_.createComputation("sum");
    const Shape scalar = Shape::scalar(ElementType::F32);
    Instruction* a = sum->createParameter(0, scalar, "sum.a");
    Instruction* b = sum->createParameter(1, scalar, "sum.b");
    sum->setRoot(sum->create(Opcode::Add, scalar, {a, b}, "sum.r"));
    return sum;
  }
  Computation* makeHelper() {
    Computation* helper = module_.createComputation("helper");
    const Shape shape = Shape::array(ElementType::F32, {2, 3});
    Instruction* a = helper->createParameter(0, shape, "helper.a");
    Instruction* n = helper->create(Opcode::Negate, shape, {a}, "helper.n");
    helper->setRoot(helper->create(Opcode::Multiply, shape, {n, a}, "helper.r"));
    return helper;
  }

  Instruction* splat(Shape shape, double number) {
    Literal literal(Shape::scalar(shape.elementType()));
    switch (shape.elementType()) {
      case ElementType::F32:
        literal.mutableData<float>()[0] = static_cast<float>(number);
        break;
      case ElementType::S32:
        literal.mutableData<int32_t>()[0] = static_cast<int32_t>(number);
        break;
      default:
        literal.mutableData<uint8_t>()[0] = number != 0;
        break;
    }
    Instruction* constant = entry_->createConstant(std::move(literal));
    if (shape.rank() == 0) return constant;
    Instruction* broadcast = entry_->create(Opcode::Broadcast, shape, {constant});
    broadcast->set<Attr::Dimensions>(std::span<const int64_t>());
    return broadcast;
  }

  void addOne() {
    using Step = void (Builder::*)();
    static constexpr Step kSteps[] = {
        &Builder::addUnary,   &Builder::addBinary,  &Builder::addBinary,      &Builder::addSplat,
        &Builder::addCompare, &Builder::addSelect,  &Builder::addBroadcast,   &Builder::addTranspose,
        &Builder::addReshape, &Builder::addSlice,   &Builder::addConcatenate, &Builder::addReduce,
        &Builder::addTuple,   &Builder::addCall,    &Builder::addConvert,     &Builder::addReverse,
        &Builder::addPad,     &Builder::addConstant};
    (this->*kSteps[below(std::size(kSteps))])();
  }
  Instruction* add(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands) {
    values_.push_back(entry_->create(opcode, shape, operands));
    return values_.back();
  }

  void addUnary() {
    Instruction* x = pick();
    if (x->shape().elementType() == ElementType::Pred) {
      add(Opcode::Not, x->shape(), {x});
    } else {
      add(below(2) ? Opcode::Negate : Opcode::Abs, x->shape(), {x});
    }
  }
  void addBinary() {
    static constexpr Opcode kFloat[] = {Opcode::Add,     Opcode::Subtract, Opcode::Multiply,
                                        Opcode::Maximum, Opcode::Minimum,  Opcode::Divide};
    static constexpr Opcode kInt[] = {Opcode::Add, Opcode::Subtract, Opcode::Multiply,
                                      Opcode::And, Opcode::Or,       Opcode::Xor};
    static constexpr Opcode kPred[] = {Opcode::And, Opcode::Or, Opcode::Xor};
    Instruction* x = pick();
    Instruction* y = partner(x);
    switch (x->shape().elementType()) {
      case ElementType::F32:
        add(kFloat[below(std::size(kFloat))], x->shape(), {x, y});
        break;
      case ElementType::S32:
        add(kInt[below(std::size(kInt))], x->shape(), {x, y});
        break;
      default:
        add(kPred[below(std::size(kPred))], x->shape(), {x, y});
        break;
    }
  }
  void addSplat() { values_.push_back(splat(pick()->shape(), static_cast<double>(below(3)))); }
  void addConstant() {
    Literal literal(Shape::array(ElementType::F32, {2, 3}));
    for (float& element : literal.mutableData<float>()) element = static_cast<float>(below(7)) - 3;
    values_.push_back(entry_->createConstant(std::move(literal)));
  }
  void addCompare() {
    Instruction* x = pick();
    Instruction* y = partner(x);
    Instruction* compare = add(Opcode::Compare, x->shape().withElementType(ElementType::Pred), {x, y});
    compare->set<Attr::Direction>(static_cast<ComparisonDirection>(below(6)));
  }
  void addSelect() {
    Instruction* x = pick();
    Instruction* y = partner(x);
    Instruction* condition = add(Opcode::Compare, x->shape().withElementType(ElementType::Pred), {x, y});
    condition->set<Attr::Direction>(ComparisonDirection::Lt);
    add(Opcode::Select, x->shape(), {condition, x, y});
  }
  void addBroadcast() {
    Instruction* x = pick();
    if (x->shape().elementCount() > 12 || x->shape().rank() > 3) return;
    std::vector<int64_t> sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
    std::vector<int64_t> dimensions(sizes.size());
    std::iota(dimensions.begin(), dimensions.end(), 0);
    if (below(3) != 0) {
      sizes.insert(sizes.begin(), 2);
      for (int64_t& dimension : dimensions) ++dimension;
    }
    Instruction* made = add(Opcode::Broadcast, Shape::array(x->shape().elementType(), sizes), {x});
    made->set<Attr::Dimensions>(dimensions);
  }
  void addTranspose() {
    Instruction* x = pick();
    std::vector<int64_t> permutation(x->shape().rank());
    std::iota(permutation.begin(), permutation.end(), 0);
    if (below(3) != 0) std::ranges::reverse(permutation);
    std::vector<int64_t> sizes;
    for (int64_t dimension : permutation) sizes.push_back(x->shape().dimension(dimension));
    Instruction* made = add(Opcode::Transpose, Shape::array(x->shape().elementType(), sizes), {x});
    made->set<Attr::Dimensions>(permutation);
  }
  void addReshape() {
    Instruction* x = pick();
    const ElementType type = x->shape().elementType();
    if (x->shape().elementCount() == 6 && below(2)) {
      add(Opcode::Reshape, Shape::array(type, {2, 3}), {x});
    } else {
      add(Opcode::Reshape, Shape::array(type, {x->shape().elementCount()}), {x});
    }
  }
  void addSlice() {
    Instruction* x = pick();
    if (x->shape().rank() == 0) return;
    std::vector<SliceRange> ranges;
    std::vector<int64_t> sizes;
    for (int64_t size : x->shape().dimensions()) {
      const int64_t start = static_cast<int64_t>(below(2)) && size > 1 ? 1 : 0;
      const int64_t stride = 1 + static_cast<int64_t>(below(2));
      ranges.push_back({start, size, stride});
      sizes.push_back((size - start + stride - 1) / stride);
    }
    Instruction* made = add(Opcode::Slice, Shape::array(x->shape().elementType(), sizes), {x});
    made->set<Attr::Slice>(ranges);
  }
  void addConcatenate() {
    Instruction* x = pick();
    if (x->shape().rank() == 0 || x->shape().elementCount() > 12) return;
    Instruction* y = partner(x);
    std::vector<int64_t> sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
    sizes[0] *= 2;
    Instruction* made = add(Opcode::Concatenate, Shape::array(x->shape().elementType(), sizes), {x, y});
    made->set<Attr::Dimensions>(std::vector<int64_t>{0});
  }
  void addReduce() {
    Instruction* x = pick(ElementType::F32);
    if (x->shape().rank() == 0) return;
    Instruction* zero = splat(Shape::scalar(ElementType::F32), 0);
    std::vector<int64_t> sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
    std::vector<int64_t> dimensions;
    if (below(4) != 0) {
      dimensions.push_back(0);
      sizes.erase(sizes.begin());
    }
    Instruction* made = add(Opcode::Reduce, Shape::array(ElementType::F32, sizes), {x, zero});
    made->set<Attr::Dimensions>(dimensions);
    made->set<Attr::ToApply>(sum_);
  }
  void addTuple() {
    Instruction* x = pick();
    Instruction* y = pick();
    const std::vector<Shape> shapes = {x->shape(), y->shape()};
    Instruction* tuple = entry_->create(Opcode::Tuple, Shape::tuple(shapes), {x, y});
    const size_t index = below(2);
    Instruction* element = add(Opcode::GetTupleElement, shapes[index], {tuple});
    element->set<Attr::Index>(static_cast<int64_t>(index));
  }
  void addCall() {
    Instruction* x = partner(values_[0]);
    add(Opcode::Call, x->shape(), {x})->set<Attr::ToApply>(helper_);
  }
  void addConvert() {
    Instruction* x = pick();
    if (x->shape().elementType() == ElementType::F32) return;  // NaN to integer is no fair question
    Instruction* wide = entry_->create(Opcode::Convert, x->shape().withElementType(ElementType::S64), {x});
    if (x->shape().elementType() == ElementType::S32) {
      add(Opcode::Convert, x->shape(), {wide});
    } else {
      add(Opcode::Convert, x->shape().withElementType(ElementType::S32), {wide});
    }
  }
  void addReverse() {
    Instruction* x = pick();
    if (x->shape().rank() == 0) return;
    add(Opcode::Reverse, x->shape(), {x})->set<Attr::Dimensions>(std::vector<int64_t>{0});
  }
  void addPad() {
    Instruction* x = pick();
    if (x->shape().rank() == 0 || x->shape().elementCount() > 12) return;
    Instruction* value = splat(Shape::scalar(x->shape().elementType()), 1);
    std::vector<PaddingDimension> padding(x->shape().rank());
    std::vector<int64_t> sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
    if (below(2)) {
      padding[0].low = 1;
      sizes[0] += 1;
    }
    add(Opcode::Pad, Shape::array(x->shape().elementType(), sizes), {x, value})->set<Attr::Padding>(padding);
  }

  Module& module_;
  uint64_t state_;
  Computation* entry_ = nullptr;
  Computation* sum_ = nullptr;
  Computation* helper_ = nullptr;
  std::vector<Instruction*> values_;
};

}  // namespace

std::unique_ptr<Module> makeRandomModule(const RandomModuleOptions& options) {
  auto module = std::make_unique<Module>("random");
  Builder(*module, options.seed).build(options.instructions);
  return module;
}

}  // namespace hilo
