#include "core/hlo/ir/op_facts.h"

#include <array>

namespace hilo {
namespace {

struct Row {
  Opcode opcode;
  AsyncFacts async;
  uint32_t facts = 0;
};

constexpr void set(Row& row, AsyncFacts async) { row.async = async; }
constexpr void set(Row& row, OpFact fact) { row.facts |= 1U << static_cast<uint32_t>(fact); }

template <typename... Parts>
constexpr Row makeRow(Opcode opcode, Parts... parts) {
  Row row{opcode, {AsyncStep::Whole, opcode}};
  (set(row, parts), ...);
  return row;
}

constexpr std::array<Row, kOpcodeCount> makeRows() {
  using enum OpFact;
#define START(whole) AsyncFacts{AsyncStep::Start, Opcode::whole}
#define UPDATE(whole) AsyncFacts{AsyncStep::Update, Opcode::whole}
#define DONE(whole) AsyncFacts{AsyncStep::Done, Opcode::whole}
#define OP_FACTS(name, ...) makeRow(Opcode::name __VA_OPT__(, ) __VA_ARGS__),
  return {
#include "core/hlo/ir/op_facts.def"
  };
#undef START
#undef UPDATE
#undef DONE
}

constexpr std::array<Row, kOpcodeCount> kRows = makeRows();

constexpr bool isInOrder() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].opcode != static_cast<Opcode>(i)) return false;
  }
  return true;
}
static_assert(isInOrder(), "op_facts.def has one row an opcode, in the order of ops.def");

const Row& row(Opcode opcode) { return kRows[static_cast<size_t>(opcode)]; }

}  // namespace

bool hasFact(Opcode opcode, OpFact fact) {
  return (row(opcode).facts >> static_cast<uint32_t>(fact) & 1) != 0;
}

AsyncFacts asyncFacts(Opcode opcode) { return row(opcode).async; }

bool hasOwnStart(Opcode whole) {
  for (const Row& row : kRows) {
    if (row.async.step == AsyncStep::Start && row.async.whole == whole && whole != Opcode::Opaque)
      return true;
  }
  return false;
}

}  // namespace hilo
