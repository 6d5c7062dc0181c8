// Copies of parts of a value: get-tuple-element, copy and tuple instructions around what is copied.
#pragma once

#include "core/analysis/dataflow/shape_index.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Which parts of a shape, by ordinal in pre-order (SubshapeTable).
class PartsToCopy {
 public:
  explicit PartsToCopy(Shape shape) : table_(shape), marked_(table_.size()) {}
  const SubshapeTable& table() const { return table_; }
  void mark(uint32_t ordinal) { marked_[ordinal] = true; }
  void markAll() { marked_.assign(marked_.size(), true); }
  bool marked(uint32_t ordinal) const { return marked_[ordinal]; }
  bool any() const { return std::ranges::find(marked_, true) != marked_.end(); }
  bool anyWithin(uint32_t ordinal) const;

 private:
  SubshapeTable table_;
  std::vector<bool> marked_;
};

// A value like `value` in which the marked arrays are copies and the marked tuples new tables. Made in front
// of `before`, or at the end. Copies stand in `copies` by ordinal, null where there is none. Tokens, opaque
// values and buffers cannot be copied and are passed on. Gives `value` back when nothing is marked.
Instruction* deepCopy(Instruction* value, const PartsToCopy& parts, Instruction* before,
                      std::vector<Instruction*>& copies);

// On a while: no copies for what it carries.
inline constexpr std::string_view kDisableLoopCopies = "xla_disable_while_loop_copies";
// The custom call with which a value of type b(...) begins.
inline constexpr std::string_view kPinTarget = "Pin";

// What a value is in the module as it was before instructions from id `firstNew` on were added: a copy what
// it copies, an element of a tuple that part of it, a tuple put together anew what its first element is of.
std::pair<const Instruction*, ShapeIndex> partBefore(const Instruction& value, uint32_t firstNew);
// Of that "%name{index}".
std::string nameBefore(const Instruction& value, uint32_t firstNew);

}  // namespace hilo
