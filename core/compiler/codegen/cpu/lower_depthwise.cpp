// Depthwise convolutions: each channel of the result is its channel of the input under a filter of its own.
// Channels are dense, so vectors go along them. A group of columns side by side (places along the innermost
// dimension of space; all the others are rows) stays in registers while the filter goes by, and an element of
// the input is read once a row of the filter for all of them. Terms are added in the filter's order, in f32.
#include <map>

#include "core/compiler/codegen/cpu/dot_methods.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::cpu {

using llvm::Value;

namespace {

int64_t dividedUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct DepthwisePlan {
  int64_t channels;
  std::vector<ForwardDimension> rows;  // the slowest first
  ForwardDimension column;
  int64_t lanes, columnsAtOnce, groups;
  bool fetchesAhead;  // the input is more than a thread's cache holds
};

// Groups [.., end) that read the same of their windows as the group at column `first` does, which
// has `columns` columns.
struct Run {
  int64_t end, first, columns;
};

bool readsInside(const ForwardDimension& d, int64_t place, int64_t tap) {
  const int64_t at = place * d.stride - d.padding + tap * d.dilation;
  return at >= 0 && at < d.input;
}

class DepthwiseKernel {
 public:
  DepthwiseKernel(KernelBuilder& kernel, const DepthwisePlan& plan, Shape input)
      : k_(kernel),
        b_(kernel.b()),
        plan_(plan),
        input_(input),
        element_(b_.getFloatTy()),
        vector_(llvm::FixedVectorType::get(element_, static_cast<unsigned>(plan.lanes))) {}

  // One group of columns, of all channels.
  void write(Value* i) {
    Value *group = b_.CreateURem(i, k_.int64(plan_.groups)), *rest = b_.CreateUDiv(i, k_.int64(plan_.groups));
    rows_.assign(plan_.rows.size(), nullptr);
    output_ = b_.CreateMul(rest, k_.int64(plan_.column.output));
    for (size_t d = rows_.size(); d-- > 0;) {
      rows_[d] = b_.CreateURem(rest, k_.int64(plan_.rows[d].output));
      rest = b_.CreateUDiv(rest, k_.int64(plan_.rows[d].output));
    }
    image_ = rest;
    writeOneOf(runs(), group);
  }

 private:
  std::vector<Run> runs() const {
    const ForwardDimension& d = plan_.column;
    const auto alike = [&](int64_t a, int64_t b, int64_t columns) {
      for (int64_t column = 0; column < columns; ++column) {
        for (int64_t tap = 0; tap < d.filter; ++tap) {
          if (readsInside(d, a + column, tap) != readsInside(d, b + column, tap)) return false;
        }
      }
      return true;
    };
    std::vector<Run> runs;
    for (int64_t group = 0; group < plan_.groups; ++group) {
      const int64_t first = group * plan_.columnsAtOnce,
                    columns = std::min(plan_.columnsAtOnce, d.output - first);
      if (!runs.empty() && runs.back().columns == columns && alike(runs.back().first, first, columns)) {
        runs.back().end = group + 1;
      } else {
        runs.push_back({group + 1, first, columns});
      }
    }
    return runs;
  }

  void writeOneOf(std::span<const Run> runs, Value* group) {
    if (runs.size() == 1) return writeGroup(runs[0], group);
    k_.branch(
        b_.CreateICmpSLT(group, k_.int64(runs[0].end)), [&] { writeGroup(runs[0], group); },
        [&] { writeOneOf(runs.subspan(1), group); });
  }

  void writeGroup(const Run& run, Value* group) {
    const int64_t channels = plan_.channels, lanes = plan_.lanes;
    Value* first = b_.CreateMul(group, k_.int64(plan_.columnsAtOnce));
    Value* column =
        b_.CreateSub(b_.CreateMul(first, k_.int64(plan_.column.stride)), k_.int64(plan_.column.padding));
    Value* output = b_.CreateMul(b_.CreateAdd(output_, first), k_.int64(channels));
    const auto [from, counts] = rowsOfFilter();
    k_.loop(k_.int64(0), k_.int64(dividedUp(channels, lanes)), [&](Value* vector) {
      // The last vector goes back over channels of the one before, where they do not fill it.
      Value* channel = b_.CreateMul(vector, k_.int64(lanes));
      if (channels % lanes != 0)
        channel = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, channel, k_.int64(channels - lanes));
      Value* zeros = llvm::Constant::getNullValue(vector_);
      std::vector<KernelBuilder::Variable> sums;
      for (int64_t i = 0; i < run.columns; ++i) sums.push_back(k_.variable({zeros}));
      k_.nest(counts, [&](llvm::ArrayRef<Value*> taps) {
        const auto [input, filter] = rowPlaces(from, taps, column);
        const auto ofChannel = [&](Value* place) {
          return b_.CreateAdd(b_.CreateMul(place, k_.int64(channels)), channel);
        };
        addRow(run, sums, ofChannel(input), ofChannel(filter));
      });
      for (size_t i = 0; i < sums.size(); ++i)
        k_.storeRaw(2, element_, at(b_.CreateAdd(output, channel), static_cast<int64_t>(i)),
                    k_.get(sums[i]).value);
      if (plan_.fetchesAhead) fetchAhead(run, column, channel);
    });
  }

  // Where row from + taps of the filter begins: in the input, at the group's first column, and in the filter.
  std::pair<Value*, Value*> rowPlaces(llvm::ArrayRef<Value*> from, llvm::ArrayRef<Value*> taps,
                                      Value* column) {
    Value *input = image_, *filter = k_.int64(0);
    for (size_t d = 0; d < taps.size(); ++d) {
      const ForwardDimension& row = plan_.rows[d];
      Value* tap = b_.CreateAdd(from[d], taps[d]);
      Value* at = b_.CreateAdd(rowStart(d), b_.CreateMul(tap, k_.int64(row.dilation)));
      input = b_.CreateAdd(b_.CreateMul(input, k_.int64(row.input)), at);
      filter = b_.CreateAdd(b_.CreateMul(filter, k_.int64(row.filter)), tap);
    }
    input = b_.CreateAdd(b_.CreateMul(input, k_.int64(plan_.column.input)), column);
    return {input, b_.CreateMul(filter, k_.int64(plan_.column.filter))};
  }

  // What the group below this one will be the first to read.
  void fetchAhead(const Run& run, Value* column, Value* channel) {
    const size_t last = rows_.size() - 1;
    Value *first = k_.pointerTo(0, input_, {{}, k_.int64(0), input_}), *row = image_;
    for (size_t d = 0; d <= last; ++d)
      row = b_.CreateAdd(b_.CreateMul(row, k_.int64(plan_.rows[d].input)), rowStart(d));
    row = b_.CreateAdd(row, k_.int64(plan_.rows[last].filter * plan_.rows[last].dilation));
    for (int64_t down = 0; down < plan_.rows[last].stride; ++down) {
      Value* start = b_.CreateMul(b_.CreateAdd(row, k_.int64(down)), k_.int64(plan_.column.input));
      start = b_.CreateMul(b_.CreateAdd(start, column), k_.int64(plan_.channels));
      start = b_.CreateAdd(start, channel);
      for (int64_t i = 0; i < run.columns * plan_.column.stride; ++i) {
        Value* place = b_.CreateGEP(element_, first, {at(start, i + plan_.column.padding)});
        b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {place->getType()},
                           {place, b_.getInt32(0), b_.getInt32(2), b_.getInt32(1)});
      }
    }
  }

  // A row of the filter, where the group's first column and the row begin.
  void addRow(const Run& run, std::span<const KernelBuilder::Variable> sums, Value* input, Value* filter) {
    const ForwardDimension& d = plan_.column;
    std::map<int64_t, Value*> read;
    for (int64_t tap = 0; tap < d.filter; ++tap) {
      Value* weight = nullptr;
      for (int64_t column = 0; column < run.columns; ++column) {
        if (!readsInside(d, run.first + column, tap)) continue;
        const int64_t place = column * d.stride + tap * d.dilation;
        Value*& x = read[place];
        if (x == nullptr) x = k_.loadRaw(0, vector_, element_, at(input, place));
        if (weight == nullptr) weight = k_.loadRaw(1, vector_, element_, at(filter, tap));
        const auto& sum = sums[static_cast<size_t>(column)];
        k_.set(sum, {b_.CreateIntrinsic(llvm::Intrinsic::fma, {vector_}, {x, weight, k_.get(sum).value})});
      }
    }
  }

  // The first of the filter's rows that are inside of the input, by dimension, and how many are.
  std::pair<llvm::SmallVector<Value*, 2>, llvm::SmallVector<Value*, 2>> rowsOfFilter() {
    const auto least = [&](Value* a, Value* b) {
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
    };
    const auto most = [&](Value* a, int64_t b) {
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, k_.int64(b));
    };
    llvm::SmallVector<Value*, 2> from, counts;
    for (size_t d = 0; d < rows_.size(); ++d) {
      const ForwardDimension& row = plan_.rows[d];
      // How many rows begin before this place of the input.
      const auto before = [&](int64_t place) {
        Value* distance = b_.CreateSub(k_.int64(place + row.dilation - 1), rowStart(d));
        return least(b_.CreateUDiv(most(distance, 0), k_.int64(row.dilation)), k_.int64(row.filter));
      };
      from.push_back(before(0));
      counts.push_back(b_.CreateSub(before(row.input), from.back()));
    }
    return {from, counts};
  }

  // Where the window of the row begins in the input, which may be before it.
  Value* rowStart(size_t d) {
    const ForwardDimension& row = plan_.rows[d];
    return b_.CreateSub(b_.CreateMul(rows_[d], k_.int64(row.stride)), k_.int64(row.padding));
  }

  Value* at(Value* start, int64_t columns) { return b_.CreateAdd(start, k_.int64(columns * plan_.channels)); }

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const DepthwisePlan& plan_;
  const Shape input_;
  llvm::Type* element_;
  llvm::FixedVectorType* vector_;
  llvm::SmallVector<Value*, 2> rows_;
  Value *image_ = nullptr, *output_ = nullptr;  // counted in images, and in places of the result
};

}  // namespace

bool lowerDepthwise(const Instruction& convolution, LoweringContext& context) {
  constexpr int64_t kNext = 2;  // strides of windows that leave out nothing
  const auto ready = readyLibraryConvolution(convolution);
  if (!ready || !ready->isDepthwise) return false;
  const Shape shape = convolution.shape();
  const auto& numbers = *convolution.get<Attr::DimLabels>();
  DepthwisePlan plan{.channels = shape.dimension(static_cast<size_t>(numbers.outputFeature))};
  plan.rows = forwardDimensions(convolution, ConvolutionKind::Fprop);
  plan.column = plan.rows.back();
  plan.rows.pop_back();
  plan.lanes = context.draft.registers.bytes / elementStorageBytes(ElementType::F32);
  plan.groups = dividedUp(plan.column.output, context.draft.registers.count / 4);
  plan.columnsAtOnce = dividedUp(plan.column.output, plan.groups);
  plan.groups = dividedUp(plan.column.output, plan.columnsAtOnce);
  const Shape input = convolution.operand(0)->shape();
  plan.fetchesAhead =
      !plan.rows.empty() && plan.rows.back().stride <= kNext && plan.column.stride <= kNext &&
      input.elementCount() * elementStorageBytes(ElementType::F32) > context.draft.target.threadCacheBytes;
  double work = static_cast<double>(shape.elementCount()) * static_cast<double>(plan.column.filter);
  for (const ForwardDimension& row : plan.rows) work *= static_cast<double>(row.filter);
  const LeafValue result = context.newLeaf(shape);
  context.addKernelOn(convolution,
                      {context.leafOf(*convolution.operand(0)), context.leafOf(*convolution.operand(1))},
                      {result}, shape.elementCount() / plan.channels / plan.column.output * plan.groups,
                      100 + static_cast<int64_t>(std::min(1e15, work / 40)), [&](KernelBuilder& k) {
                        DepthwiseKernel kernel(k, plan, input);
                        k.loop(k.begin(), k.end(), [&](Value* i) { kernel.write(i); });
                      });
  context.values[&convolution] = {result};
  return true;
}

}  // namespace hilo::cpu
