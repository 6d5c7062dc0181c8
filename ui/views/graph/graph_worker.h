// Makes the graph view's pictures off the UI thread. A newer order drops or stops the older one.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include <QObject>

#include "core/analysis/cost_facts.h"
#include "ui/views/graph/graph_picture.h"

namespace hilo {

class GraphWorker : public QObject {
  Q_OBJECT

 public:
  explicit GraphWorker(QObject* parent = nullptr);
  // Stops what runs, and waits for it.
  ~GraphWorker() override;

  // UI thread, as are the signals. An order that is not replaced or dropped is answered by failed() or by
  // made(): once with a refined picture, before that perhaps once with one that was drawn in less time.
  void submit(GraphOrder order);
  // Nothing is to be shown: the module is let go of.
  void drop();
  bool busy() const { return busy_; }
  // What a node of `module`'s pictures stands for, on the UI thread, after the picture being made. Not
  // answered when the worker is gone before.
  void askInstructions(std::shared_ptr<const Module> module, uint64_t key,
                       std::function<void(std::vector<InstructionId>)> answer);
  void setLayoutFolder(const std::string& folder) { maker_.setLayoutFolder(folder); }

 Q_SIGNALS:
  void made(std::shared_ptr<const hilo::GraphPicture> picture);
  void failed(hilo::Diagnostic why);
  // What the instructions of the module shown last cost; some time after its picture, when
  // nothing else waits.
  void costKnown(std::shared_ptr<const hilo::Module> module, std::shared_ptr<const hilo::ModuleCost> cost);

 private:
  struct Request {
    uint64_t number = 0;
    GraphOrder order;  // without a module: forget the one before
    CancelToken cancel;
  };

  struct Question {
    std::shared_ptr<const Module> module;
    uint64_t key = 0;
    std::function<void(std::vector<InstructionId>)> answer;
  };

  void work();
  void answerQuestions();
  std::optional<Request> nextRequest();
  void answer(Request request);
  void countCost();
  void post(uint64_t number, Result<GraphPicture> picture);
  void deliver(uint64_t number, const Result<std::shared_ptr<const GraphPicture>>& picture);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Request> waiting_;
  std::vector<Question> questions_;  // under the mutex
  CancelToken running_;
  bool stopping_ = false;  // under the mutex
  uint64_t newest_ = 0;    // UI thread, as is the next
  bool busy_ = false;
  PictureMaker maker_;  // the worker's, as are the next
  std::shared_ptr<const Module> answered_;
  std::shared_ptr<const Module> costed_;
  std::thread worker_;
};

}  // namespace hilo
