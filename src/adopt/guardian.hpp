// A process that does nothing but wait for the death of the one that made it. Should that be killed without a chance to
// clean up, it gives the program's threads their mask back and goes, too. Without it threads would stay bound to single
// cores, and all that they create with them.
#pragma once

#include <vector>

namespace charm::adopt {

class Guardian {
 public:
  /// To be called before there are other threads. \param children whether processes of the program are to be freed,
  /// too.
  /// \param mask for all of them. Where no process can be made there is no guardian, which is no error.
  Guardian(const std::vector<int>& mask, bool children);
  ~Guardian();  ///< dismisses it: there is nothing to clean up any more
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  /// The program that it is for.
  void watch_over(int pid) const;

 private:
  int pipe_ = -1;
  int pid_ = -1;
};

}  // namespace charm::adopt
