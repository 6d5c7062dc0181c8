#include "core/compiler/codegen/emit/minor_fold.h"

namespace hilo {

using llvm::Value;

namespace {

constexpr int64_t kPageBytes = 4096;

bool isNarrowFloat(ElementType type) { return isFloat(type) && elementBits(type) < 32; }

}  // namespace

bool MinorFold::canFold(Opcode opcode, ElementType type) {
  if (isComplex(type) || type == ElementType::Pred || (isIntegral(type) && elementBits(type) < 8))
    return false;
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Maximum:
    case Opcode::Minimum:
      return isFloat(type) || isIntegral(type);
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return isIntegral(type);
    default:
      return false;
  }
}

MinorFold::MinorFold(KernelBuilder& kernel, Opcode opcode, ElementType type, Scalar start)
    : k_(kernel),
      b_(kernel.b()),
      opcode_(opcode),
      type_(isNarrowFloat(type) ? ElementType::F32 : type),
      resultType_(type),
      start_(start),
      isFloatSum_(opcode == Opcode::Add && isFloat(type)),
      isSumInPairs_(isFloatSum_ && type_ == ElementType::F32),
      isFloatExtreme_(!isFloatSum_ && isFloat(type)),
      element_(kernel.scalars().valueType(type_)),
      lanes_(kernel.target().vectorBytes * 8 / element_->getScalarSizeInBits()) {
  // What may be folded in twice without harm starts every part.
  const bool startsWithZero = opcode == Opcode::Add || opcode == Opcode::Xor;
  neutral_ = startsWithZero ? llvm::Constant::getNullValue(element_) : start.value;
  Value* first = isFloatSum_ ? llvm::ConstantFP::get(b_.getDoubleTy(), 0.0) : neutral_;
  const unsigned partLanes = kernel.target().vectorBytes * 8 / first->getType()->getScalarSizeInBits();
  for (int i = 0; i < (isSumInPairs_ ? 2 : 4); ++i)
    parts_.push_back(k_.variable({b_.CreateVectorSplat(partLanes, first)}));
  if (isFloatExtreme_) nans_ = k_.variable({b_.getIntN(lanes_, 0)});
}

MinorFold::Vectors MinorFold::load(Value* line, int64_t length) {
  auto* type = llvm::FixedVectorType::get(element_, lanes_);
  const llvm::Align alignment(element_->getScalarSizeInBits() / 8);
  const auto lanes = static_cast<int64_t>(lanes_);
  Vectors vectors;
  for (int64_t at = 0; at < length; at += lanes) {
    Value* place = b_.CreateInBoundsGEP(element_, line, {k_.int64(at)});
    if (at + lanes <= length) {
      vectors.push_back(b_.CreateAlignedLoad(type, place, alignment));
      continue;
    }
    llvm::SmallVector<llvm::Constant*, 64> isThere;
    for (int64_t lane = 0; lane < lanes; ++lane) isThere.push_back(b_.getInt1(at + lane < length));
    vectors.push_back(b_.CreateMaskedLoad(type, place, alignment, llvm::ConstantVector::get(isThere),
                                          b_.CreateVectorSplat(lanes_, neutral_)));
  }
  return vectors;
}

// A long line is read at two places at once: the processor fetches ahead at each of them, but only to the end
// of a page. Of more it loses track where caches are quick.
void MinorFold::add(Value* line, int64_t length) {
  constexpr int64_t kLongBytes = 16 * kPageBytes, kPlaces = 2;
  const int64_t bytes = static_cast<int64_t>(element_->getScalarSizeInBits()) / 8 * length;
  if (bytes < kLongBytes) return addTogether({this}, {line}, length);
  const int64_t part = length / kPlaces;
  const auto at = [&](int64_t i) { return b_.CreateInBoundsGEP(element_, line, {k_.int64(i * part)}); };
  addTogether({this, this}, {line, at(1)}, part);
  if (length % kPlaces != 0) addTogether({this}, {at(kPlaces)}, length % kPlaces);
}

void MinorFold::addTogether(llvm::ArrayRef<MinorFold*> folds, llvm::ArrayRef<Value*> lines, int64_t length) {
  const MinorFold& first = *folds[0];
  KernelBuilder& k = first.k_;
  const int64_t chunk = first.chunk(), chunks = length / chunk;
  const auto addChunk = [&](Value* i, int64_t count) {
    Value* place = k.b().CreateMul(i, k.int64(chunk), "", true, true);
    for (size_t n = 0; n < folds.size(); ++n)
      folds[n]->fold(folds[n]->load(k.b().CreateInBoundsGEP(first.element_, lines[n], {place}), count));
  };
  if (chunks > 0) k.lineLoop(k.int64(0), k.int64(chunks), [&](Value* i) { addChunk(i, chunk); });
  if (length % chunk != 0) addChunk(k.int64(chunks), length % chunk);
}

void MinorFold::fold(Vectors vectors) {
  if (!isSumInPairs_) {
    if (isFloatExtreme_) noteNans(vectors);
    for (size_t i = 0; i < vectors.size(); ++i) foldInto(i, vectors[i]);
    return;
  }
  Value* sum = k_.addInPairs(vectors);
  auto* wide = llvm::FixedVectorType::get(b_.getDoubleTy(), lanes_ / 2);
  for (const bool upper : {false, true}) foldInto(upper ? 1 : 0, b_.CreateFPExt(half(sum, upper), wide));
}

// Two vectors a comparison. What came of it goes to a register of its own at once: processors have few of
// those that comparisons write, and read memory no further ahead than they have them.
void MinorFold::noteNans(const Vectors& vectors) {
  Value* nans = k_.get(nans_).value;
  for (size_t i = 0; i < vectors.size(); i += 2)
    nans = b_.CreateOr(
        nans, b_.CreateBitCast(b_.CreateFCmpUNO(vectors[i], vectors[std::min(i + 1, vectors.size() - 1)]),
                               b_.getIntNTy(lanes_)));
  k_.set(nans_, {nans});
}

void MinorFold::foldInto(size_t part, Value* vector) {
  k_.set(parts_[part], {combine(k_.get(parts_[part]).value, vector)});
}

Value* MinorFold::combine(Value* a, Value* b) {
  if (isFloatExtreme_)
    return b_.CreateSelect(opcode_ == Opcode::Maximum ? b_.CreateFCmpOLT(a, b) : b_.CreateFCmpOGT(a, b), b,
                           a);
  return isFloatSum_ ? b_.CreateFAdd(a, b) : k_.scalars().binary(opcode_, type_, {a}, {b}).value;
}

Value* MinorFold::half(Value* vector, bool upper) {
  const auto count = static_cast<int>(llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements());
  llvm::SmallVector<int, 32> lanes;
  for (int lane = 0; lane < count / 2; ++lane) lanes.push_back(upper ? count / 2 + lane : lane);
  return b_.CreateShuffleVector(vector, lanes);
}

Scalar MinorFold::folded() {
  Value* all = k_.get(parts_[0]).value;
  for (size_t i = 1; i < parts_.size(); ++i) all = combine(all, k_.get(parts_[i]).value);
  while (llvm::cast<llvm::FixedVectorType>(all->getType())->getNumElements() > 1)
    all = combine(half(all, false), half(all, true));
  Value* one = b_.CreateExtractElement(all, uint64_t{0});
  if (!isFloatExtreme_) return {one};
  Value* isNan = b_.CreateIsNotNull(k_.get(nans_).value);
  return {b_.CreateSelect(isNan, llvm::ConstantFP::getQNaN(element_), one)};
}

Scalar MinorFold::result() {
  const Scalar all = folded();
  ScalarEmitter& s = k_.scalars();
  if (isFloatSum_)
    return s.fromDouble(resultType_, b_.CreateFAdd(s.toDouble(resultType_, start_), all.value));
  return opcode_ == Opcode::Add || opcode_ == Opcode::Xor ? s.binary(opcode_, type_, start_, all) : all;
}

}  // namespace hilo
