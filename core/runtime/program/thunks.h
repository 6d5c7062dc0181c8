// The steps of a program, as plain data. Each struct names the buffers it touches as ReadSlice or WriteSlice,
// and what it refers to as a place in a table of the program, and lists its fields once, in visit(). File
// format, text, JSON, buffer uses and what it runs follow from that list. The table of kinds is HILO_THUNKS.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/hlo/ir/element_type.h"
#include "core/hlo/ir/enums.h"
#include "core/hlo/ir/shape.h"
#include "core/runtime/program/buffer_slice.h"
#include "core/runtime/program/library_call.h"
#include "core/runtime/program/table_place.h"

namespace hilo {

// Runs a compiled kernel over [0, iterations), in pieces of at least `grain` when several threads share it.
struct KernelThunk {
  KernelPlace kernel;
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
  SequencePlace condition, body;
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
  std::vector<SequencePlace> branches;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("selector", self.selector);
    v("byPred", self.byPred);
    v("branches", self.branches);
  }
};

// out[b,m,n] = sum over k of lhs[b,m,k] * rhs[b,k,n]. Strides are in elements; the result's are its own.
struct DotThunk {
  ElementType type = ElementType::F32;  // of both operands
  ElementType resultType = ElementType::F32;
  std::vector<int64_t> batch;  // sizes, the outermost first; empty: one dot
  int64_t m = 1, n = 1, k = 1;
  std::vector<int64_t> lhsStrides, rhsStrides,
      resultStrides;  // [batch...,m,k], [batch...,k,n], [batch...,m,n]
  ReadSlice lhs, rhs;
  WriteSlice result;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("type", self.type);
    v("resultType", self.resultType);
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

// A convolution, or the gradient of one by its input or its filter; all fields are those of the forward
// one. Its input is [batch, space..., groups * inputFeatures], its output [batch, space..., groups *
// outputFeatures], both dense; of input, filter and output the two that are not computed are lhs and
// rhs, in this order, and for an input's gradient lhs is that of the output. What is read beside the
// input is zero.
struct ConvolutionThunk {
  ConvolutionKind kind = ConvolutionKind::Fprop;  // not Unset
  ElementType type = ElementType::F32;            // of both operands
  ElementType resultType = ElementType::F32;
  int64_t batch = 1, groups = 1, inputFeatures = 1, outputFeatures = 1;  // features: of one group
  std::vector<int64_t> inputSizes, outputSizes, filterSizes;             // of space
  std::vector<int64_t> strides, dilations, paddings;                     // the padding in front
  std::vector<int64_t> filterStrides;  // in elements: [group, output feature, input feature, space...]
  ReadSlice lhs, rhs;
  WriteSlice result;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("kind", self.kind);
    v("type", self.type);
    v("resultType", self.resultType);
    v("batch", self.batch);
    v("groups", self.groups);
    v("inputFeatures", self.inputFeatures);
    v("outputFeatures", self.outputFeatures);
    v("inputSizes", self.inputSizes);
    v("outputSizes", self.outputSizes);
    v("filterSizes", self.filterSizes);
    v("strides", self.strides);
    v("dilations", self.dilations);
    v("paddings", self.paddings);
    v("filterStrides", self.filterStrides);
    v("lhs", self.lhs);
    v("rhs", self.rhs);
    v("result", self.result);
  }
};

// A dot, a kernel on the rows it makes, and a dot that takes the rows the kernel makes on its left;
// few rows at a time, so that neither matrix between is stored: what `before` makes and the kernel's argument
// for it, and the kernel's result and what `after` takes, are empty slices. Both dots have the same batch
// and m. The kernel reads and writes row by row, in iterations that go evenly into the rows (row_blocks.h).
struct RowBlocksThunk {
  DotThunk before;
  KernelThunk kernel;
  DotThunk after;
  int64_t rowsArgument = 0;  // of the kernel
  int64_t rowsAtOnce = 1;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("before", self.before);
    v("kernel", self.kernel);
    v("after", self.after);
    v("rowsArgument", self.rowsArgument);
    v("rowsAtOnce", self.rowsAtOnce);
  }
};

// Sorts lines of `length` elements `stride` apart, the same permutation in every array, and keeps the first
// `kept` of each line; always stable. Line i starts at (i / stride) * length * stride + i % stride of an
// input and of a key, and at (i / stride) * kept * stride + i % stride of an output, which is none of the
// inputs. What decides are `keys`, arrays of unsigned numbers, the first before the others. Where there are
// none, and for a line in which a key is all ones if `onesAreUnordered` (a NaN, say, which is before and
// after nothing), it is `comparator`, a kernel: its buffers are one pred (the result), then for each array
// one element of the left and one of the right side.
struct SortThunk {
  std::vector<KernelPlace> comparator;  // one, or none where keys always decide
  bool onesAreUnordered = false;
  int64_t lines = 0, length = 0, kept = 0, stride = 1;
  std::vector<int64_t> keyBytes, elementBytes;
  std::vector<ReadSlice> keys, inputs;
  std::vector<WriteSlice> outputs;
  std::vector<WriteSlice> places;  // one of s32, or none: where in its line each kept element was
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("comparator", self.comparator);
    v("onesAreUnordered", self.onesAreUnordered);
    v("lines", self.lines);
    v("length", self.length);
    v("kept", self.kept);
    v("stride", self.stride);
    v("keyBytes", self.keyBytes);
    v("elementBytes", self.elementBytes);
    v("keys", self.keys);
    v("inputs", self.inputs);
    v("outputs", self.outputs);
    v("places", self.places);
  }
};

// Takes part in a collective of the program's table. Start brings the operands and does not wait; Done waits
// for the rest of the group and writes the results; Whole does both. A Done follows its Start, of the same
// collective, which nothing else starts in between.
enum class CollectivePhase : uint8_t { Whole, Start, Done };
inline constexpr int kCollectivePhaseCount = 3;
const char* collectivePhaseName(CollectivePhase phase);
struct CollectiveThunk {
  CollectivePlace collective;
  CollectivePhase phase = CollectivePhase::Whole;
  std::vector<ReadSlice> operands;  // not of a Done
  std::vector<WriteSlice> results;  // not of a Start
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("collective", self.collective);
    v("phase", self.phase);
    v("operands", self.operands);
    v("results", self.results);
  }
};

// Sends arrays to the devices that the collective's pairs name for this one; does not wait.
struct SendThunk {
  CollectivePlace collective;
  std::vector<ReadSlice> operands;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("collective", self.collective);
    v("operands", self.operands);
  }
};

// Waits for what is sent to this device; zeros when the pairs name no sender.
struct ReceiveThunk {
  CollectivePlace collective;
  std::vector<WriteSlice> results;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("collective", self.collective);
    v("results", self.results);
  }
};

// An array as a custom call sees it.
struct CustomCallArray {
  ElementType type = ElementType::F32;
  std::vector<int64_t> dimensions, minorToMajor;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("type", self.type);
    v("dimensions", self.dimensions);
    v("minorToMajor", self.minorToMajor);
  }
};

// One attribute: of `kind` (HiloAttributeKind of plugins/sdk/custom_call.h) one of the others is set.
struct CustomCallAttribute {
  std::string name;
  uint8_t kind = 0;
  std::string text;
  std::vector<int64_t> integers;
  std::vector<double> floats;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("name", self.name);
    v("kind", self.kind);
    v("text", self.text);
    v("integers", self.integers);
    v("floats", self.floats);
  }
};

// Calls what a plug-in registered for the target.
struct CustomCallThunk {
  std::string target, backendConfig;
  bool hasSideEffect = false;
  std::vector<CustomCallAttribute> attributes;
  std::vector<CustomCallArray> operandArrays, resultArrays;
  std::vector<ReadSlice> operands;
  std::vector<WriteSlice> results;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("target", self.target);
    v("backendConfig", self.backendConfig);
    v("hasSideEffect", self.hasSideEffect);
    v("attributes", self.attributes);
    v("operandArrays", self.operandArrays);
    v("resultArrays", self.resultArrays);
    v("operands", self.operands);
    v("results", self.results);
  }
};

// Takes a value of `shape`, an array or a tuple of some, from the host of the device: one result an array.
struct InfeedThunk {
  Shape shape;
  std::vector<WriteSlice> results;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("shape", self.shape);
    v("results", self.results);
  }
};

// Gives one to it.
struct OutfeedThunk {
  Shape shape;
  std::vector<ReadSlice> operands;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("shape", self.shape);
    v("operands", self.operands);
  }
};

// Runs one of Program::hosted, whose parameters and results are arrays in the order of these, on one device.
struct HostedThunk {
  HostedPlace program;
  bool isHostWork = false;  // the module asks for the host; else the host stands in for a device's library
  std::vector<ReadSlice> operands;
  std::vector<WriteSlice> results;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("program", self.program);
    v("isHostWork", self.isHostWork);
    v("operands", self.operands);
    v("results", self.results);
  }
};

// Asks a library of the GPU's maker. Where there is none, as on a simulated device, the host runs
// `substitute` of Program::hosted, whose parameters and results are these operands and results, in its place.
struct LibraryThunk {
  LibraryCall call;
  HostedPlace substitute;
  std::vector<ReadSlice> operands;
  std::vector<WriteSlice> results;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("call", self.call);
    v("substitute", self.substitute);
    v("operands", self.operands);
    v("results", self.results);
  }
};

// Whether others can tell when it is done, so that all such thunks of a program run in the order listed:
// every device must come to its collectives in the same one.
enum class ThunkOrder : uint8_t {
  Free,
  Kept,
  KeptWithEffect,  // where its hasSideEffect holds
};

// How a device that has streams does it.
enum class OnStream : uint8_t {
  Given,   // the device does it, from its stream
  Nested,  // by what the thunk runs
  Called,  // by a handler, which may be one for the device
  Library,
  Meeting,  // with other devices
  Fed,      // with the host's values
  Host,     // the host does it between two pieces of work of the stream
};

// THUNK(name, text, order, onStream): every kind; its data is struct <name>Thunk. The place in the list is
// part of the file format: a new kind comes last, and raises kVersion of program_file.cpp. What else a kind
// has to have: docs/adding_a_thunk.md.
#define HILO_THUNKS(THUNK)                                 \
  THUNK(Kernel, "kernel", Free, Given)                     \
  THUNK(Copy, "copy", Free, Given)                         \
  THUNK(While, "while", Free, Nested)                      \
  THUNK(Conditional, "conditional", Free, Nested)          \
  THUNK(Dot, "dot", Free, Host)                            \
  THUNK(Sort, "sort", Free, Host)                          \
  THUNK(Collective, "collective", Kept, Meeting)           \
  THUNK(Send, "send", Kept, Meeting)                       \
  THUNK(Receive, "receive", Kept, Meeting)                 \
  THUNK(CustomCall, "custom-call", KeptWithEffect, Called) \
  THUNK(Convolution, "convolution", Free, Host)            \
  THUNK(RowBlocks, "row-blocks", Free, Host)               \
  THUNK(Infeed, "infeed", Kept, Fed)                       \
  THUNK(Outfeed, "outfeed", Kept, Fed)                     \
  THUNK(Hosted, "hosted", Free, Host)                      \
  THUNK(Library, "library", Free, Library)

#define HILO_THUNK_NAME(name, ...) name,
enum class ThunkKind : uint8_t { HILO_THUNKS(HILO_THUNK_NAME) };
#undef HILO_THUNK_NAME
#define HILO_THUNK_ONE(...) +1
inline constexpr int kThunkKindCount = 0 HILO_THUNKS(HILO_THUNK_ONE);
#undef HILO_THUNK_ONE

#define HILO_THUNK_BODY(name, ...) name##Thunk,
using ThunkBody = std::variant<HILO_THUNKS(HILO_THUNK_BODY) std::monostate>;  // the last: never held
#undef HILO_THUNK_BODY

struct Thunk {
  std::string name;          // the instruction's
  uint32_t instruction = 0;  // its id in the module the program was compiled from
  int64_t costNs = 0;  // the compiler's estimate for one thread; decides what is worth sharing among threads
  ThunkBody body;

  ThunkKind kind() const { return static_cast<ThunkKind>(body.index()); }
};
using ThunkSequence = std::vector<Thunk>;

// visitor(name, field) for each field of the body; `thunk` is a Thunk or a const one.
template <typename ThunkOf, typename Visitor>
void visitFields(ThunkOf& thunk, Visitor& visitor) {
  std::visit(
      [&]<typename Body>(Body& body) {
        if constexpr (!std::is_same_v<std::remove_const_t<Body>, std::monostate>) Body::visit(body, visitor);
      },
      thunk.body);
}

// "kernel", "while", ...
const char* thunkKindName(ThunkKind kind);
// The buffers of the thunk itself; those of sequences it runs are not among them (see allBufferUses).
std::vector<BufferUse> bufferUses(const Thunk& thunk);
// The sequences it may run, in order.
std::vector<uint32_t> nestedSequences(const Thunk& thunk);
// As its kind's ThunkOrder says. (Of the thunk itself; see mustKeepOrder for what it runs.)
bool hasOwnOrder(const Thunk& thunk);
OnStream onStream(ThunkKind kind);

}  // namespace hilo
