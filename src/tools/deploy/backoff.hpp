// When a worker that has failed is started again. Pure: times are arguments.
#pragma once

#include <algorithm>

namespace charm::deploy {

struct BackoffRule {
  double first_s = 1;    ///< the delay after the first failure; each further one doubles it
  double most_s = 60;    ///< the longest delay
  double steady_s = 30;  ///< a worker that has run so long starts over with the first delay
  int give_up = 10;      ///< failures in a row after which it is not started again; 0: always again
};

class Backoff {
 public:
  explicit Backoff(const BackoffRule& rule) : rule_(rule) {}

  /// The worker has failed. \param ran_s how long it had run. \returns the delay, or below 0: give up.
  double failed_after(double ran_s) {
    if (ran_s >= rule_.steady_s) failures_ = 0;
    ++failures_;
    if (rule_.give_up > 0 && failures_ >= rule_.give_up) return -1;
    double delay = rule_.first_s;
    for (int i = 1; i < failures_ && delay < rule_.most_s; ++i) delay *= 2;
    return std::min(delay, rule_.most_s);
  }

 private:
  BackoffRule rule_;
  int failures_ = 0;
};

}  // namespace charm::deploy
