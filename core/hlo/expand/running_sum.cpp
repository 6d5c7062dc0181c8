// Running sums, as CUB makes them.
#include <charconv>

#include "core/hlo/expand/expansion.h"

namespace hilo::library {
namespace {

constexpr std::string_view kScan = R"(HloModule scan
step {
  x = $T[$C,$V] parameter(0)
  before = $T[$C,$V] parameter(1)
  sum = add(before, x)
  ROOT both = tuple(sum, sum)
}
ENTRY scan {
  x = $T[$C,$R,$V] parameter(0)
  nothing = $T[] constant(0)
  start = $T[$C,$V] broadcast(nothing), dimensions={}
  scanned = ($T[$C,$R,$V], $T[$C,$V]) scan(x, start), dimensions={1}, num_carries=1, is_reverse=$REVERSE, is_associative=true, to_apply=step
  ROOT sums = get-tuple-element(scanned), index=0
}
)";

// Of 64 bits, and so perhaps a string; 0 where it is no number.
int64_t lengthIn(const CallConfig& config, const char* name) {
  const std::string text = config.text(name, "0");
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

// Operand: columns of rows of vectors. Results: of each element along the rows the sum up to it, workspace.
Result<Instruction*> expandRunningSum(Expansion& call) {
  TRY_STATUS(call.needsArrays(1, 1));
  TRY_STATUS(call.needsResults(1, 2));
  TRY(const CallConfig config, call.config());
  const std::string kind = config.text("kind", "SUM");
  if (kind != "SUM" && kind != "1") return call.refuse("scans by another operation than addition");
  const Shape shape = call.operand(0)->shape();
  const int64_t vectors = lengthIn(config, "vector_length"), rows = lengthIn(config, "row_length"),
                columns = lengthIn(config, "column_length");
  if (vectors < 1 || rows < 1 || columns < 0 || shape.elementCount() / vectors / rows != columns ||
      shape.elementCount() % (vectors * rows) != 0)
    return call.malformed("has rows that are not its operand's");
  const std::string_view type = elementTypeName(shape.elementType());
  Instruction* wide = call.add(Opcode::Reshape, Shape::array(shape.elementType(), {columns, rows, vectors}),
                               {call.operand(0)});
  Instruction* sums = call.callText(kScan,
                                    {{"$REVERSE", config.flag("is_reverse", false) ? "true" : "false"},
                                     {"$T", std::string(type)},
                                     {"$C", std::to_string(columns)},
                                     {"$R", std::to_string(rows)},
                                     {"$V", std::to_string(vectors)}},
                                    std::array{wide});
  return call.give({call.add(Opcode::Reshape, shape.withoutLayout(), {sums})});
}

}  // namespace hilo::library
