// One row an operation: how it is written and what it becomes. StableHLO, MHLO, CHLO and VHLO name the same
// operations alike, so one row serves them all.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/LogicalResult.h>

#include <cstdint>

namespace hilo::stablehlo {

class OpConversion;

// How an operation is written, besides the generic form that MLIR reads by itself.
enum class Form : uint8_t {
  Items,         // operands, keywords and `key = value` items between commas
  Constant,      // stablehlo.constant dense<...> : type
  Reduce,        // stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0]
  While,         // stablehlo.while(%a = %b) : types cond {...} do {...}
  Scan,          // chlo.scan(%a) inits(%b) dimension=0 {...}
  ShardyMesh,    // sdy.mesh @name = <["x"=2]>
  ShardyValue,   // sdy.sharding_constraint %a <@mesh, [{"x"}]>, and the collectives of that dialect
  ShardyRegion,  // sdy.manual_computation(%a) in_shardings=[...] ... (%arg) {...}
  VhloFunction   // vhlo.func_v1 @name(%arg: type) -> type {...} {...}
};

// What the types after the colon stand for when they are not a function type.
enum class TypeTail : uint8_t {
  Same,           // one type: of every operand and the result
  Results,        // the results' types
  Pairwise,       // the operands' types, and the results' alike
  NoResult,       // the operands' types (one for all where fewer are written); there is no result
  Complex,        // a complex type: the result's; operands have its real type
  Predicated,     // type of the predicate, type of everything else
  TupleElements,  // a tuple type: the result's; operands have its elements' types
  RandomState     // none: the result is the state of a random generator
};

struct OpRow {
  const char* name;  // without the dialect
  using Convert = llvm::LogicalResult (*)(OpConversion&);
  // Null: HLO has nothing like it, and no conversion is known.
  Convert convert;
  const char* opcode;  // HLO's, for conversions that serve several operations
  Form form = Form::Items;
  TypeTail types = TypeTail::Same;
  // "dims=permutation": names in the pretty form that differ from the attribute's; "#compare_type" names the
  // attribute of the next bare keyword, "@value" that of the next bare attribute.
  const char* attributes = "";
};

// What a dialect has: StableHLO, MHLO and CHLO share their rows; check and interpreter theirs.
llvm::ArrayRef<OpRow> opTable(llvm::StringRef dialect);
// The row of `dialect.name`, VHLO's version ("_v2") set aside, func.call and arith.constant counted in; null
// when there is none.
const OpRow* findOp(llvm::StringRef dialect, llvm::StringRef name);

}  // namespace hilo::stablehlo
