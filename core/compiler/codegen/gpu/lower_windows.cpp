// Windows that overlap: reductions of them, such as pools, and convolutions of each feature by itself
// (depthwise), with what is computed before and after.
//
// Rule: a reduce-window, or a fusion about one, some of whose windows share elements; or such a convolution
// of real floats with as many groups as features on both sides. No holes within the input, none backwards.
// What the windows of a tile cover is read once (window_tiles.h); a thread folds those of its places from
// there, in the order of the windows' elements. Products of floats of 32 bits and narrower are summed in f32.
#include "core/compiler/codegen/gpu/hero_form.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/window_tiles.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kMostWeights = 4096;  // of a tile: they are in shared memory too

std::optional<WindowTiles> poolTiles(const Instruction& pool) {
  if (pool.opcode() != Opcode::ReduceWindow) return std::nullopt;
  const Shape result = arrayLeaves(pool.shape())[0];
  const auto windows = pool.get<Attr::Window>()->dimensions;
  int64_t bytes = 0;
  for (size_t i = 0; i < pool.operandCount() / 2; ++i) {
    const ElementType type = pool.operand(i)->shape().elementType();
    bytes += std::max<int64_t>(4, elementStorageBytes(type));
  }
  return windowTiles(pool.operand(0)->shape(), {windows.begin(), windows.end()},
                     {result.dimensions().begin(), result.dimensions().end()}, bytes);
}
bool isPool(const Instruction& instruction) {
  return instruction.shape().isArray() && poolTiles(instruction).has_value();
}

// Dimensions of the result, by those of the input.
std::vector<size_t> resultDimensions(const ConvolutionDimensionNumbers& numbers) {
  std::vector<size_t> dims(numbers.inputSpatial.size() + 2);
  dims[static_cast<size_t>(numbers.inputBatch)] = static_cast<size_t>(numbers.outputBatch);
  dims[static_cast<size_t>(numbers.inputFeature)] = static_cast<size_t>(numbers.outputFeature);
  for (size_t i = 0; i < numbers.inputSpatial.size(); ++i)
    dims[static_cast<size_t>(numbers.inputSpatial[i])] = static_cast<size_t>(numbers.outputSpatial[i]);
  return dims;
}

bool isOfRealFloats(const Instruction& convolution) {
  return isFloat(convolution.shape().elementType()) &&
         isFloat(convolution.operand(0)->shape().elementType()) &&
         isFloat(convolution.operand(1)->shape().elementType());
}

ElementType sumType(const Instruction& convolution) {
  const auto isWide = [](Shape shape) { return shape.elementType() == ElementType::F64; };
  return isWide(convolution.shape()) || isWide(convolution.operand(0)->shape()) ||
                 isWide(convolution.operand(1)->shape())
             ? ElementType::F64
             : ElementType::F32;
}

std::optional<WindowTiles> depthwiseTiles(const Instruction& convolution) {
  if (convolution.opcode() != Opcode::Convolution || !isOfRealFloats(convolution)) return std::nullopt;
  const auto& numbers = *convolution.get<Attr::DimLabels>();
  const Shape input = convolution.operand(0)->shape(), result = convolution.shape();
  const int64_t features = input.dimension(static_cast<size_t>(numbers.inputFeature));
  if (convolution.get<Attr::FeatureGroupCount>().value_or(1) != features ||
      convolution.get<Attr::BatchGroupCount>().value_or(1) != 1 ||
      result.dimension(static_cast<size_t>(numbers.outputFeature)) != features)
    return std::nullopt;
  std::vector<WindowDimension> windows(input.rank());
  const Window* window = convolution.get<Attr::Window>();  // null where no dimension is spatial
  const auto space = window == nullptr ? std::span<const WindowDimension>() : window->dimensions;
  int64_t taps = 1;
  for (size_t i = 0; i < space.size(); ++i) {
    windows[static_cast<size_t>(numbers.inputSpatial[i])] = space[i];
    taps *= space[i].size;
  }
  std::vector<int64_t> placements;
  for (const size_t d : resultDimensions(numbers)) placements.push_back(result.dimension(d));
  auto tiles = windowTiles(input, windows, placements, elementStorageBytes(sumType(convolution)));
  if (tiles && taps * tiles->tile[static_cast<size_t>(numbers.inputFeature)] > kMostWeights)
    return std::nullopt;
  return tiles;
}
bool isDepthwise(const Instruction& instruction) { return depthwiseTiles(instruction).has_value(); }

// Of the tiles of one instruction: gives its elements to what is computed of them.
class WindowKernel {
 public:
  WindowKernel(KernelDraft& draft, const Instruction& instruction, const Instruction& hero,
               const WindowTiles& tiles, const std::vector<ElementType>& types)
      : draft_(draft),
        elements_(draft.elements()),
        k_(draft.builder()),
        b_(k_.b()),
        s_(k_.scalars()),
        block_(k_),
        hero_(hero),
        root_(writtenBy(instruction)),
        tiles_(tiles),
        region_(elements_, block_, tiles, types) {}

  void pool() {
    const size_t count = hero_.operandCount() / 2;
    std::vector<const Instruction*> operands(hero_.operands().begin(), hero_.operands().begin() + count);
    region_.fill(operands);
    region_.forEach([&](llvm::ArrayRef<Value*> placement) {
      Variables results;
      for (size_t i = 0; i < count; ++i)
        results.push_back(k_.variable(elements_.at(*hero_.operand(count + i), {})));
      elements_.nestInFrame(windowSizes(), [&](llvm::ArrayRef<Value*> inWindow) {
        ifReal(placement, inWindow, [&](const Scalars& values) {
          Scalars arguments = get(results);
          arguments.insert(arguments.end(), values.begin(), values.end());
          const auto next = elements_.apply(*hero_.get<Attr::ToApply>(), arguments);
          for (size_t i = 0; i < count; ++i) k_.set(results[i], next[i]);
        });
      });
      store(k_.indexAt(placement), get(results));
    });
  }

  void depthwise() {
    const ElementType type = sumType(hero_);
    const auto feature = static_cast<size_t>(numbers().inputFeature);
    SharedAccumulators weights(block_, k_, {type}, taps() * tiles_.tile[feature]);
    region_.fill({hero_.operand(0)});
    fillWeights(weights, type, feature);
    region_.forEach([&](llvm::ArrayRef<Value*> placement) {
      const auto sum = k_.variable(s_.zero(type));
      Value* own = b_.CreateSub(placement[feature], region_.first()[feature]);
      elements_.nestInFrame(windowSizes(), [&](llvm::ArrayRef<Value*> inWindow) {
        ifReal(placement, inWindow, [&](const Scalars& values) {
          Value* x = s_.convert(hero_.operand(0)->shape().elementType(), type, values[0]).value;
          Value* weight = weights.load(weightPlace(tapOf(inWindow), own, feature))[0].value;
          k_.set(sum,
                 {b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, weight, k_.get(sum).value})});
        });
      });
      const auto dims = resultDimensions(numbers());
      Places result(placement.size());
      for (size_t d = 0; d < dims.size(); ++d) result[dims[d]] = placement[d];
      store(k_.indexAt(result), {s_.convert(type, hero_.shape().elementType(), k_.get(sum))});
    });
  }

 private:
  using Variables = std::vector<KernelBuilder::Variable>;

  const ConvolutionDimensionNumbers& numbers() const { return *hero_.get<Attr::DimLabels>(); }
  std::vector<int64_t> windowSizes() const {
    std::vector<int64_t> sizes;
    for (const WindowDimension& w : tiles_.windows) sizes.push_back(w.size);
    return sizes;
  }
  int64_t taps() const {
    int64_t count = 1;
    for (const WindowDimension& w : tiles_.windows) count *= w.size;
    return count;
  }

  void ifReal(llvm::ArrayRef<Value*> placement, llvm::ArrayRef<Value*> inWindow,
              const std::function<void(const Scalars&)>& body) {
    const auto at = region_.covered(placement, inWindow);
    const auto inside = [&] { elements_.inFrame([&] { body(region_.load(at)); }); };
    at.isReal == b_.getTrue() ? inside() : k_.branch(at.isReal, inside);
  }

  Value* tapOf(llvm::ArrayRef<Value*> inWindow) {
    Value* tap = k_.int64(0);
    for (size_t d = 0; d < inWindow.size(); ++d)
      tap = b_.CreateAdd(b_.CreateMul(tap, k_.int64(tiles_.windows[d].size)), inWindow[d]);
    return tap;
  }
  Value* weightPlace(Value* tap, Value* own, size_t feature) {
    return b_.CreateAdd(b_.CreateMul(tap, k_.int64(tiles_.tile[feature])), own);
  }

  void fillWeights(SharedAccumulators& weights, ElementType type, size_t feature) {
    const Instruction& kernel = *hero_.operand(1);
    const int64_t features = tiles_.tile[feature], count = taps() * features;
    k_.loop(k_.int64(0), k_.int64((count + kBlockThreads - 1) / kBlockThreads), [&](Value* i) {
      Value* number = b_.CreateAdd(b_.CreateMul(i, k_.int64(kBlockThreads)), block_.thread());
      Value* own = b_.CreateURem(number, k_.int64(features));
      Value* at = b_.CreateAdd(region_.first()[feature], own);
      const Places tap = placesOf(k_, b_.CreateUDiv(number, k_.int64(features)), windowSizes());
      Value* isIn = b_.CreateAnd(b_.CreateICmpULT(number, k_.int64(count)),
                                 b_.CreateICmpULT(at, k_.int64(tiles_.placements[feature])));
      k_.branch(isIn, [&] {
        elements_.inFrame([&] {
          Places place(tap.size());
          place[static_cast<size_t>(numbers().kernelInputFeature)] = k_.int64(0);
          place[static_cast<size_t>(numbers().kernelOutputFeature)] = at;
          for (size_t s = 0; s < numbers().kernelSpatial.size(); ++s)
            place[static_cast<size_t>(numbers().kernelSpatial[s])] =
                tap[static_cast<size_t>(numbers().inputSpatial[s])];
          const Scalar weight = elements_.at(kernel, k_.indexAt(place));
          weights.store(number, {s_.convert(kernel.shape().elementType(), type, weight)});
        });
      });
    });
    block_.barrier();
  }

  void store(const ElementIndex& index, Scalars values) {
    const auto shapes = arrayLeaves(root_.shape());
    elements_.know(hero_, index, std::move(values));
    for (size_t i = 0; i < shapes.size(); ++i)
      k_.store(draft_.resultBuffer(i), shapes[i], index, resultAt(elements_, root_, i, index));
  }

  Scalars get(const Variables& variables) {
    Scalars values;
    for (const auto& variable : variables) values.push_back(k_.get(variable));
    return values;
  }

  KernelDraft& draft_;
  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  ScalarEmitter& s_;
  Block block_;
  const Instruction& hero_;
  const Instruction& root_;
  const WindowTiles& tiles_;
  WindowRegion region_;
};

Result<bool> lowerTiles(const Instruction& instruction, const Instruction& hero, const WindowTiles& tiles,
                        LoweringContext& context) {
  const bool isSum = hero.opcode() == Opcode::Convolution;
  std::vector<ElementType> types;
  for (size_t i = 0; i < (isSum ? 1 : hero.operandCount() / 2); ++i)
    types.push_back(hero.operand(i)->shape().elementType());
  const LeafValues results = context.newLeaves(instruction.shape());
  KernelDraft draft(context, instruction, results);
  WindowKernel kernel(draft, instruction, hero, tiles, types);
  isSum ? kernel.depthwise() : kernel.pool();
  const Status done =
      draft.finish(Block::iterations(tiles.pieces()), 100 + tiles.pieces() * tiles.tileCount());
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  context.values[&instruction] = results;
  return true;
}

}  // namespace

Result<bool> lowerWindows(const Instruction& instruction, LoweringContext& context) {
  if (const auto tiles = poolTiles(instruction)) return lowerTiles(instruction, instruction, *tiles, context);
  for (const auto& [isHero, tilesOf] :
       {std::pair(&isPool, &poolTiles), std::pair(&isDepthwise, &depthwiseTiles)}) {
    const auto heroes = heroesOf(instruction, isHero);
    if (heroes.size() == 1) return lowerTiles(instruction, *heroes[0], *tilesOf(*heroes[0]), context);
  }
  return false;
}

}  // namespace hilo::gpu
