// select-and-scatter: each window of the operand picks a place, and the source's element is folded into the
// result there. Windows may meet, so one thread takes them one after the other.
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

namespace {

class SelectAndScatterWriter {
 public:
  SelectAndScatterWriter(KernelDraft& draft, const Instruction& instruction)
      : draft_(draft),
        k_(draft.builder()),
        instruction_(instruction),
        operand_(*instruction.operand(0)),
        shape_(operand_.shape()),
        window_(*instruction.get<Attr::Window>()),
        found_(k_.variable(Scalar{k_.b().getFalse()})) {
    for (const WindowDimension& w : window_.dimensions) sizes_.push_back(w.size);
    for (size_t d = 0; d < shape_.rank(); ++d) picked_.push_back(k_.variable(Scalar{k_.int64(0)}));
  }

  void write() {
    const Scalar initial = draft_.elements().at(*instruction_.operand(2), {});
    k_.nest(shape_.dimensions(), [&](llvm::ArrayRef<Value*> place) {
      k_.store(draft_.resultBuffer(0), instruction_.shape(), k_.indexAt(place), initial);
    });
    const Instruction& source = *instruction_.operand(1);
    k_.nest(source.shape().dimensions(), [&](llvm::ArrayRef<Value*> placement) {
      draft_.elements().inFrame([&] {
        k_.set(found_, {k_.b().getFalse()});
        pick(placement);
        k_.branch(k_.get(found_).value, [&] {
          draft_.elements().inFrame([&] { fold(draft_.elements().at(source, k_.indexAt(placement))); });
        });
      });
    });
  }

 private:
  ElementIndex pickedPlace() {
    Dims place;
    for (const auto& at : picked_) place.push_back(k_.get(at).value);
    return k_.indexAt(place);
  }

  // The place that `select` keeps against all others of the window, into picked_.
  void pick(llvm::ArrayRef<Value*> placement) {
    k_.nest(sizes_, [&](llvm::ArrayRef<Value*> inWindow) {
      Value* isReal = k_.b().getTrue();
      Dims place;
      for (size_t d = 0; d < shape_.rank(); ++d) {
        const Windowed at =
            windowed(k_, window_.dimensions[d], shape_.dimension(d), placement[d], inWindow[d]);
        isReal = k_.b().CreateAnd(isReal, at.isReal);
        place.push_back(at.place);
      }
      k_.branch(isReal, [&] {
        draft_.elements().inFrame([&] {
          const auto keep = k_.variable(Scalar{k_.b().getFalse()});
          k_.branch(k_.get(found_).value, [&] {
            draft_.elements().inFrame([&] {
              const Scalar pair[] = {draft_.elements().at(operand_, pickedPlace()),
                                     draft_.elements().at(operand_, k_.indexAt(place))};
              k_.set(keep, draft_.elements().apply(*instruction_.get<Attr::Select>(), pair)[0]);
            });
          });
          k_.branch(k_.b().CreateNot(k_.get(keep).value), [&] {
            k_.set(found_, {k_.b().getTrue()});
            for (size_t d = 0; d < place.size(); ++d) k_.set(picked_[d], {place[d]});
          });
        });
      });
    });
  }

  void fold(Scalar source) {
    const ElementIndex place = pickedPlace();
    const Scalar pair[] = {source, k_.load(draft_.resultBuffer(0), instruction_.shape(), place)};
    k_.store(draft_.resultBuffer(0), instruction_.shape(), place,
             draft_.elements().apply(*instruction_.get<Attr::Scatter>(), pair)[0]);
  }

  KernelDraft& draft_;
  KernelBuilder& k_;
  const Instruction& instruction_;
  const Instruction& operand_;
  Shape shape_;
  const Window& window_;
  std::vector<int64_t> sizes_;
  KernelBuilder::Variable found_;
  std::vector<KernelBuilder::Variable> picked_;
};

}  // namespace

Status lowerSelectAndScatter(const Instruction& instruction, LoweringContext& context) {
  LeafValue result = context.newLeaf(instruction.shape());
  if (instruction.shape().elementCount() > 0) {
    KernelDraft draft(context, instruction, {result});
    SelectAndScatterWriter(draft, instruction).write();
    TRY_STATUS(draft.finish(1, 10 * instruction.shape().elementCount()));
  }
  context.values[&instruction] = {std::move(result)};
  return {};
}

}  // namespace hilo
