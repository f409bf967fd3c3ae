// A worker's way through its rectangle of C, message by message.
#pragma once

#include "heuristics/star/polaris/mode.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>
#include <vector>

namespace starport::polaris {

/// What the bundles of all workers have in common; several sets are tried.
struct BundleOptions {
  double loading_share = 0.5;  ///< a_resident: of the columns, those of the loading pass, at most
  std::int64_t joining = 2;    ///< c_stationary: columns that join per step, at most; 0: any
  std::int64_t rest = 2;       ///< c_stationary: steps for which a place in the window stays free
  std::int64_t pieces = 4;     ///< a_resident: messages for the B of one column
  std::int64_t depth = 1;      ///< a_resident: values of k in one message of the loading pass
  std::int64_t group = 1;      ///< a_resident: columns in one message, instead of pieces of one
  bool late_c = true;          ///< accumulate from zero where that lets computing start earlier
};

/// A message to the worker, and what it does to its memory.
struct Bundle {
  Transfer transfer;          ///< its after_update is not filled in
  std::int64_t taken = 0;     ///< blocks it brings and accumulators it starts
  std::int64_t released = 0;  ///< blocks let go of when its update ends
  Rectangle finished;         ///< of C, complete when its update ends
};

/// The fixed sequence of messages with which a worker does a rectangle of C.
class Bundles {
 public:
  Bundles(int worker, const Worker& figures, const Problem& problem, const Rectangle& c,
          const Mode& mode, const BundleOptions& options);

  bool over() const { return band_.empty(); }
  /// The next message. Only before they are over.
  Bundle next();

 private:
  struct Step {  ///< in the coordinates of the mode: rows are those of the bands
    Range a_inner;
    Range b_inner;
    Range b_columns;
    Range c_columns;
    Range columns;  ///< of the update
    Range inner;
    Range release_a;
    Range finished;
    bool add_c = false;
    std::int64_t accumulators = 0;  ///< columns
  };

  void start_band();
  Step loading_step();
  Step column_step();
  void move_window(std::int32_t n);
  Step stationary_step();
  Bundle bundle(const Step& step, const Range& band) const;

  int worker_;
  Mode mode_;
  BundleOptions options_;
  std::int32_t t_;
  Range rows_;     ///< in the mode's orientation
  Range columns_;  ///< in the mode's orientation
  std::int64_t m_;

  Range band_;                ///< of rows; empty when they are over
  std::int32_t step_ = 0;     ///< loading: k; c_stationary: counted from the start of the band
  std::int32_t piece_ = 0;    ///< of the column
  std::int32_t depth_ = 1;    ///< values of k in a message of the loading pass
  std::int32_t group_ = 1;    ///< columns in a message
  std::int32_t pieces_ = 1;   ///< a column's messages of B
  std::int32_t column_ = 0;   ///< the next one to come
  std::int32_t loading_ = 0;  ///< columns of the loading pass
  std::int32_t late_ = 0;     ///< of them, those whose C has come
  struct Group {
    std::int32_t joined;
    Range columns;
  };
  std::vector<Group> active_;   ///< c_stationary: in the order in which they joined
  Range window_;                ///< c_stationary: the columns of this step
  Range joining_;               ///< of them, those whose C is still to come
  std::vector<Group> resting_;  ///< places that became free, and when
};

}  // namespace starport::polaris
