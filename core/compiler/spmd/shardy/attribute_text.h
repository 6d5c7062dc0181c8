// Reads what Shardy prints into frontend attributes: meshes, shardings, sharding rules, manual axes. The text
// is untrusted: what is malformed, or does not fit mesh and shape, is a Diagnostic of kind "sharding-invalid"
// that names the instruction and the axis.
//
// Grammar: attrs.td, parsers.cc and verifiers.cc of Shardy's dialect.
#pragma once

#include "core/compiler/spmd/shardy/sharding_rule.h"
#include "core/compiler/spmd/shardy/tensor_sharding.h"

namespace hilo::sdy {

// Who carries the text, for diagnostics; null: the module's header.
using Owner = const Instruction*;

// "{mesh = #sdy.mesh<[\"a\"=2]>, ...}". Each mesh must be one of `partitions` devices, or of one.
Status readMeshes(std::string_view text, int64_t partitions, MeshTable& meshes);

// "#sdy.sharding<@mesh, [{\"a\"}, {?}]>" of an array.
Result<TensorSharding> readSharding(std::string_view text, Shape shape, int64_t partitions, MeshTable& meshes,
                                    Owner owner);
// "#sdy.sharding_per_value<[<@mesh, [{}]>, ...]>": one a leaf. Those of tokens are read and hold nothing.
Result<std::vector<TensorSharding>> readShardings(std::string_view text, std::span<const Shape> leaves,
                                                  int64_t partitions, MeshTable& meshes, Owner owner);
// "#sdy<manual_axes{\"a\", \"b\"}>", by name.
Result<std::vector<std::string>> readManualAxes(std::string_view text, Owner owner);
// "#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=8, k=4} reduction={k}, custom>".
Result<ShardingRule> readRule(std::string_view text, const Instruction& owner);
std::string toString(const ShardingRule& rule);
// "12 : i64".
Result<int64_t> readNumber(std::string_view text, Owner owner);

std::unexpected<Diagnostic> invalidSharding(Owner owner, std::string why);

}  // namespace hilo::sdy
