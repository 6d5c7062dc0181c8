#include "ui/views/thunks/thunk_graph.h"

#include "ui/models/text_of.h"
#include "ui/views/thunks/heat_scale.h"
#include "ui/views/thunks/thunk_summary.h"

namespace hilo {

ThunkGraph::ThunkGraph(JobQueue& jobs, QWidget* parent) : CanvasWidget(parent), jobs_(jobs) {
  setAccessibleName("Graph of thunks");
  setHoverText(
      [this](SceneNodeId id) {
        const StudiedThunk& thunk = study_->thunks[thunkAt(id)];
        return QStringLiteral("<b>%1</b> %2<br>%3")
            .arg(qs(thunk.name).toHtmlEscaped(), qs(thunk.kind), thunkTimeText(timeOf(thunk)));
      },
      [this](const SceneEdge& edge) { return edgeText(edge); });
  connect(this, &CanvasWidget::nodeSelected, this, [this](quint64 id) {
    Q_EMIT thunkSelected(id == kNoSceneNode ? StudiedThunk::kNone : thunkAt(id));
  });
  connect(this, &CanvasWidget::nodeActivated, this, [this](quint64 id) { toggle(thunkAt(id)); });
}

QString ThunkGraph::edgeText(const SceneEdge& edge) const {
  const auto& nodes = scene().nodes;
  if (edge.kind == SceneEdgeKind::kMissing)
    return QStringLiteral("a race: nothing says which of the two comes first");
  for (const ThunkHazard& hazard : study_->hazards) {
    if (hazard.from == nodes[edge.from].id && hazard.to == nodes[edge.to].id) return hazardText(hazard);
  }
  return QString();
}

void ThunkGraph::setStudy(std::shared_ptr<const ThunkStudy> study, ClosedThunks closed,
                          std::shared_ptr<const IndexedScene> scene, uint32_t anchor) {
  study_ = std::move(study);
  closed_ = std::move(closed);
  chosen_.clear();
  setScene(std::move(scene), anchor == StudiedThunk::kNone ? kNoSceneNode : visible(anchor));
}

void ThunkGraph::clear() {
  study_ = nullptr;
  chosen_.clear();
  setScene(Scene());
}

void ThunkGraph::showThunk(uint32_t thunk) {
  chosen_.clear();
  if (thunk != StudiedThunk::kNone) chosen_.push_back(thunk);
  selectShown();
  if (thunk != StudiedThunk::kNone) reveal(visible(thunk));
}

void ThunkGraph::showRace(const ThunkRace& race) {
  chosen_ = {race.first, race.second};
  bool wasClosed = false;
  for (uint32_t at = study_->thunks[race.first].parent; at != StudiedThunk::kNone;
       at = study_->thunks[at].parent)
    wasClosed |= closed_.erase(at) > 0;
  wasClosed ? redraw(race.first) : selectShown();
}

void ThunkGraph::toggle(uint32_t thunk) {
  if (study_ == nullptr) return;
  const auto& thunks = study_->thunks;
  if (std::ranges::find(thunks, thunk, &StudiedThunk::parent) == thunks.end()) return;
  if (closed_.erase(thunk) == 0) closed_.insert(thunk);
  redraw(thunk);
}

void ThunkGraph::redraw(uint32_t anchor) {
  jobs_.submit(
      "thunks.draw", "Draw the thunks",
      [study = study_, closed = closed_](JobContext& job) -> Result<std::shared_ptr<const IndexedScene>> {
        TRY(Scene scene, makeThunkScene(*study, closed, job.cancel()));
        return std::make_shared<const IndexedScene>(std::move(scene));
      },
      [this, study = study_, anchor](Result<std::shared_ptr<const IndexedScene>> scene) {
        if (!scene || study != study_) return;
        setScene(*scene, anchor);
        selectShown();
      },
      &scope_);
}

// The thunk, or the innermost one around it that is shown.
uint32_t ThunkGraph::visible(uint32_t thunk) const {
  uint32_t shown = thunk;
  for (uint32_t at = thunk; at != StudiedThunk::kNone; at = study_->thunks[at].parent) {
    if (at != thunk && closed_.contains(at)) shown = at;
  }
  return shown;
}

void ThunkGraph::selectShown() {
  std::vector<SceneNodeId> ids;
  for (const uint32_t thunk : chosen_) ids.push_back(visible(thunk));
  CanvasWidget::select(ids);
  if (chosen_.size() > 1) zoomToSelection();
}

}  // namespace hilo
