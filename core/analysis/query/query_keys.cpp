#include <algorithm>

#include "core/analysis/query/query.h"
#include "core/analysis/query/query_node.h"

namespace hilo {
namespace {

constexpr QueryKeyInfo kTable[] = {
    {"opcode", QueryField::Opcode, false, "the opcode: opcode:dot, opcode:all-*"},
    {"name", QueryField::Name, false, "the instruction's name: name:fusion.12, name:~^add"},
    {"op_name", QueryField::OpName, false, "op_name of the metadata: op_name:~attention"},
    {"op_type", QueryField::OpType, false, "op_type of the metadata"},
    {"source", QueryField::Source, false, "source file, with or without its line: source:*model.py:120"},
    {"computation", QueryField::Computation, false, "the computation it is in"},
    {"in", QueryField::In, false,
     "the computation it is in, or one that calls it at any depth: in:while_body"},
    {"operand", QueryField::Operand, false, "an operand's opcode or name, or operand:(query)"},
    {"user", QueryField::User, false, "a user's opcode or name, or user:(query)"},
    {"calls", QueryField::Calls, false, "a computation it calls"},
    {"target", QueryField::Target, false, "the custom call's target"},
    {"class", QueryField::Class, false, "the class of what it does: class:collective, class:contraction"},
    {"path", QueryField::Path, false,
     "on a way from one to the other, by name or opcode: path:embed->loss, path:(type:s32)->gather"},
    {"sharding", QueryField::Sharding, false,
     "its sharding, or that of an element: sharding:replicated, sharding:*[8,1]*"},
    {"axis", QueryField::Axis, false, "an axis of the mesh that cuts it, or that a collective runs along"},
    {"reshard", QueryField::Reshard, false,
     "a collective that the partitioner made: reshard:all-gather, reshard:*"},
    {"type", QueryField::Type, false, "an element type of the result: type:bf16"},
    {"shape", QueryField::Shape, false, "a shape of the result: shape:f32[128,*], shape:bf16[..,64]"},
    {"has", QueryField::Has, false, "an attribute that is there: has:sharding, has:control-predecessors"},
    {"is", QueryField::Is, false,
     "is:root, entry, dead, scalar, tuple, dynamic, elementwise, async, fused or unstable"},
    {"bytes", QueryField::Bytes, true, "size of the result: bytes>1MB"},
    {"accessed", QueryField::Accessed, true, "bytes read and written"},
    {"flops", QueryField::Flops, true, "floating-point operations: flops>1e9"},
    {"transcendentals", QueryField::Transcendentals, true, "transcendental function calls"},
    {"operands", QueryField::Operands, true, "number of operands"},
    {"users", QueryField::Users, true, "number of users: users=0"},
    {"rank", QueryField::Rank, true, "number of dimensions; tuples have none"},
    {"elements", QueryField::Elements, true, "number of elements of the result"},
    {"channel", QueryField::Channel, true, "channel_id"},
    {"id", QueryField::Id, true, "Hilo's instruction id"},
    {"line", QueryField::Line, true, "source line of the metadata"},
    {"parameter", QueryField::Parameter, true, "parameter number"},
    {"trip_count", QueryField::TripCount, true, "known trip count of a while"},
};

constexpr QueryWord kIsWords[] = {
    {"root", QueryIs::Root},
    {"entry", QueryIs::Entry},
    {"dead", QueryIs::Dead},
    {"scalar", QueryIs::Scalar},
    {"tuple", QueryIs::Tuple},
    {"dynamic", QueryIs::Dynamic},
    {"elementwise", QueryIs::Elementwise},
    {"async", QueryIs::Async},
    {"fused", QueryIs::Fused},
    {"unstable", QueryIs::Unstable},
};

}  // namespace

std::span<const QueryKeyInfo> queryKeyTable() { return kTable; }
std::span<const QueryWord> queryIsWords() { return kIsWords; }

const QueryKeyInfo* findQueryKey(std::string_view name) {
  const auto found = std::ranges::find(kTable, name, &QueryKeyInfo::name);
  return found == std::end(kTable) ? nullptr : found;
}

std::vector<QueryKey> queryKeys() {
  std::vector<QueryKey> keys;
  for (const QueryKeyInfo& key : kTable) keys.push_back({key.name, key.numeric, key.what});
  return keys;
}

}  // namespace hilo
