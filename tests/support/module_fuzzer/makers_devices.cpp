// What devices exchange: collectives over groups of every kind, as one operation or as a start and a done,
// sends and receives, and the numbers of devices.
#include <fmt/format.h>

#include <numeric>

#include "tests/support/module_fuzzer/module_writer.h"

namespace hilo::fuzz {
namespace {

struct Groups {
  std::string attributes;
  int64_t size = 1;    // devices that meet
  int64_t listed = 1;  // numbers in a group; those of all partitions may meet by the numbers of replicas
};

// `count` numbers in groups of one size, in one of the ways they are written.
std::pair<std::string, int64_t> cut(ModuleWriter& w, int64_t count, bool mayBeEmpty) {
  std::vector<int64_t> sizes;
  for (int64_t size = 1; size <= count; ++size) {
    if (count % size == 0) sizes.push_back(size);
  }
  const int64_t size = w.oneOf(sizes), groups = count / size;
  if (size == count && mayBeEmpty && w.oneIn(2)) return {"{}", size};
  if (w.oneIn(3)) return {fmt::format("[{},{}]<=[{}]", groups, size, count), size};
  if (w.oneIn(3)) return {fmt::format("[{},{}]<=[{},{}]T(1,0)", groups, size, size, groups), size};
  const std::vector<int64_t> order = w.permutation(static_cast<size_t>(count));
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text += i % size == 0 ? (i == 0 ? "{" : "},{") : ",";
    text += std::to_string(order[static_cast<size_t>(i)]);
  }
  return {"{" + text + "}}", size};
}

// Of replicas, of partitions, or where `byNumber` may say so of replicas with all their partitions and of
// devices by their numbers.
Groups groupsOf(ModuleWriter& w, bool byNumber) {
  const auto [replicas, partitions] = w.devices();
  const auto made = [&](int64_t count, int64_t times, bool mayBeEmpty, const std::string& more) {
    const auto [text, size] = cut(w, count, mayBeEmpty);
    return Groups{fmt::format("replica_groups={}{}", text, more), size * times, size};
  };
  const std::string channel = fmt::format(", channel_id={}", w.freshNumber() + 1);
  switch (w.below(byNumber ? 3 : 2)) {
    case 0:
      return made(replicas, 1, true, "");
    case 1:
      return byNumber ? made(replicas, partitions, true, channel) : made(partitions, 1, true, channel);
    default:
      return made(replicas * partitions, 1, false, channel + ", use_global_device_ids=true");
  }
}

Value arrayOf(ModuleWriter& w) { return w.pickOf(anyElementType, 1); }

// The operation by itself, or started here and done later, as a call that runs on its own.
Value addCollective(ModuleWriter& w, const char* opcode, Value result, const std::vector<Value>& operands,
                    const std::string& attributes) {
  std::vector<std::string> names, shapes;
  for (const Value& operand : operands) {
    names.push_back(operand.name);
    shapes.push_back(operand.shape());
  }
  if (!w.oneIn(4)) {
    result.name = w.addRaw(result.shape(), opcode, names, attributes);
  } else {
    const std::string wrapped = w.computation([&] {
      std::vector<std::string> inner;
      for (size_t i = 0; i < operands.size(); ++i)
        inner.push_back(w.addRaw(shapes[i], "parameter", {std::to_string(i)}));
      return fmt::format("{} {}({}), {}", result.shape(), opcode, fmt::join(inner, ", "), attributes);
    });
    const std::string start =
        w.addRaw(fmt::format("(({}), {}, u32[])", fmt::join(shapes, ", "), result.shape()), "async-start",
                 names, "calls=" + wrapped);
    result.name = w.addRaw(result.shape(), "async-done", {start});
  }
  w.keep(result);
  return result;
}

std::vector<std::vector<int64_t>> somePairs(ModuleWriter& w, int64_t count) {
  const auto from = w.permutation(static_cast<size_t>(count)), to = w.permutation(static_cast<size_t>(count));
  std::vector<std::vector<int64_t>> pairs;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!w.oneIn(5)) pairs.push_back({from[i], to[i]});
  }
  return pairs;
}

std::string pairsText(const std::vector<std::vector<int64_t>>& pairs) {
  std::string text;
  for (const auto& pair : pairs) text += (text.empty() ? "" : ",") + list(pair);
  return "{" + text + "}";
}

}  // namespace

void addDeviceNumber(ModuleWriter& w) {
  w.add(ElementType::U32, {}, w.oneIn(2) ? "replica-id" : "partition-id", {});
}

void addAllReduce(ModuleWriter& w) {
  const Value x = w.pick();
  const std::string attributes =
      fmt::format("{}, to_apply={}", groupsOf(w, true).attributes, w.combiner(x.type).computation);
  Value sum = x;
  if (w.oneIn(3)) {
    const std::string start = w.addRaw(x.shape(), "all-reduce-start", {x.name}, attributes);
    sum.name = w.addRaw(x.shape(), "all-reduce-done", {start});
  } else {
    sum.name = w.addRaw(x.shape(), "all-reduce", {x.name}, attributes);
  }
  w.keep(sum);
}

// Of several arrays at once.
void addAllReduceOfSeveral(ModuleWriter& w) {
  const Value a = w.pick(), b = w.valueOf(a.type, w.oneIn(2) ? a.sizes : w.anySizes());
  const std::string both =
      w.addRaw(fmt::format("({}, {})", a.shape(), b.shape()), "all-reduce", {a.name, b.name},
               fmt::format("{}, to_apply={}", groupsOf(w, true).attributes, w.combiner(a.type).computation));
  for (const auto& [value, i] : {std::pair(a, 0), std::pair(b, 1)}) {
    Value element = value;
    element.name = w.addRaw(value.shape(), "get-tuple-element", {both}, fmt::format("index={}", i));
    w.keep(element);
  }
}

void addAllGather(ModuleWriter& w) {
  const Value x = arrayOf(w);
  const Groups groups = groupsOf(w, true);
  const size_t dimension = w.below(x.rank());
  Value whole = x;
  whole.sizes[dimension] *= groups.size;
  const std::string attributes = fmt::format("{}, dimensions={{{}}}", groups.attributes, dimension);
  if (w.oneIn(3)) {
    const std::string start =
        w.addRaw(fmt::format("({}, {})", x.shape(), whole.shape()), "all-gather-start", {x.name}, attributes);
    whole.name = w.addRaw(whole.shape(), "all-gather-done", {start});
  } else {
    whole.name = w.addRaw(whole.shape(), "all-gather", {x.name}, attributes);
  }
  w.keep(whole);
}

void addReduceScatter(ModuleWriter& w) {
  const Groups groups = groupsOf(w, true);
  const Value like = arrayOf(w);
  const size_t dimension = w.below(like.rank());
  Sizes sizes = like.sizes;
  sizes[dimension] *= groups.size;
  const Value whole = w.valueOf(like.type, sizes);
  Value part = whole;
  part.sizes = like.sizes;
  addCollective(w, "reduce-scatter", part, {whole},
                fmt::format("{}, dimensions={{{}}}, to_apply={}", groups.attributes, dimension,
                            w.combiner(like.type).computation));
}

void addAllToAll(ModuleWriter& w) {
  const Groups groups = groupsOf(w, false);
  const Value like = arrayOf(w);
  const size_t dimension = w.below(like.rank());
  Sizes sizes = like.sizes;
  sizes[dimension] *= groups.size;
  const Value x = w.valueOf(like.type, sizes);
  addCollective(w, "all-to-all", x, {x}, fmt::format("{}, dimensions={{{}}}", groups.attributes, dimension));
}

// An array for each device of the group.
void addAllToAllOfSeveral(ModuleWriter& w) {
  const Groups groups = groupsOf(w, false);
  const Value x = w.pick();
  std::vector<Value> operands = {x};
  while (operands.size() < static_cast<size_t>(groups.size)) {
    operands.push_back(w.valueOf(x.type, x.sizes));
    Value& last = operands.back();
    if (last.layout != x.layout) last.name = w.addRaw(x.shape(), "copy", {last.name});
    last.layout = x.layout;
  }
  std::vector<std::string> names, shapes;
  for (const Value& operand : operands) {
    names.push_back(operand.name);
    shapes.push_back(operand.shape());
  }
  const std::string all =
      w.addRaw(fmt::format("({})", fmt::join(shapes, ", ")), "all-to-all", names, groups.attributes);
  Value element = x;
  const size_t i = w.below(operands.size());
  element.name = w.addRaw(x.shape(), "get-tuple-element", {all}, fmt::format("index={}", i));
  w.keep(element);
}

void addCollectivePermute(ModuleWriter& w) {
  const auto [replicas, partitions] = w.devices();
  const bool ofPartitions = w.oneIn(2);
  const Value x = w.pick();
  std::string attributes =
      "source_target_pairs=" + pairsText(somePairs(w, ofPartitions ? partitions : replicas));
  if (ofPartitions) attributes += fmt::format(", channel_id={}", w.freshNumber() + 1);
  if (!w.oneIn(3)) {
    addCollective(w, "collective-permute", x, {x}, attributes);
    return;
  }
  const std::string start = w.addRaw(fmt::format("({0}, {0}, u32[], u32[])", x.shape()),
                                     "collective-permute-start", {x.name}, attributes);
  Value moved = x;
  moved.name = w.addRaw(x.shape(), "collective-permute-done", {start});
  w.keep(moved);
}

void addCollectiveBroadcast(ModuleWriter& w) {
  const Value x = w.pick();
  addCollective(w, "collective-broadcast", x, {x}, groupsOf(w, false).attributes);
}

// Each device sends as many rows to each of its group, to a place that its own number says.
void addRaggedAllToAll(ModuleWriter& w) {
  const auto [replicas, partitions] = w.devices();
  const bool ofPartitions = w.oneIn(2);
  const int64_t count = ofPartitions ? partitions : replicas, rows = 1 + static_cast<int64_t>(w.below(2));
  Sizes sizes = w.anySizes(1, 3);
  sizes[0] = count * rows;
  const ElementType type = w.anyType();
  // A row lies together.
  const auto byRows = [&] {
    Value value = w.valueOf(type, sizes);
    std::vector<int64_t> order(sizes.size());
    std::iota(order.rbegin(), order.rend(), 0);
    if (value.layout == list(order)) return value;
    value.layout = list(order);
    value.name = w.addRaw(value.shape(), "copy", {value.name});
    return value;
  };
  const Value input = byRows(), output = byRows();
  const auto numbers = [&](const char* opcode, const std::string& attributes) {
    return w.add(ElementType::S32, {count}, opcode, {}, attributes);
  };
  const auto spread = [&](const Value& number) {
    return w.add(ElementType::S32, {count}, "broadcast", {number}, "dimensions={}");
  };
  const Value each = spread(w.scalar(ElementType::S32, static_cast<double>(rows)));
  const Value starts =
      w.add(ElementType::S32, {count}, "multiply", {numbers("iota", "iota_dimension=0"), each});
  const Value own = w.add(ElementType::U32, {}, ofPartitions ? "partition-id" : "replica-id", {});
  const Value place = w.add(ElementType::S32, {count}, "multiply",
                            {spread(w.add(ElementType::S32, {}, "convert", {own})), each});
  Value result = output;
  result.name = w.addRaw(output.shape(), "ragged-all-to-all",
                         {input.name, output.name, starts.name, each.name, place.name, each.name},
                         ofPartitions ? fmt::format("replica_groups={{}}, channel_id={}", w.freshNumber() + 1)
                                      : "replica_groups={}");
  w.keep(result);
}

// What does not arrive leaves zeros.
void addSendAndReceive(ModuleWriter& w) {
  const Value x = w.pick();
  const std::string attributes =
      fmt::format("channel_id={}, frontend_attributes={{_xla_send_recv_source_target_pairs=\"{}\"}}",
                  w.freshNumber() + 1, pairsText(somePairs(w, w.devices().partitions)));
  const std::string shape = fmt::format("({}, u32[], token[])", x.shape());
  const std::string token = w.addRaw("token[]", "after-all", {});
  const std::string receive = w.addRaw(shape, "recv", {token}, attributes);
  const std::string send = w.addRaw(shape, "send", {x.name, token}, attributes);
  w.addRaw("token[]", "send-done", {send}, attributes);
  const std::string done =
      w.addRaw(fmt::format("({}, token[])", x.shape()), "recv-done", {receive}, attributes);
  Value received = x;
  received.name = w.addRaw(x.shape(), "get-tuple-element", {done}, "index=0");
  w.keep(received);
}

// One array, or two in a tuple.
void addInfeed(ModuleWriter& w) {
  Value x = w.pick();
  const bool isTuple = w.oneIn(2);
  const std::string data = isTuple ? fmt::format("({}, s32[2])", x.shape()) : x.shape();
  const std::string token = w.addRaw("token[]", "after-all", {});
  std::string taken = w.addRaw(fmt::format("({}, token[])", data), "infeed", {token});
  if (isTuple) taken = w.addRaw(data, "get-tuple-element", {taken}, "index=0");
  x.name = w.addRaw(x.shape(), "get-tuple-element", {taken}, "index=0");
  w.keep(x);
}

void addOutfeed(ModuleWriter& w) {
  const Value x = w.pick();
  const std::string token = w.addRaw("token[]", "after-all", {});
  w.addRaw("token[]", "outfeed", {x.name, token}, "outfeed_shape=" + x.shape());
}

}  // namespace hilo::fuzz
