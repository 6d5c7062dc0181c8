// Joins the steps of a plan with what all views along time show: what is pointed at or placed here goes to
// the window's time cursor, and the cursor's moments are steps. It keeps no moment. UI thread.
#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "core/workspace/memory/memory_plans.h"
#include "ui/models/time_cursor.h"
#include "ui/models/view_context.h"
#include "ui/views/memory/map_axis.h"

namespace hilo {

// By instruction; -1: it is no step.
std::vector<int64_t> stepsByInstruction(const MemoryPlans& plans);

class PlanMoments : public QObject {
  Q_OBJECT

 public:
  PlanMoments(const ViewContext& context, QObject* parent);
  // Of which module the plans are, and their steps by instruction; null for none.
  void setPlans(SnapshotId snapshot, std::shared_ptr<const MemoryPlans> plans,
                std::shared_ptr<const std::vector<int64_t>> stepOf);

  // nullopt: the pointer left.
  void point(const std::optional<MapPlace>& place);
  // Nothing where the cursor is in this step already.
  void place(int64_t step);
  std::optional<MapPlace> pointed() const { return placeOf(context_.bus.time().pointed()); }
  std::optional<MapPlace> placed() const { return placeOf(context_.bus.time().placed()); }

 private:
  Moment momentOf(const MapPlace& place) const;
  std::optional<MapPlace> placeOf(const Moment& moment) const;

  const ViewContext& context_;
  SnapshotId snapshot_;
  std::shared_ptr<const MemoryPlans> plans_;
  std::shared_ptr<const std::vector<int64_t>> stepOf_;
};

}  // namespace hilo
