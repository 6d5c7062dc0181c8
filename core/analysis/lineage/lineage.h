// Where each instruction of a module came from in an earlier stage of it, and what became of each instruction
// of that stage: through inlining, outlining, fusion and partitioning. A matching (analysis/diff) pairs one
// with one; here one may come from several, and several from one.
//
// Evidence, from the strongest to the weakest; the first that gives anything is taken:
//  - the matching of the two modules;
//  - provenance, where both are snapshots of one of Hilo's own runs;
//  - metadata: instructions of the same op_name and source line; an op_name that grew in front when its call
//    was inlined counts by its end. Of several, those that are most alike in opcode, shape and operands;
//  - names: "dot.5.remat" and "dot.5.clone.1" are made of dot.5;
//  - place: the same operation on what its operands came from, through calls and changes of form; or a
//    change of form itself, of what its operand came from;
//  - use: what is made for an instruction comes from what that one came from: for its users, for what
//    calls it, for the result of the module.
// What calls a computation comes from what that computation's instructions came from.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

enum class LineageTie : uint8_t { Same, Provenance, Metadata, Name, Place, Body, Use };
inline constexpr int kLineageTieCount = 7;
// "same", "provenance", "metadata", "name", "place", "body", "use".
std::string_view lineageTieName(LineageTie tie);

struct LineageLink {
  InstructionId id;  // of the other module
  LineageTie tie = LineageTie::Same;
};

class Lineage {
 public:
  // Of an instruction of the module after, by id: what it came from, no id twice. Empty: not known.
  std::span<const LineageLink> sourcesOf(InstructionId after) const { return of(sources_, after); }
  // Of an instruction of the module before: what became of it. Empty: gone, or not known.
  std::span<const LineageLink> targetsOf(InstructionId before) const { return of(targets_, before); }

  using Links = std::vector<std::vector<LineageLink>>;
  Lineage(Links sources, Links targets) : sources_(std::move(sources)), targets_(std::move(targets)) {}

 private:
  static std::span<const LineageLink> of(const Links& links, InstructionId id) {
    return id.valid() && id.value < links.size() ? std::span<const LineageLink>(links[id.value])
                                                 : std::span<const LineageLink>();
  }
  Links sources_, targets_;
};

struct ModuleMatching;

// `sharedIds`: both are snapshots of one of Hilo's own runs. About linear in the sizes.
Lineage traceLineage(const Module& before, const Module& after, bool sharedIds = false);
// With a matching that is there already.
Lineage traceLineage(const Module& before, const Module& after, const ModuleMatching& matching);

// How much of a module's work is traced: of instructions that compute or move data, in computations that are
// run or fused, none of which is a parameter, a constant, a tuple or a view of bytes.
struct LineageShare {
  int64_t instructions = 0;
  int64_t traced = 0;
  int64_t byTie[kLineageTieCount] = {};  // by the first link
};
LineageShare lineageShare(const Module& after, const Lineage& lineage);
// What counts there.
bool isTracedKind(const Instruction& instruction);
// The computations it names are run or fused: no functions of elements.
bool holdsWork(const Instruction& caller);

}  // namespace hilo
