#include "core/analysis/cost/op_work.h"

namespace hilo {
namespace {

enum class Kind { Cheap, Costly, Many };

struct Work {
  double ns = 0.1, wideNs = 0.1;
  Kind kind = Kind::Costly;
};

Work workOf(Opcode opcode) {
  switch (opcode) {
#define WORK(opcode, ns, wide, kind) \
  case Opcode::opcode:               \
    return {ns, wide, Kind::kind};
#include "core/analysis/cost/op_work.def"
    default:
      return {};
  }
}

}  // namespace

double elementNs(Opcode opcode, ElementType type) {
  const Work work = workOf(opcode);
  return type == ElementType::F64 || isComplex(type) ? work.wideNs : work.ns;
}

bool isCostly(Opcode opcode) { return workOf(opcode).kind != Kind::Cheap; }
}  // namespace hilo
