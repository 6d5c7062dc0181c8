// The moment that all views along time show: the schedule, the memory, a program's thunks. An instruction
// while it runs is a moment in each of them, whatever their orders and clocks; where it lies on its axis is
// for the view to say. Owned by the selection bus; UI thread.
#pragma once

#include <QObject>

#include "core/hlo/ir/instruction.h"
#include "core/workspace/session/ids.h"

namespace hilo {

struct Moment {
  SnapshotId snapshot;
  InstructionId instruction;  // of the snapshot's module
  double part = 0;            // how much of it has run, from 0 to 1

  bool valid() const { return snapshot.valid() && instruction.valid(); }
  friend bool operator==(const Moment&, const Moment&) = default;
};

class TimeCursor : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  // Under the pointer, in whichever view that is; invalid while it is in none.
  const Moment& pointed() const { return pointed_; }
  // Where it was put with a click or a key; invalid until then.
  const Moment& placed() const { return placed_; }

  // Saying again what is already so is silent.
  void point(const Moment& moment);
  void place(const Moment& moment);

 Q_SIGNALS:
  void pointedChanged();
  void placedChanged();

 private:
  Moment pointed_, placed_;
};

}  // namespace hilo
