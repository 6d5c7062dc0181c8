// Joins the timeline of thunks with what all views along time show, by the instructions that thunks are made
// of. It keeps no moment. UI thread.
#pragma once

#include <QObject>

#include "ui/models/time_cursor.h"
#include "ui/models/view_context.h"
#include "ui/views/thunks/thunk_lanes.h"

namespace hilo {

class ThunkMomentLink : public QObject {
  Q_OBJECT

 public:
  ThunkMomentLink(const ViewContext& context, ThunkLanes& lanes, QObject* parent);
  // Of which module the thunks on the lanes are; invalid for thunks by themselves.
  void setSnapshot(SnapshotId snapshot);

 private:
  void show();
  Moment momentOf(const std::optional<ThunkMoment>& moment) const;
  std::optional<ThunkMoment> thunkAt(const Moment& moment) const;

  const ViewContext& context_;
  ThunkLanes& lanes_;
  SnapshotId snapshot_;
};

}  // namespace hilo
