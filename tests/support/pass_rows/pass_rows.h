// Rows of the tables in rows/, a file for each pass of XLA's: small modules, and what it must make of them.
//
//   # a comment
//   passes: algebraic-simplifier        what runs from here on; else what the file is named after
//   AddZero: root parameter; lacks add
//     (a: f32[4]) z = f32[] constant(0) zs = f32[4] broadcast(z), dimensions={} ROOT r = f32[4] add(a, zs)
//
// A row is the name of a property (that of XLA's test which asserts it; one that XLA has no test of starts
// with a small letter), what must hold, and below it, indented, the module. Shapes of results may be left
// out. `(a: SHAPE,
// ...)` declares the parameters of the entry computation; the text is its instructions, unless it has an
// ENTRY of its own. An applied computation such as add.f32 or maximum.s32 is made from its name (second.f32:
// its second parameter).
//
// What must hold, separated by semicolons: `same`, the pass says that it changed nothing (without it, it must
// change something); `root PATTERN` (match.h); `has OPCODE`, `lacks OPCODE`, `count N OPCODE` over all
// computations; `shows TEXT`, `hides TEXT` of the module printed; `applies RULE`, a remark that starts with
// the rule's name; `next A B`, instruction B follows A in the order; `clean`, dead-code elimination finds
// nothing that the pass left; `remarks TEXT`, a remark has it in it; `silent`, there is none; `fails KIND
// TEXT`, the pass gives an error of this kind with TEXT in it, and nothing else is looked at; `by PASSES`,
// other passes than the file's; `devices R P`, run on R replicas and P partitions; `not run: REASON`, numbers
// are not compared; `exact`, they are equal bit for bit.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace hilo::pass_rows {

struct Check {
  std::string kind, text;
};

struct Row {
  std::string file, name, passes, module;
  int line = 0;
  std::vector<Check> checks;
  int64_t replicas = 1, partitions = 1;
  bool mustChange = true, isExact = false;
  Check failure;       // the kind and text of the error it must give; "" where it gives none
  std::string notRun;  // why numbers are not compared; "" where they are
};

// For GoogleTest: "algsimp.rows:12 AddZero".
void PrintTo(const Row& row, std::ostream* out);

// All rows, by file and then in their order. Words of a row that nobody knows are kept as checks that fail.
std::vector<Row> readRows(const std::string& folder);

// The module's text: head, reducers, parameters and what the row says.
std::string moduleText(const Row& row, const std::string& body);

}  // namespace hilo::pass_rows
