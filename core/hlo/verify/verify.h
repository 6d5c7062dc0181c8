// The verifier: whether a module is one that XLA would take, and if not, everything that is wrong with it.
//
// It is as strict as XLA's HloVerifier (service/hlo_verifier.cc) with mixed precision allowed, and no
// stricter but for batching dimensions of gather and scatter, whose sizes agree as StableHLO says, and for
// the number of devices: otherwise they have no meaning. Each finding has a stable kind (kinds.def), the
// place (line and column in the text the module was parsed from, computation, instruction), what was expected
// and what is there, and the remedy where there is one. Never trips over a broken module; time is linear but
// for what is wrong.
//
// Module
//  - module-name: a module has a name.
//  - entry-missing: there is an entry computation, of this module, and no fusion calls it.
//  - entry-layout: entry_computation_layout has the shapes of the entry's parameters and root,
//    and valid layouts.
//  - input-output-alias: both indexes exist and lead to arrays; an output and a parameter part appear once;
//    a must-alias pair has one shape and layout.
//  - buffer-donor: the index exists, leads to an array, and is not aliased as well.
//  - module-devices: replica_count and num_partitions are at least 1, and their product, by which devices are
//    numbered, is an s32.
//  - call-cycle: no computation calls itself, directly or through others.
// Computations
//  - name-not-unique: instruction names are unique in their computation, computation names in the module.
//  - root-missing: a computation has a root, one of its own instructions.
//  - parameter-numbers: parameters are numbered 0..n-1, each number once.
//  - operand-missing, operand-elsewhere: operands and control predecessors exist and are in
//    the same computation.
//  - operand-order, control-order: they come earlier in the list, which is the schedule of a scheduled
//    module; dependency-cycle: or cannot, because they depend on the instruction.
//  - computation-elsewhere: called computations are in this module.
//  - unexpected-call: only opcodes that call computations name some.
//  - execution-thread: fusion, while and conditional call computations of their own thread; an async start
//    names the thread of what it wraps.
//  - fusion-computation: a fused computation has one caller, no users of its root, and no instruction that
//    is neither used, nor root, nor has side effects.
//  - async-computation: on the main thread, a wrapped computation is one operation on its parameters, unless
//    it is a marked group of collectives or only hands values through.
// Shapes
//  - shape-not-inferable, operand-count, attribute-missing, attribute-invalid, operand-type, operand-shape,
//    implicit-broadcast, dimension-out-of-range, dimension-repeated, dimension-order, tuple-index,
//    called-signature, computation-incomplete, element-count: the rules of each opcode (infer_shape.h).
//    attribute-missing also of what no shape follows from, such as the direction of a compare.
//  - result-shape: the shape written is the shape inferred, layouts and dynamic flags aside; float widths may
//    differ but for ops that hand values on. literal-shape: the same for constants.
//  - layout-invalid: a layout orders each dimension once, with positive tiles and sizes.
//  - unbounded-shape: no unbounded dimensions (unless allowed).
//  - mixed-precision: one float width among the operands (only where mixing is disallowed).
//  - comparison-type: type of compare fits its operands.
//  - result-accuracy: only transcendental ops carry one.
//  - original-value: origin has the tuple structure of the shape.
//  - memory-space, layout-changed: with layouts checked, a bitcast keeps its bytes and stays on its side of
//    host memory; values handed on keep their layout.
// Calls and pairs
//  - operand-alias: output_to_operand_aliasing of fusion, custom-call and async-start names operands and
//    indexes that exist and have one shape; call has none.
//  - custom-call-layout: constrained operand layouts are as many as the operands and have their shapes;
//    composite-call: a composite has a name and a version that counts.
//  - buffer-misuse: buffers b(...) pass only through the ops that may hold them, and have one writer.
//  - async-chain: each start has one consumer, its update or done, and each done the start it needs.
//  - channel-mismatch: send and send-done (recv and recv-done) share channel and host-transfer flag; an
//    all-reduce's channel is positive.
// Devices
//  - replica-groups: groups are disjoint, cover 0..n-1, are of one size (but for all-reduce), and are as many
//    devices as the group mode says; they agree with the shapes.
//  - source-target-pairs: pairs of devices that exist; each sends and receives once.
//  - sharding-invalid: one sharding a tuple leaf; tile ranks and device lists fit the shape and partitions.
//  - sharding-inconsistent: a loop or conditional, and what it calls, do not disagree.
// Warnings only
//  - unknown-opcode: an opcode Hilo does not know; only its operands are checked.
//  - name-not-unique: two computations have an instruction of one name. XLA renames one when it reads them.
//  - dimension-repeated: a dimension of a gather's or scatter's operand has both an index and a batch. XLA's
//    evaluator takes the batch, its expanders the index.
//  - constrain-layout-mix: some all-reduces say constrain_layout and some do not, as Torch/XLA writes them.
#pragma once

#include "core/base/diagnostic.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct VerifyOptions {
  // For the places of diagnostics: the file, and its line at which the module's text begins.
  std::string fileName;
  uint32_t firstLine = 1;
  // Compares layouts too where XLA does after layout assignment.
  bool layoutSensitive = false;
  bool allowMixedPrecision = true;
  bool allowUnboundedShapes = false;
  // Leaves out what nobody who reads the module trips over: findings of kinds that stand (kinds.def).
  bool onlyBreaking = false;
  // Stops at this many errors, with a note that there are more. As many warnings are kept.
  size_t errorLimit = 100;
};

// What is wrong with `module`; empty when nothing is. Thread-safe on a module that nobody changes.
Diagnostics verify(const Module& module, const VerifyOptions& options = {});

}  // namespace hilo
