// Batch normalisation: one kernel that takes a feature at a time, all in f64, rounded once.
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo {

using llvm::Value;

namespace {

// What the three operations have in common: the elements of one feature, and numbers of it.
class FeatureWriter {
 public:
  FeatureWriter(KernelDraft& draft, const Instruction& instruction, Value* feature)
      : draft_(draft),
        k_(draft.builder()),
        instruction_(instruction),
        shape_(instruction.operand(0)->shape()),
        featureDim_(static_cast<size_t>(instruction.get<Attr::FeatureIndex>().value_or(0))),
        feature_(feature) {
    for (size_t d = 0; d < shape_.rank(); ++d) {
      if (d != featureDim_) sizes_.push_back(shape_.dimension(d));
    }
  }

  double count() const {
    return static_cast<double>(shape_.elementCount()) / static_cast<double>(shape_.dimension(featureDim_));
  }
  Value* number(double value) { return llvm::ConstantFP::get(k_.b().getDoubleTy(), value); }

  // Runs body at every place of the feature.
  void each(const std::function<void(const ElementIndex&)>& body) {
    k_.nest(sizes_, [&](llvm::ArrayRef<Value*> others) {
      draft_.elements().inFrame([&] {
        llvm::SmallVector<Value*, 6> place(others.begin(), others.end());
        place.insert(place.begin() + static_cast<ptrdiff_t>(featureDim_), feature_);
        body(k_.indexAt(place));
      });
    });
  }
  Value* sum(const std::function<Value*(const ElementIndex&)>& term) {
    const auto total = k_.variable(Scalar{number(0)});
    each([&](const ElementIndex& place) {
      k_.set(total, {k_.b().CreateFAdd(k_.get(total).value, term(place))});
    });
    return k_.get(total).value;
  }
  Value* element(size_t operand, const ElementIndex& place) {
    return wide(*instruction_.operand(operand), place);
  }
  Value* ofFeature(size_t operand) { return wide(*instruction_.operand(operand), k_.indexAt({feature_})); }
  Value* spread(Value* variance) {
    const float epsilon = instruction_.get<Attr::Epsilon>().value_or(0);
    return k_.b().CreateFAdd(variance, number(static_cast<double>(epsilon)));
  }
  Value* root(Value* x) { return k_.b().CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x); }

  void store(size_t result, Shape shape, const ElementIndex& place, Value* value) {
    k_.store(draft_.resultBuffer(result), shape, place,
             k_.scalars().convert(ElementType::F64, shape.elementType(), {value}));
  }
  void storeOfFeature(size_t result, Value* value) {
    store(result, instruction_.shape().tupleShapes()[result], k_.indexAt({feature_}), value);
  }
  // (x - mean) / sqrt(variance + epsilon) * scale + offset
  void storeNormalized(Shape shape, Value* mean, Value* variance) {
    auto& b = k_.b();
    Value *deviation = root(spread(variance)), *scale = ofFeature(1), *offset = ofFeature(2);
    each([&](const ElementIndex& place) {
      Value* centred = b.CreateFDiv(b.CreateFSub(element(0, place), mean), deviation);
      store(0, shape, place, b.CreateFAdd(b.CreateFMul(centred, scale), offset));
    });
  }

  void writeTraining() {
    auto& b = k_.b();
    Value* mean = b.CreateFDiv(sum([&](const ElementIndex& at) { return element(0, at); }), number(count()));
    Value* squares = sum([&](const ElementIndex& at) {
      Value* centred = b.CreateFSub(element(0, at), mean);
      return b.CreateFMul(centred, centred);
    });
    Value* variance = b.CreateFDiv(squares, number(count()));
    storeOfFeature(1, mean);
    storeOfFeature(2, variance);
    storeNormalized(instruction_.shape().tupleShapes()[0], mean, variance);
  }
  void writeGradient() {
    auto& b = k_.b();
    Value *scale = ofFeature(1), *mean = ofFeature(2), *variance = ofFeature(3);
    const auto centred = [&](const ElementIndex& at) { return b.CreateFSub(element(0, at), mean); };
    Value* ofOffset = sum([&](const ElementIndex& at) { return element(4, at); });
    Value* products = sum([&](const ElementIndex& at) { return b.CreateFMul(element(4, at), centred(at)); });
    Value *wider = spread(variance), *deviation = root(wider);
    storeOfFeature(1, b.CreateFDiv(products, deviation));
    storeOfFeature(2, ofOffset);
    Value *meanGradient = b.CreateFDiv(ofOffset, number(count())), *factor = b.CreateFDiv(scale, deviation);
    each([&](const ElementIndex& at) {
      Value* slope = b.CreateFDiv(b.CreateFDiv(b.CreateFMul(centred(at), products), wider), number(count()));
      Value* rest = b.CreateFSub(b.CreateFSub(element(4, at), meanGradient), slope);
      store(0, instruction_.shape().tupleShapes()[0], at, b.CreateFMul(factor, rest));
    });
  }

 private:
  Value* wide(const Instruction& of, const ElementIndex& place) {
    return k_.scalars()
        .convert(of.shape().elementType(), ElementType::F64, draft_.elements().at(of, place))
        .value;
  }

  KernelDraft& draft_;
  KernelBuilder& k_;
  const Instruction& instruction_;
  Shape shape_;
  size_t featureDim_;
  Value* feature_;
  std::vector<int64_t> sizes_;
};

}  // namespace

Status lowerBatchNorm(const Instruction& instruction, LoweringContext& context) {
  const Shape shape = instruction.operand(0)->shape();
  const LeafValues results = context.newLeaves(instruction.shape());
  const int64_t features =
      shape.dimension(static_cast<size_t>(instruction.get<Attr::FeatureIndex>().value_or(0)));
  if (features > 0) {
    KernelDraft draft(context, instruction, results);
    KernelBuilder& k = draft.builder();
    k.loop(k.begin(), k.end(), [&](Value* feature) {
      draft.elements().inFrame([&] {
        FeatureWriter writer(draft, instruction, feature);
        if (instruction.opcode() == Opcode::BatchNormTraining) {
          writer.writeTraining();
        } else if (instruction.opcode() == Opcode::BatchNormGrad) {
          writer.writeGradient();
        } else {
          writer.storeNormalized(instruction.shape(), writer.ofFeature(3), writer.ofFeature(4));
        }
      });
    });
    TRY_STATUS(draft.finish(features, 10 * shape.elementCount()));
  }
  context.values[&instruction] = results;
  return {};
}

}  // namespace hilo
