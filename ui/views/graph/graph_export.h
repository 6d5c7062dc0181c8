// What leaves the graph view: pictures of all, of what is in sight or of the selection, and parts of the
// module as modules of their own. UI thread.
#pragma once

#include <functional>
#include <memory>

#include "ui/canvas/canvas_widget.h"
#include "ui/views/graph/graph_worker.h"

namespace hilo {

class GraphExport {
 public:
  enum class Part : uint8_t { All, InSight, Selection };

  // `say` shows the user how it went. The canvas and the worker outlive this.
  GraphExport(CanvasWidget& canvas, GraphWorker& worker, std::function<void(const QString&)> say)
      : canvas_(canvas), worker_(worker), say_(std::move(say)) {}
  // Of whose picture all is said.
  void setModule(std::shared_ptr<const Module> module) { module_ = std::move(module); }

  // By the ending of the path: .svg, .pdf, .png or .dot. A selection comes with what it holds. Error kinds:
  // "unknown-format", "file-not-written", "nothing-selected".
  Status write(const QString& path, Part part = Part::All) const;
  // What a node stands for as a module of its own (see extractAsText); `answer` gets it later.
  void extract(uint64_t key, std::function<void(const Result<std::string>&)> answer);

  // With a dialog for the file.
  void ask(Part part);
  void saveAsModule(uint64_t key);
  void copyAsModule(uint64_t key);

 private:
  CanvasWidget& canvas_;
  GraphWorker& worker_;
  std::function<void(const QString&)> say_;
  std::shared_ptr<const Module> module_;
};

}  // namespace hilo
