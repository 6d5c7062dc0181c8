// The place of an entry in one of a program's tables. A field says by this type which table its number is of:
// so that it is in the table, which sequences a thunk may run and what a kernel's number stands for follow
// from the declaration, as what is read and written follows from ReadSlice and WriteSlice.
#pragma once

#include <cstdint>

namespace hilo {

enum class ProgramTable : uint8_t { Kernels, Collectives, Hosted, Sequences };

template <ProgramTable kTable>
struct TablePlace {
  uint32_t number = 0;

  constexpr TablePlace() = default;
  constexpr TablePlace(uint32_t place) : number(place) {}
  constexpr operator uint32_t() const { return number; }

  template <typename Self, typename Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visitor("number", self.number);
  }
};

using KernelPlace = TablePlace<ProgramTable::Kernels>;
using CollectivePlace = TablePlace<ProgramTable::Collectives>;
using HostedPlace = TablePlace<ProgramTable::Hosted>;
using SequencePlace = TablePlace<ProgramTable::Sequences>;

}  // namespace hilo
