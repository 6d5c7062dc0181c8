// The graph of thunks: bodies open and close where they stand, and what is inside a closed one is shown by
// it. UI thread.
#pragma once

#include "core/workspace/job_queue.h"
#include "ui/canvas/canvas_widget.h"
#include "ui/views/thunks/thunk_scene.h"

namespace hilo {

class ThunkGraph : public CanvasWidget {
  Q_OBJECT

 public:
  explicit ThunkGraph(JobQueue& jobs, QWidget* parent = nullptr);

  // `scene` is the study's with these closed. What stands for `anchor`, kNone for nothing, stays where it is.
  void setStudy(std::shared_ptr<const ThunkStudy> study, ClosedThunks closed,
                std::shared_ptr<const IndexedScene> scene, uint32_t anchor);
  void clear();
  const ClosedThunks& closed() const { return closed_; }
  // What stands for it is selected and in sight; nothing for kNone. Does not emit.
  void showThunk(uint32_t thunk);
  // Both thunks, which what is closed around the first opens for.
  void showRace(const ThunkRace& race);

 Q_SIGNALS:
  // By the user; kNone: the selection was cleared.
  void thunkSelected(uint32_t thunk);

 private:
  // Opens or closes the body of a thunk where it stands.
  void toggle(uint32_t thunk);
  void redraw(uint32_t anchor);
  uint32_t visible(uint32_t thunk) const;
  void selectShown();
  QString edgeText(const SceneEdge& edge) const;

  JobQueue& jobs_;
  JobScope scope_;
  std::shared_ptr<const ThunkStudy> study_;
  ClosedThunks closed_;
  std::vector<uint32_t> chosen_;  // one, or both of a race
};

}  // namespace hilo
