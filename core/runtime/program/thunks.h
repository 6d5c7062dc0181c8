// The steps of a program, as plain data. Each struct names the buffers it touches as ReadSlice or WriteSlice
// and lists its fields once, in visit(); file format, text, JSON and buffer uses follow from that list.
// Numbers of kernels and sequences are places in the program's tables.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/hlo/ir/element_type.h"
#include "core/runtime/program/buffer_slice.h"

namespace hilo {

// Runs a compiled kernel over [0, iterations), in pieces of at least `grain` when several threads share it.
struct KernelThunk {
  uint32_t kernel = 0;
  int64_t iterations = 1;
  int64_t grain = 1;
  std::vector<ReadSlice> arguments;
  std::vector<WriteSlice> results;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("kernel", self.kernel);
    v("iterations", self.iterations);
    v("grain", self.grain);
    v("arguments", self.arguments);
    v("results", self.results);
  }
};

// Both slices have one size.
struct CopyThunk {
  ReadSlice source;
  WriteSlice destination;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("source", self.source);
    v("destination", self.destination);
  }
};

// Runs `condition`, then while `test` (one pred) holds, `body` and `condition` again.
struct WhileThunk {
  ReadSlice test;
  uint32_t condition = 0, body = 0;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("test", self.test);
    v("condition", self.condition);
    v("body", self.body);
  }
};

// Runs one branch: by pred (true is branch 0), or by s32, where a number outside takes the last.
struct ConditionalThunk {
  ReadSlice selector;
  bool byPred = false;
  std::vector<uint32_t> branches;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("selector", self.selector);
    v("byPred", self.byPred);
    v("branches", self.branches);
  }
};

// out[b,m,n] = sum over k of lhs[b,m,k] * rhs[b,k,n]. Strides are in elements; the result's are its own.
struct DotThunk {
  ElementType type = ElementType::F32;  // of both operands and the result
  int64_t batch = 1, m = 1, n = 1, k = 1;
  std::vector<int64_t> lhsStrides, rhsStrides, resultStrides;  // [b,m,k], [b,k,n], [b,m,n]
  ReadSlice lhs, rhs;
  WriteSlice result;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("type", self.type);
    v("batch", self.batch);
    v("m", self.m);
    v("n", self.n);
    v("k", self.k);
    v("lhsStrides", self.lhsStrides);
    v("rhsStrides", self.rhsStrides);
    v("resultStrides", self.resultStrides);
    v("lhs", self.lhs);
    v("rhs", self.rhs);
    v("result", self.result);
  }
};

// Sorts lines of `length` elements `stride` apart, the same permutation in every array; line i starts at
// (i / stride) * length * stride + i % stride. `comparator` is a kernel: its buffers are one pred (the
// result), then for each array one element of the left and one of the right side. Always stable.
struct SortThunk {
  uint32_t comparator = 0;
  int64_t lines = 0, length = 0, stride = 1;
  std::vector<int64_t> elementBytes;
  std::vector<ReadSlice> inputs;
  std::vector<WriteSlice> outputs;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("comparator", self.comparator);
    v("lines", self.lines);
    v("length", self.length);
    v("stride", self.stride);
    v("elementBytes", self.elementBytes);
    v("inputs", self.inputs);
    v("outputs", self.outputs);
  }
};

enum class ThunkKind : uint8_t {
#define THUNK(name, ...) name,
#include "core/runtime/program/thunks.def"
};
inline constexpr int kThunkKindCount = 0
#define THUNK(...) +1
#include "core/runtime/program/thunks.def"
    ;

using ThunkBody = std::variant<
#define THUNK(name, ...) name##Thunk,
#include "core/runtime/program/thunks.def"
    std::monostate>;  // only to end the list; never held

struct Thunk {
  std::string name;          // the instruction's
  uint32_t instruction = 0;  // its id in the module the program was compiled from
  int64_t costNs = 0;  // the compiler's guess for one thread; decides what is worth sharing among threads
  ThunkBody body;

  ThunkKind kind() const { return static_cast<ThunkKind>(body.index()); }
};
using ThunkSequence = std::vector<Thunk>;

// "kernel", "while", ...
const char* thunkKindName(ThunkKind kind);
// The buffers of the thunk itself; those of sequences it runs are not among them (see allBufferUses).
std::vector<BufferUse> bufferUses(const Thunk& thunk);
// The sequences it may run, in order.
std::vector<uint32_t> nestedSequences(const Thunk& thunk);

}  // namespace hilo
