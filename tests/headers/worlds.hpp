// What a program may have included before CHARM: macros with the names of everyday words. The standard library comes
// first, as in such programs: its own headers would not bear all of these.

// clang-format off
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <compare>
#include <complex>
#include <concepts>
#include <condition_variable>
#include <coroutine>
#include <cstring>
#include <deque>
#include <exception>
#include <execution>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#include <version>

// The C library's own: major, minor, makedev; complex and I; MIN, MAX, roundup, howmany, isset, setbit; LOG_INFO.
#include <complex.h>
#include <sys/param.h>
#include <sys/sysmacros.h>
#include <syslog.h>
#undef complex  // libstdc++ does not define it, or undefines it
#undef I
#define complex _Complex
#define I 1.0iF

// Windows and what was ported from there.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

// Qt without QT_NO_KEYWORDS.
#define slots
#define signals public
#define emit
#define foreach(variable, container) for (variable : container)
#define forever for (;;)
#define Q_SLOTS
#define Q_SIGNALS public
#define Q_EMIT
#define Q_OBJECT static const int staticMetaObject;
#define Q_UNUSED(x) (void)x;
#define Q_ASSERT(condition) ((void)0)
#define Q_FOREACH(variable, container) foreach(variable, container)

// X11/X.h, Xlib.h and Xutil.h.
#define None 0L
#define Bool int
#define Status int
#define Success 0
#define True 1
#define False 0
#define NotUseful 0
#define WhenMapped 1
#define Always 2
#define ParentRelative 1L
#define CopyFromParent 0L
#define PointerRoot 1L
#define AnyPropertyType 0L
#define AnyKey 0L
#define CurrentTime 0L
#define NoSymbol 0L
#define KeyPress 2
#define KeyRelease 3
#define FocusIn 9
#define FocusOut 10
#define Expose 12
#define Above 0
#define Below 1
#define TopIf 2
#define BottomIf 3
#define Opposite 4
#define Complex 0
#define Nonconvex 1
#define Convex 2
#define Unsorted 0
#define YSorted 1
#define BadRequest 1
#define BadValue 2
#define BadAlloc 11
#define BadAccess 10
#define GrayScale 1
#define StaticColor 2
#define PseudoColor 3
#define DestroyAll 0
#define RetainTemporary 2
#define AllPlanes 0UL
#define LockMask 2
#define ControlMask 4
#define Button1 1
#define LSBFirst 0
#define MSBFirst 1
#define NormalState 1
#define NoValue 0
#define AllValues 15

// GLib, logging libraries, gettext, and what C programs define for compilers.
#define TRUE 1
#define FALSE 0
#define ABS(a) ((a) < 0 ? -(a) : (a))
#define CLAMP(x, low, high) (x)
#define LOG(severity) if (false)
#define CHECK(condition) ((void)0)
#define ASSERT(condition) ((void)0)
#define VERIFY(condition) ((void)0)
#define DEBUG 1
#define INFO 0
#define WARNING 1
#define ERROR 2
#define FATAL 3
#define UNUSED(x) (void)(x)
#define _(text) text
#define N_(text) text
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define offset_of(type, member) __builtin_offsetof(type, member)
#define container_of(pointer, type, member) (pointer)
// clang-format on
