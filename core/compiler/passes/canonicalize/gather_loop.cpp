#include "core/compiler/passes/canonicalize/gather_loop.h"

#include <algorithm>
#include <numeric>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/loops/loop_writer.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

int64_t placeIn(std::span<const int64_t> list, int64_t value) {
  const auto found = std::ranges::find(list, value);
  return found == list.end() ? -1 : found - list.begin();
}

// The sizes and dimensions of a gather, as the loop needs them.
struct Windows {
  explicit Windows(const Instruction& gather) : gather(gather) {
    const Shape indices = gather.operand(1)->shape();
    const auto rank = static_cast<int64_t>(indices.rank());
    vectorDim = gather.get<Attr::IndexVectorDim>().value_or(rank);
    for (int64_t d = 0; d < rank; ++d) {
      if (d != vectorDim) batch.push_back(indices.dimension(static_cast<size_t>(d)));
    }
    components = vectorDim < rank ? indices.dimension(static_cast<size_t>(vectorDim)) : 0;
    count = std::accumulate(batch.begin(), batch.end(), int64_t{1}, std::multiplies<>());
    const auto sizes = gather.get<Attr::SliceSizes>();
    for (size_t d = 0; d < sizes.size(); ++d) {
      const auto dim = static_cast<int64_t>(d);
      const bool isDropped = placeIn(gather.get<Attr::CollapsedSliceDims>(), dim) >= 0 ||
                             placeIn(gather.get<Attr::OperandBatchingDims>(), dim) >= 0;
      if (!isDropped) kept.push_back(sizes[d]);
    }
  }

  const Instruction& gather;
  int64_t vectorDim = 0, components = 0, count = 0;  // no components: each index is a scalar
  std::vector<int64_t> batch;                        // sizes of the indices' other dimensions
  std::vector<int64_t> kept;                         // sizes of a window, without the dimensions that go
};

// [count] of scalars or [count, components].
Instruction* listOfVectors(const Windows& windows, Instruction& gather) {
  Instruction* indices = gather.operand(1);
  std::vector<int64_t> order;
  for (int64_t d = 0; d < static_cast<int64_t>(indices->shape().rank()); ++d) {
    if (d != windows.vectorDim) order.push_back(d);
  }
  if (windows.components > 0) order.push_back(windows.vectorDim);
  std::vector<int64_t> sizes = {windows.count};
  if (windows.components > 0) sizes.push_back(windows.components);
  return reshapeTo(transposeBy(indices, order, gather), sizes, gather);
}

// One iteration.
class OneWindow {
 public:
  OneWindow(const Windows& of, Computation& body, Shape state) : of_(of), write_(body) {
    Instruction* carried = body.createParameter(0, state);
    for (int64_t k = 0; k < 4; ++k) values_.push_back(write_.element(carried, k));
  }

  Instruction* next() const {
    const auto sizes = of_.gather.get<Attr::SliceSizes>();
    Instruction* window = write_.slice(values_[1], starts(), sizes);
    std::vector<int64_t> row = {1};
    row.insert(row.end(), of_.kept.begin(), of_.kept.end());
    std::vector<Instruction*> place(row.size(), write_.number(0));
    place[0] = values_[0];
    return write_.tuple(
        std::vector<Instruction*>{write_.make(Opcode::Add, values_[0], write_.number(1)), values_[1],
                                  values_[2], write_.update(values_[3], write_.reshape(window, row), place)});
  }

 private:
  Instruction* component(int64_t k) const {
    std::vector<Instruction*> place = {values_[0]};
    if (of_.components > 0) place.push_back(write_.number(k));
    Instruction* one = write_.slice(values_[2], place, std::vector<int64_t>(place.size(), 1));
    return write_.convertToNumber(write_.reshape(one, {}));
  }

  // Where this window is along a dimension of the indices, which are gone through in row-major order.
  Instruction* placeAlong(int64_t dimension) const {
    const int64_t at = dimension > of_.vectorDim ? dimension - 1 : dimension;
    Instruction* rest = values_[0];
    for (auto d = static_cast<int64_t>(of_.batch.size()) - 1; d > at; --d)
      rest = write_.make(Opcode::Divide, rest, write_.number(of_.batch[static_cast<size_t>(d)]));
    return write_.make(Opcode::Remainder, rest, write_.number(of_.batch[static_cast<size_t>(at)]));
  }

  std::vector<Instruction*> starts() const {
    std::vector<Instruction*> starts;
    for (int64_t d = 0; d < static_cast<int64_t>(of_.gather.operand(0)->shape().rank()); ++d) {
      const int64_t k = placeIn(of_.gather.get<Attr::StartIndexMap>(), d),
                    batching = placeIn(of_.gather.get<Attr::OperandBatchingDims>(), d);
      if (k >= 0) {
        starts.push_back(component(k));
      } else if (batching >= 0) {
        starts.push_back(
            placeAlong(of_.gather.get<Attr::StartIndicesBatchingDims>()[static_cast<size_t>(batching)]));
      } else {
        starts.push_back(write_.number(0));
      }
    }
    return starts;
  }

  const Windows& of_;
  LoopWriter write_;
  std::vector<Instruction*> values_;  // the count, the array, the list of index vectors, the list of windows
};

// Dimensions of the list of windows as the result has them: offset dimensions are those of the window.
Instruction* inOrderOfResult(Instruction* list, const Windows& windows, Instruction& gather) {
  std::vector<int64_t> sizes = windows.batch, order;
  sizes.insert(sizes.end(), windows.kept.begin(), windows.kept.end());
  int64_t batch = 0;
  auto offset = static_cast<int64_t>(windows.batch.size());
  for (int64_t d = 0; d < static_cast<int64_t>(gather.shape().rank()); ++d)
    order.push_back(placeIn(gather.get<Attr::OffsetDims>(), d) >= 0 ? offset++ : batch++);
  return transposeBy(reshapeTo(list, sizes, gather), order, gather);
}

}  // namespace

bool canBeGatherLoop(const Instruction& i) {
  return i.opcode() == Opcode::Gather && i.operandCount() == 2 && liesRowMajor(i.shape()) &&
         liesRowMajor(i.operand(0)->shape()) && liesRowMajor(i.operand(1)->shape()) &&
         i.shape().elementCount() > 0 && i.operand(1)->shape().elementType() != ElementType::U64;
}

Instruction* gatherLoop(Instruction& gather) {
  Computation& computation = gather.parent();
  const Windows windows(gather);
  std::vector<int64_t> listSizes = {windows.count};
  listSizes.insert(listSizes.end(), windows.kept.begin(), windows.kept.end());
  const Shape list = arrayLike(gather.shape(), gather.shape().elementType(), listSizes);
  const std::vector<Instruction*> carried = {
      computation.createConstant(Literal::scalar<int64_t>(ElementType::S64, 0), &gather), gather.operand(0),
      listOfVectors(windows, gather), algebra::makeSplat(gather, list, 0)};
  Computation* body = nullptr;
  Instruction* loop = countedLoop(carried, windows.count, "gather_window", gather, body);
  if (const OpMetadata* metadata = gather.get<Attr::Metadata>()) loop->set<Attr::Metadata>(metadata);
  body->setRoot(OneWindow(windows, *body, loop->shape()).next());
  return inOrderOfResult(elementOfTuple(loop, 3, gather), windows, gather);
}

}  // namespace hilo
