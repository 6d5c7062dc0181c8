#include "core/compiler/pass/kept_sharding.h"

#include "core/hlo/ir/attribute_equality.h"

namespace hilo {

bool keepsSharding(const Instruction& replaced, const Instruction& by) {
  const Sharding *had = replaced.get<Attr::Sharding>(), *has = by.get<Attr::Sharding>();
  return had == nullptr || has == nullptr || *had == *has;
}

void takeSharding(const Instruction& replaced, Instruction& by) {
  const Sharding* sharding = replaced.get<Attr::Sharding>();
  if (sharding != nullptr && !by.has(Attr::Sharding)) by.set<Attr::Sharding>(sharding);
}

}  // namespace hilo
