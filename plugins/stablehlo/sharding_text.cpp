#include "plugins/stablehlo/sharding_text.h"

namespace hilo::stablehlo {
namespace {

using Type = pb::OpSharding;

constexpr int kMaxElements = 1 << 20;

class ShardingReader {
 public:
  explicit ShardingReader(llvm::StringRef text) : rest_(text) {}

  bool read(pb::OpSharding& sharding, int depth = 0) {
    if (!eat('{')) return false;
    if (peek() == '{') return depth == 0 && readTuple(sharding);
    while (!eat('}')) {
      if (!readPart(sharding)) return false;
      eat(',');
    }
    return true;
  }
  bool atEnd() { return skip(), rest_.empty(); }

 private:
  void skip() { rest_ = rest_.ltrim(); }
  char peek() { return skip(), rest_.empty() ? '\0' : rest_[0]; }
  bool eat(char c) { return peek() == c && (rest_ = rest_.drop_front(), true); }
  bool eat(llvm::StringRef word) { return skip(), rest_.consume_front(word); }
  bool number(int64_t& value) { return skip(), !rest_.consumeInteger(10, value); }

  template <typename List>
  bool numbers(char open, char close, List* list) {
    if (!eat(open)) return false;
    while (!eat(close)) {
      int64_t value = 0;
      if (!number(value) || list->size() > kMaxElements) return false;
      list->Add(static_cast<typename List::value_type>(value));
      eat(',');
    }
    return true;
  }

  bool readTuple(pb::OpSharding& sharding) {
    sharding.set_type(Type::TUPLE);
    do {
      if (!read(*sharding.add_tuple_shardings(), 1)) return false;
    } while (eat(','));
    return eat('}');
  }

  bool readPart(pb::OpSharding& sharding) {
    int64_t value = 0;
    if (eat("devices=")) return readDevices(sharding);
    if (eat("last_tile_dim_replicate")) return sharding.set_replicate_on_last_tile_dim(true), true;
    if (eat("last_tile_dims=")) return readTileTypes(sharding);
    if (eat("replicated")) return sharding.set_type(Type::REPLICATED), true;
    if (eat("manual")) return sharding.set_type(Type::MANUAL), true;
    if (eat("unknown")) return sharding.set_type(Type::UNKNOWN), true;
    if (eat("unreduced")) return sharding.set_type(Type::UNREDUCED), true;
    if (eat("maximal")) return sharding.set_type(Type::MAXIMAL), true;
    if (eat("device=")) {
      if (!number(value)) return false;
      sharding.add_tile_assignment_dimensions(1);
      sharding.add_tile_assignment_devices(value);
      return true;
    }
    const bool as = eat("shard_as");
    if (!as && !eat("shard_like")) return false;
    if (!number(value)) return false;
    sharding.set_is_shard_group(true);
    sharding.set_shard_group_id(value);
    sharding.set_shard_group_type(as ? Type::AS : Type::LIKE);
    return true;
  }

  bool readDevices(pb::OpSharding& sharding) {
    sharding.set_type(Type::OTHER);
    if (!numbers('[', ']', sharding.mutable_tile_assignment_dimensions())) return false;
    if (eat("<=")) {
      if (!numbers('[', ']', sharding.mutable_iota_reshape_dims())) return false;
      if (eat('T')) return numbers('(', ')', sharding.mutable_iota_transpose_perm());
      for (int n = 0; n < sharding.iota_reshape_dims_size(); ++n) sharding.add_iota_transpose_perm(n);
      return true;
    }
    int64_t device = 0;
    do {
      if (!number(device) || sharding.tile_assignment_devices_size() > kMaxElements) return false;
      sharding.add_tile_assignment_devices(device);
    } while (eat(',') && peek() >= '0' && peek() <= '9');
    return true;
  }

  bool readTileTypes(pb::OpSharding& sharding) {
    if (!eat('{')) return false;
    while (!eat('}')) {
      pb::OpSharding one;
      if (!readPart(one)) return false;
      sharding.add_last_tile_dims(one.type());
      eat(',');
    }
    return true;
  }

  llvm::StringRef rest_;
};

}  // namespace

std::optional<pb::OpSharding> parseSharding(llvm::StringRef text) {
  pb::OpSharding sharding;
  if (text.ltrim().starts_with("{")) {
    ShardingReader reader(text);
    if (reader.read(sharding) && reader.atEnd()) return sharding;
    return {};
  }
  if (!text.empty() && sharding.ParseFromString(text.str())) return sharding;
  return {};
}

namespace {

template <typename List>
std::string joined(const List& list) {
  std::string text;
  for (const auto value : list) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

std::string tiledText(const pb::OpSharding& sharding) {
  std::string text = "devices=[" + joined(sharding.tile_assignment_dimensions()) + "]";
  if (sharding.iota_reshape_dims_size() == 0) {
    text += joined(sharding.tile_assignment_devices());
  } else {
    text += "<=[" + joined(sharding.iota_reshape_dims()) + "]";
    if (sharding.iota_reshape_dims_size() > 1) text += "T(" + joined(sharding.iota_transpose_perm()) + ")";
  }
  if (sharding.replicate_on_last_tile_dim()) text += " last_tile_dim_replicate";
  if (sharding.last_tile_dims_size() == 0) return text;
  std::string types;
  for (const auto type : sharding.last_tile_dims())
    types += std::string(types.empty() ? "" : ", ") + (type == pb::OpSharding::MANUAL      ? "manual"
                                                       : type == pb::OpSharding::UNREDUCED ? "unreduced"
                                                                                           : "replicated");
  return text + " last_tile_dims={" + types + "}";
}

}  // namespace

std::optional<std::string> shardingText(const pb::OpSharding& sharding) {
  if (sharding.has_named_sharding()) return {};
  switch (sharding.type()) {
    case pb::OpSharding::REPLICATED:
      return "{replicated}";
    case pb::OpSharding::MANUAL:
      return "{manual}";
    case pb::OpSharding::UNKNOWN:
      return "{unknown}";
    case pb::OpSharding::UNREDUCED:
      return "{unreduced}";
    case pb::OpSharding::MAXIMAL:
      return "{maximal device=" + joined(sharding.tile_assignment_devices()) + "}";
    case pb::OpSharding::OTHER:
      return "{" + tiledText(sharding) + "}";
    case pb::OpSharding::TUPLE: {
      std::string text;
      for (const auto& one : sharding.tuple_shardings()) {
        const auto part = shardingText(one);
        if (!part) return {};
        text += (text.empty() ? "" : ", ") + *part;
      }
      return "{" + text + "}";
    }
    default:
      return {};
  }
}

}  // namespace hilo::stablehlo
