// Loaded into a program (LD_PRELOAD): its wall clock is up to a day earlier or later at each call.
// The monotonic clock is as it was.
#include <dlfcn.h>
#include <sys/time.h>

#include <cstdlib>
#include <ctime>

extern "C" int clock_gettime(clockid_t id, timespec* now) noexcept {
  using Function = int (*)(clockid_t, timespec*);
  static const auto original = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = original(id, now);
  constexpr long day_s = 86400;
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
    now->tv_sec += std::rand() % (2 * day_s) - day_s;
  return result;
}

extern "C" time_t time(time_t* now) noexcept {
  timespec date{};
  clock_gettime(CLOCK_REALTIME, &date);
  if (now != nullptr) *now = date.tv_sec;
  return date.tv_sec;
}

extern "C" int gettimeofday(timeval* now, void* /*zone*/) noexcept {
  timespec date{};
  clock_gettime(CLOCK_REALTIME, &date);
  now->tv_sec = date.tv_sec;
  now->tv_usec = date.tv_nsec / 1000;
  return 0;
}
