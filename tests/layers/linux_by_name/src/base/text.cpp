#include <semaphore.h>
