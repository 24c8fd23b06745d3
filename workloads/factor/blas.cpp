#include "workloads/factor/blas.hpp"

#include <charm/error.hpp>

// The switches of the implementations that have threads of their own; each is there only in its library.
extern "C" {
__attribute__((weak)) void openblas_set_num_threads(int);
__attribute__((weak)) char* openblas_get_config(void);
__attribute__((weak)) void bli_thread_set_num_threads(long);
__attribute__((weak)) void MKL_Set_Num_Threads(int);
}

namespace charm::workloads::factor {

void use_one_thread() {
  if (openblas_get_config != nullptr) {
    const std::string config = openblas_get_config();
    if (config.find("SINGLE_THREADED") != std::string::npos && config.find("USE_LOCKING") == std::string::npos)
      throw Error(Errc::bad_config,
                  "this OpenBLAS was built for programs of one thread: called by several, it gives wrong results",
                  "install libopenblas-pthread-dev instead of libopenblas-serial-dev");
  }
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  if (bli_thread_set_num_threads != nullptr) bli_thread_set_num_threads(1);
  if (MKL_Set_Num_Threads != nullptr) MKL_Set_Num_Threads(1);
}

std::string blas_name() {
  if (openblas_get_config != nullptr) {
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH … SkylakeX SINGLE_THREADED": name, version and the chosen kernels.
    const std::string config = openblas_get_config();
    const std::size_t name = config.find(' ');
    const std::size_t version = name == std::string::npos ? name : config.find(' ', name + 1);
    return config.substr(0, version);
  }
  if (bli_thread_set_num_threads != nullptr) return "BLIS";
  if (MKL_Set_Num_Threads != nullptr) return "MKL";
  return "BLAS";
}

}  // namespace charm::workloads::factor
