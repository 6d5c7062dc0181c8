#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/mesh_groups.h"

namespace hilo::stablehlo {

int64_t channelOf(OpConversion& c) {
  for (const llvm::StringRef name : {"handle", "channel_id"}) {
    const Integers value = c.fieldIntegers("channel_handle", name);
    if (!value.empty()) return value[0];
  }
  return c.integer("channel_id");
}

std::optional<std::vector<Integers>> replicaGroupsOf(OpConversion& c) {
  mlir::Attribute attribute = c.attribute("replica_groups");
  std::vector<Integers> groups;
  if (!attribute) return groups;
  if (const auto axes = llvm::dyn_cast<mlir::DictionaryAttr>(attribute)) return meshGroups(c, axes);
  const auto matrix = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attribute);
  const auto numbers = integersOf(attribute);
  if (!matrix || !numbers || matrix.getType().getRank() != 2) {
    (void)c.error("has replica groups that are no matrix of numbers");
    return std::nullopt;
  }
  const auto width = static_cast<size_t>(matrix.getType().getDimSize(1));
  for (size_t at = 0; width > 0 && at < numbers->size(); at += width) {
    Integers& group = groups.emplace_back();
    for (size_t n = at; n < at + width; ++n) {
      if ((*numbers)[n] >= 0) group.push_back((*numbers)[n]);  // -1 fills up the shorter rows
    }
  }
  return groups;
}

bool isSet(OpConversion& c, llvm::StringRef name) {
  mlir::Attribute value = c.attribute(name);
  return value && (llvm::isa<mlir::UnitAttr>(value) || c.flag(name));
}

namespace {

bool readReplicaGroups(OpConversion& c, Hlo made) {
  const auto groups = replicaGroupsOf(c);
  if (!groups) return false;
  for (const Integers& group : *groups)
    made->add_replica_groups()->mutable_replica_ids()->Add(group.begin(), group.end());
  return true;
}

bool readPairs(OpConversion& c, Hlo made) {
  const auto numbers = c.integersOr("source_target_pairs", 0, 0);
  if (numbers.size() % 2 != 0) {
    (void)c.error("has a source without a target");
    return false;
  }
  for (size_t n = 0; n < numbers.size(); n += 2) {
    auto* pair = made->add_source_target_pairs();
    pair->set_source(numbers[n]);
    pair->set_target(numbers[n + 1]);
  }
  return true;
}

// What all collectives share.
LogicalResult finish(OpConversion& c, Hlo made) {
  if (const int64_t channel = channelOf(c); channel > 0) made->set_channel_id(channel);
  made->set_use_global_device_ids(isSet(c, "use_global_device_ids"));
  if (!readReplicaGroups(c, made)) return llvm::failure();
  return c.done(made);
}

Hlo withReducer(OpConversion& c) {
  const auto computation = c.region(0, "reducer");
  if (!computation) return nullptr;
  Hlo made = c.make();
  made->add_called_computation_ids(*computation);
  return made;
}

}  // namespace

LogicalResult convertAllGather(OpConversion& c) {
  Hlo made = c.make();
  made->add_dimensions(c.integer("all_gather_dim"));
  return finish(c, made);
}

LogicalResult convertAllReduce(OpConversion& c) {
  Hlo made = withReducer(c);
  return made == nullptr ? llvm::failure() : finish(c, made);
}

LogicalResult convertReduceScatter(OpConversion& c) {
  Hlo made = withReducer(c);
  if (made == nullptr) return llvm::failure();
  made->add_dimensions(c.integer("scatter_dimension"));
  return finish(c, made);
}

namespace {

// HLO's array form splits one dimension and puts the pieces along the same: where StableHLO joins them along
// another, they go there by a reshape and a transpose. Source: XLA's AllToAll builder.
Hlo makeAllToAll(OpConversion& c, Hlo operand, int64_t split, int64_t concat, int64_t count) {
  const Dims dims = dimsOf(operand->shape());
  const auto exchange = [&](Hlo value) -> Hlo {
    Hlo made = c.to.add("all-to-all", value->shape(), {value});
    made->add_dimensions(split);
    if (const int64_t channel = channelOf(c); channel > 0) made->set_channel_id(channel);
    return readReplicaGroups(c, made) ? made : nullptr;
  };
  if (split == concat) return exchange(operand);
  Integers parted(dims.begin(), dims.end());
  parted[static_cast<size_t>(split)] /= count;
  parted.insert(parted.begin() + split, count);
  Hlo made = exchange(c.to.reshape(operand, parted));
  if (made == nullptr) return nullptr;
  // The pieces' dimension moves to just before `concat`.
  Integers order, moved, joined(dims.begin(), dims.end());
  for (int64_t n = 0; n < static_cast<int64_t>(dims.size()) + 1; ++n) {
    if (n == split) continue;
    if ((n > split ? n - 1 : n) == concat) order.push_back(split);
    order.push_back(n);
  }
  for (const int64_t n : order) moved.push_back(parted[static_cast<size_t>(n)]);
  Hlo transposed = c.to.add("transpose", withDims(made->shape(), moved), {made});
  transposed->mutable_dimensions()->Add(order.begin(), order.end());
  joined[static_cast<size_t>(split)] /= count;
  joined[static_cast<size_t>(concat)] *= count;
  return c.to.reshape(transposed, joined);
}

}  // namespace

LogicalResult convertAllToAll(OpConversion& c) {
  const int64_t split = c.integer("split_dimension", -1), concat = c.integer("concat_dimension", -1);
  const int64_t count = c.integer("split_count", 1);
  if (split < 0) return finish(c, c.make());  // MHLO's tuple form
  const auto isOpen = [](Hlo operand) {
    return llvm::any_of(operand->shape().is_dynamic_dimension(), [](bool open) { return open; });
  };
  if (split != concat && llvm::any_of(c.operands(), isOpen)) return convertToCustomCall(c);
  llvm::SmallVector<Hlo> results;
  for (Hlo operand : c.operands()) {
    const int rank = operand->shape().dimensions_size();
    if (split >= rank || concat < 0 || concat >= rank || count < 1)
      return c.error("splits or joins no dimension of its operand");
    results.push_back(makeAllToAll(c, operand, split, concat, count));
    if (results.back() == nullptr) return llvm::failure();
  }
  return c.done(Hlos(results));
}

LogicalResult convertCollectivePermute(OpConversion& c) {
  Hlo made = c.make();
  return readPairs(c, made) ? finish(c, made) : llvm::failure();
}

LogicalResult convertCollectiveBroadcast(OpConversion& c) {
  Hlo made = c.make();
  made->set_has_dynamic_root(isSet(c, "has_dynamic_root"));
  return finish(c, made);
}

LogicalResult convertCrossReplicaSum(OpConversion& c) {
  if (failed(c.needs(1))) return llvm::failure();
  const pb::ShapeProto scalar = scalarShape(c.operand(0)->shape().element_type());
  ComputationBuilder sum(c.to.module(), "sum." + std::to_string(c.to.module().nextId()));
  Hlo a = sum.parameter(0, scalar, ""), b = sum.parameter(1, scalar, "");
  sum.finish(sum.apply("add", {a, b}));
  Hlo made = c.make();
  made->add_called_computation_ids(sum.id());
  return finish(c, made);
}

// ---- the host and other devices, one value at a time

namespace {

// `values` as the one operand a send or an outfeed has.
Hlo bundle(OpConversion& c, Hlos values) { return values.size() == 1 ? values[0] : c.to.tuple(values); }

}  // namespace

LogicalResult convertInfeed(OpConversion& c) {
  if (failed(c.needs(0))) return llvm::failure();
  llvm::SmallVector<pb::ShapeProto> shapes;
  for (size_t n = 0; n + 1 < c.resultCount(); ++n) shapes.push_back(c.resultShape(n));
  Hlo made = c.to.add("infeed", tupleShape({tupleShape(shapes), tokenShape()}), c.operands());
  made->set_infeed_config(c.text("infeed_config"));
  Hlo data = c.to.element(made, 0);
  llvm::SmallVector<Hlo> results;
  for (size_t n = 0; n < shapes.size(); ++n) results.push_back(c.to.element(data, static_cast<int64_t>(n)));
  results.push_back(c.to.element(made, 1));
  c.made = made;
  return c.done(Hlos(results));
}

LogicalResult convertOutfeed(OpConversion& c) {
  if (c.operandCount() < 1) return c.error("lacks a token");
  Hlo data = bundle(c, c.operands().drop_back());
  Hlo made = c.make("outfeed", {data, c.operands().back()});
  *made->mutable_outfeed_shape() = data->shape();
  made->set_outfeed_config(c.text("outfeed_config"));
  return c.done(made);
}

LogicalResult convertSend(OpConversion& c) {
  if (c.operandCount() < 1) return c.error("lacks a token");
  Hlo data = bundle(c, c.operands().drop_back());
  const pb::ShapeProto shape = tupleShape({data->shape(), scalarShape(pb::U32), tokenShape()});
  Hlo start = c.to.add("send", shape, {data, c.operands().back()});
  Hlo end = c.to.add("send-done", tokenShape(), {start});
  for (Hlo one : {start, end}) {
    one->set_channel_id(channelOf(c));
    one->set_is_host_transfer(isSet(c, "is_host_transfer"));
  }
  if (!readPairs(c, start)) return llvm::failure();
  return c.done(end);
}

LogicalResult convertRecv(OpConversion& c) {
  if (failed(c.needs(0))) return llvm::failure();
  llvm::SmallVector<pb::ShapeProto> shapes;
  for (size_t n = 0; n + 1 < c.resultCount(); ++n) shapes.push_back(c.resultShape(n));
  const pb::ShapeProto data = shapes.size() == 1 ? shapes[0] : tupleShape(shapes);
  Hlo start = c.to.add("recv", tupleShape({data, scalarShape(pb::U32), tokenShape()}), c.operands());
  Hlo end = c.to.add("recv-done", tupleShape({data, tokenShape()}), {start});
  for (Hlo one : {start, end}) {
    one->set_channel_id(channelOf(c));
    one->set_is_host_transfer(isSet(c, "is_host_transfer"));
  }
  if (!readPairs(c, start)) return llvm::failure();
  llvm::SmallVector<Hlo> results;
  Hlo received = c.to.element(end, 0);
  if (shapes.size() == 1) {
    results.push_back(received);
  } else {
    for (size_t n = 0; n < shapes.size(); ++n)
      results.push_back(c.to.element(received, static_cast<int64_t>(n)));
  }
  results.push_back(c.to.element(end, 1));
  c.made = end;
  return c.done(Hlos(results));
}

}  // namespace hilo::stablehlo
