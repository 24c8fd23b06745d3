// The Python program of `charm batch train` (train.py) as text.
#pragma once

namespace charm::selector_training {

extern const char* const train_script;

}  // namespace charm::selector_training
