// A kind of processor: all that the code generator has to know of one. An engine has a table of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace llvm {
class Function;
class IRBuilderBase;
class Instruction;
class Module;
class PassBuilder;
class Value;
}  // namespace llvm

namespace hilo {

// A kernel's function before it has code: where it finds its buffers, and which iterations it is to do.
struct KernelFrame {
  llvm::Function* function;
  llvm::Value *buffers, *begin, *end;  // an array of pointers; two i64
};

// Of a processor.
struct VectorRegisters {
  int64_t bytes = 32, count = 16;
};

// An instruction that rounds f32 to bf16.
struct Bf16Rounding {
  unsigned lanes;  // of f32 in the vectors it takes
  // Which of them it rounds to anything but the nearest bf16, or, of a NaN, the quiet one of its sign: bits.
  llvm::Value* (*differs)(llvm::IRBuilderBase& b, llvm::Value* x);
  // The bits of both vectors rounded, one after the other.
  llvm::Value* (*round)(llvm::IRBuilderBase& b, llvm::Value* low, llvm::Value* high);
};

// Which build of the scalar functions kernels call.
enum class ScalarBuild : uint8_t { Host, Nvptx };

struct CodegenTarget {
  const char* triple;
  // Whose scheduling all code is made for, whatever features it may use; "": each processor's own code.
  const char* plainProcessor;
  // What code gains from and runtime/program's checkMachine can look for, sorted; and of these what kernels
  // cannot do without.
  std::span<const std::string_view> features, needed;
  void (*addToLlvm)();
  KernelFrame (*beginKernel)(llvm::Module& module, const char* symbol);
  // Ends the function at the builder's place, of a kernel that has so many buffers.
  void (*endKernel)(const KernelFrame& frame, llvm::IRBuilderBase& b, int buffers);
  // Whether LLVM has no code for an instruction, which would end the process; null: it has for all.
  bool (*cannotEmit)(const llvm::Instruction& instruction) = nullptr;
  // Adds to LLVM's passes what they lack for the target; null: they are as they are.
  void (*addPasses)(llvm::PassBuilder& builder) = nullptr;
  bool emitsText = false;  // kernels are kept as assembly: PTX, which the driver or a tool assembles
  ScalarBuild scalars = ScalarBuild::Host;
  // The C library is called as the scalar functions were compiled to: complex numbers and long double too.
  bool callsAsHost;

  // Shapes of loops.
  VectorRegisters (*vectorRegisters)(std::span<const std::string> features);
  const Bf16Rounding* (*bf16Rounding)(std::span<const std::string> features);  // null: there is none
  unsigned vectorBytes;      // of partial results side by side
  int64_t lineBytes;         // that memory gives at once
  int64_t firstCacheBytes;   // of caches the least, or nearly, of processors of the kind: the nearest,
  int64_t threadCacheBytes;  // what a thread has to itself,
  int64_t allCacheBytes;     // and what holds nothing of a larger array after it was written
};

}  // namespace hilo
