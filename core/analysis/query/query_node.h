// The tree a query parses to. Private to the query's parser, matcher and completions.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/analysis/query/query_pattern.h"
#include "core/hlo/ir/attribute.h"
#include "core/hlo/ir/opcode.h"

namespace hilo {

// What a term looks at. Names and their one-line help stand in kQueryKeyTable.
enum class QueryField : uint8_t {
  // Text
  Opcode,
  Name,
  OpName,
  OpType,
  Source,
  Computation,
  In,
  Operand,
  User,
  Calls,
  Target,
  Class,
  Path,
  Sharding,
  Axis,
  Reshard,
  // Fixed words
  Type,
  Shape,
  Has,
  Is,
  // Numbers
  Bytes,
  Accessed,
  Flops,
  Transcendentals,
  Operands,
  Users,
  Rank,
  Elements,
  Channel,
  Id,
  Line,
  Parameter,
  TripCount,
};

struct QueryKeyInfo {
  std::string_view name;
  QueryField field;
  bool numeric;
  std::string_view what;
};
std::span<const QueryKeyInfo> queryKeyTable();
const QueryKeyInfo* findQueryKey(std::string_view name);

enum class QueryIs : uint8_t {
  Root,
  Entry,
  Dead,
  Scalar,
  Tuple,
  Dynamic,
  Elementwise,
  Async,
  Fused,
  Unstable
};
struct QueryWord {
  std::string_view name;
  QueryIs is;
};
std::span<const QueryWord> queryIsWords();

enum class Comparison : uint8_t { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };

struct QueryNode {
  enum class Kind : uint8_t { All, And, Or, Not, AnyText, Text, Related, Path, Number, Type, Shape, Has, Is };
  Kind kind = Kind::All;
  std::string text;                 // of a term: as it was written
  std::vector<QueryNode> children;  // And, Or, Not, Related; Path: from and to
  QueryField field = QueryField::Name;
  TextPattern pattern;           // AnyText, Text
  std::optional<Opcode> opcode;  // Text on Opcode that names one: compared without text
  ShapePattern shape;
  std::vector<Attr> attributes;  // Has
  ElementType type{};
  QueryIs is = QueryIs::Root;
  Comparison comparison = Comparison::Equal;
  double number = 0;
  // Which In term, or which Path term, this is: for what the matcher computes once.
  uint32_t inIndex = 0;
  uint32_t pathIndex = 0;
};

}  // namespace hilo
