// Instructions as functions from an index of the result to the element there. Nothing is stored between them:
// an instruction asks its operands for the elements it needs, which is what fusing them means. What the
// kernel reads from memory are its leaves.
#pragma once

#include "core/analysis/indexing/indexing_map.h"
#include "core/compiler/codegen/emit/minor_fold.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Values side by side on the stack.
struct Lanes {
  llvm::Value* array;
  llvm::Type* type;
  int64_t count;
};

class ElementEmitter {
 public:
  // A value the kernel reads from a buffer: an instruction, or element `tupleIndex` of one.
  struct Leaf {
    int buffer;
    Shape shape;
  };

  explicit ElementEmitter(KernelBuilder& kernel) : k_(kernel), b_(kernel.b()), s_(kernel.scalars()) {
    frames_.emplace_back();
  }

  KernelBuilder& kernel() { return k_; }

  // True when the kernel grew past what is reasonable, or an element depends on others through too many
  // steps: what was emitted since is worthless.
  bool overflowed() const { return overflowed_; }

  void addLeaf(const Instruction& instruction, Leaf leaf) { leaves_[&instruction] = leaf; }
  // Where the instruction's elements are read from; nullopt: they are computed.
  std::optional<Leaf> leafOf(const Instruction& instruction) const;
  // Inside a called computation `inner` stands for `outer`: a fusion's parameter for its operand.
  void addAlias(const Instruction& inner, const Instruction& outer) { aliases_[&inner] = &outer; }

  // From here on elements of the concatenate lie in this operand, which begins there. Those emitted before
  // must be in a frame of their own.
  void choose(const Instruction& concatenate, size_t operand, int64_t begin) {
    chosen_[&concatenate] = {operand, begin};
  }

  // Dimension `d` of the leaf has fewer elements than its bound: buffer `size` holds how many, an s32.
  void addRealSize(const Instruction& leaf, size_t d, int size);

  // The element of an array instruction.
  Scalar at(const Instruction& instruction, ElementIndex index);
  // The elements at `index` of an instruction, computed otherwise: at() gives these for the rest of the
  // frame. An index is the same where its places, or `linear`, are the same values.
  void know(const Instruction& instruction, const ElementIndex& index, std::vector<Scalar> elements);
  // Every element at `index` of an instruction whose result is a tuple of arrays of one shape.
  std::vector<Scalar> allAt(const Instruction& instruction, ElementIndex index);

  // A computation on scalars, such as a reduction's, applied.
  std::vector<Scalar> apply(const Computation& computation, llvm::ArrayRef<Scalar> arguments) {
    return apply(computation, arguments, {computation.root()});
  }
  // The same, giving the elements of others of its instructions than the root.
  std::vector<Scalar> apply(const Computation& computation, llvm::ArrayRef<Scalar> arguments,
                            llvm::ArrayRef<const Instruction*> results);

  // An index that the module computes, as a signed number.
  llvm::Value* integerAt(const Instruction& instruction, const ElementIndex& index);

  // Columns of a reduction of one array: `count` results (at most `most`) from place `first` on in dimension
  // `dense` of the result, folded row by row of the operand. `sizes` are those of the folded dimensions, and
  // placeOf gives the operand's index from places in them and one in the dense dimension. at() takes the
  // reduction's elements from there afterwards.
  struct ColumnPlace {
    size_t dense;
    llvm::Value* first;
  };
  void accumulateColumns(
      const Instruction& reduction, int64_t most, llvm::Value* count, llvm::ArrayRef<int64_t> sizes,
      const std::function<ElementIndex(llvm::ArrayRef<llvm::Value*>, llvm::Value*)>& placeOf,
      ColumnPlace column, bool isPart = false);
  // Of sums of floats, `isPart` leaves out what they start with, and what was added up so far is an f64.
  // Several such, partAt(number, i) of column i, make up the reduction.
  llvm::Value* columnSum(const Instruction& reduction, llvm::Value* i);
  void addColumnParts(const Instruction& reduction, int64_t most, llvm::Value* count, int64_t parts,
                      const std::function<llvm::Value*(int64_t, llvm::Value*)>& partAt, ColumnPlace column);
  static bool canAccumulateColumns(const Instruction& reduction);
  // Elements of an instruction that are on the stack.
  struct Kept {
    Lanes lanes;
    ColumnPlace place;
    bool isSum;  // in f64
  };

  // Computes a line of `value`, placeOf(0) to placeOf(length - 1) along dimension `dense`, into room on the
  // stack, from where at() takes its elements afterwards.
  void keepLine(const Instruction& value, size_t dense, int64_t length,
                const std::function<ElementIndex(llvm::Value*)>& placeOf);
  static bool canKeep(const Instruction& value);
  // The same of the whole line that `reduction` folds, which canFoldLine, when it is next asked for.
  void keepFoldedLine(const Instruction& reduction, size_t dense, int64_t length);
  bool canFoldLine(const Instruction& reduction, int64_t length);

  // Lines that at() takes from the stack. Whoever works on several in turn gives each its own.
  using KeptLines = absl::flat_hash_map<const Instruction*, Kept>;
  const KeptLines& keptLines() const { return kept_; }
  template <typename F>
  void withKept(KeptLines& lines, F&& body) {
    std::swap(kept_, lines);
    body();
    std::swap(kept_, lines);
  }

  // What is written for each piece of a line that a reduction computes before it folds it: its first element
  // and how many they are.
  using WithLine = std::function<void(llvm::Value*, int64_t)>;
  // Does so in what is written inside.
  template <typename F>
  void withLines(const WithLine& withLine, F&& body) {
    const WithLine* outer = std::exchange(withLine_, &withLine);
    body();
    withLine_ = outer;
  }

  // The arrays the kernel reads that lie in memory as `shape` does, or are broadcast to one that does and is
  // their bytes over and over; by buffer, each once.
  std::vector<Leaf> leavesLike(Shape shape) const;

  // What is written inside is forgotten after it: code that may not always run, or runs many times. Behind a
  // barrier nothing from before is known either.
  template <typename F>
  void inFrame(F&& body, bool isBarrier = false) {
    frames_.emplace_back().isBarrier = isBarrier;
    body();
    frames_.pop_back();
  }
  // A loop nest whose inside is a frame.
  void nestInFrame(llvm::ArrayRef<int64_t> sizes,
                   const std::function<void(llvm::ArrayRef<llvm::Value*>)>& body);

 private:
  Scalar emit(const Instruction& instruction, ElementIndex& index);
  std::vector<Scalar> emitAll(const Instruction& instruction, ElementIndex& index);
  Scalar concatenate(const Instruction& instruction, ElementIndex& index);
  std::vector<Scalar> reduce(const Instruction& instruction, ElementIndex& index);
  // Folded line by line: `order` are the reduced dimensions, the dense one last, and placeOf gives the
  // operand's index from places in them. Null, and nothing of use written, when lines are short or the order
  // of folding matters.
  using PlaceOf = std::function<ElementIndex(llvm::ArrayRef<llvm::Value*>)>;
  std::optional<Scalar> reduceInLines(const Instruction& reduction, llvm::ArrayRef<int64_t> order,
                                      const PlaceOf& placeOf);
  // How many of the last reduced dimensions lie in memory as values, one after the other: 0 or more.
  size_t dimensionsInMemory(const Instruction& operand, llvm::ArrayRef<int64_t> order) const;
  // Into `kept` too, where there is room for the line.
  void foldLine(MinorFold& fold, const Instruction& operand, int64_t length,
                const std::function<ElementIndex(llvm::Value*)>& placeOf, const Lanes* kept = nullptr);
  llvm::Value* lineInMemory(const Instruction& operand, ElementIndex index);
  Scalar keptElement(const Instruction& instruction, const Kept& kept, ElementIndex& index);
  const Instruction& resolve(const Instruction& instruction) const;

  const WithLine* withLine_ = nullptr;

  // Values already written, by instruction and index. A frame a block that may not always run, and a barrier
  // a computation applied, whose parameters mean something else each time.
  struct Key {
    const Instruction* instruction;
    llvm::SmallVector<llvm::Value*, 6> index;
    Shape order;  // of one number: what it counts in, whatever the type
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      h = H::combine(std::move(h), key.instruction, key.order);
      for (llvm::Value* value : key.index) h = H::combine(std::move(h), value);
      return h;
    }
  };
  struct Frame {
    absl::flat_hash_map<Key, std::vector<Scalar>> values;
    bool isBarrier = false;
  };
  static Key keyOf(const Instruction& instruction, const ElementIndex& index);
  const std::vector<Scalar>* known(const Key& key) const;

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  ScalarEmitter& s_;
  absl::flat_hash_map<const Instruction*, Leaf> leaves_;
  absl::flat_hash_map<const Instruction*, const Instruction*> aliases_;
  absl::flat_hash_map<std::pair<const Instruction*, size_t>, llvm::Value*> realSizes_;
  KeptLines kept_;
  KeptLines toKeep_;                                       // of reductions: their operands
  absl::flat_hash_map<const Instruction*, Scalar> bound_;  // parameters of the computation being applied
  struct Chosen {
    size_t operand;
    int64_t begin;
  };
  absl::flat_hash_map<const Instruction*, Chosen> chosen_;  // of concatenates
  std::vector<Frame> frames_;
  static constexpr int kMostEmitted = 5000;  // instructions, each time they are emitted anew
  static constexpr int kDeepest = 300;       // steps from an element to what it is made of, on the stack
  int emitted_ = 0, depth_ = 0;
  bool overflowed_ = false;
};

// The start a gather or scatter has at one position of its index vectors: one number an operand dimension,
// not brought into range.
llvm::SmallVector<llvm::Value*, 6> startAt(const Instruction& instruction, const Instruction& indices,
                                           size_t operandRank, std::span<const int64_t> indexMap,
                                           std::span<const int64_t> operandBatching,
                                           std::span<const int64_t> indicesBatching,
                                           llvm::ArrayRef<llvm::Value*> position, ElementEmitter& e);
// Start indices of a dynamic-slice or dynamic-update-slice (operands from `first` on), clamped.
llvm::SmallVector<llvm::Value*, 6> dynamicStart(const Instruction& instruction, size_t first, Shape within,
                                                std::span<const int64_t> sizes, ElementEmitter& e);
llvm::Value* clampIndex(KernelBuilder& k, llvm::Value* index, int64_t last);

// Where element `inWindow` of the window at `placement` lies in a dimension of the base, and whether it is
// real there: not padding, not a hole of base dilation.
struct Windowed {
  llvm::Value* place;
  llvm::Value* isReal;
};
Windowed windowed(KernelBuilder& k, const WindowDimension& w, int64_t baseSize, llvm::Value* placement,
                  llvm::Value* inWindow);

// A reduction by addition of one float input, which is summed in f64.
bool isFloatSum(const Instruction& instruction);
// The binary opcode when the computation is that one operation on its two parameters.
std::optional<Opcode> singleBinaryOpcode(const Computation& computation);

}  // namespace hilo
