// Whom a policy lets a worker without work steal from: nobody, anybody, or the near before the far.
#pragma once

namespace charm::sim {

enum class Stealing { none, random, by_distance };

}  // namespace charm::sim
