# Cross-builds for 64-bit Arm with Debian's compiler and the libraries in CHARM_SYSROOT (tests/vm/sysroot-arm64 makes one).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CHARM_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../build/arm64-sysroot/sysroot" CACHE PATH "Root of an arm64 Debian")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CHARM_SYSROOT)

set(CMAKE_SYSROOT "${CHARM_SYSROOT}")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# Debian's cross compiler looks for its own C library first; the sysroot's shall win.
add_link_options("-Wl,-rpath-link,${CHARM_SYSROOT}/usr/lib/aarch64-linux-gnu" "-Wl,-rpath-link,${CHARM_SYSROOT}/lib/aarch64-linux-gnu")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${CHARM_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CHARM_SYSROOT}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CHARM_SYSROOT}")
