/* Every clock that Redis reads, taken from one object of the page (Clock in engine.mjs).
 * These definitions win over the C library's because the linker meets them first. */
#include <emscripten.h>
#include <sys/time.h>
#include <time.h>

#define US_PER_S 1000000LL

/* Microseconds since 1970, a later number at each look unless the page holds its clock still. */
EM_JS(double, pageWallUs, (void), { return Module.clock.wallUs(); });
/* Microseconds since some fixed moment; goes on while the page holds its wall clock. */
EM_JS(double, pageSteadyUs, (void), { return Module.clock.steadyUs(); });

/* The zone is a relic that Redis still asks for: a page has none, so its log is in UTC. */
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    if (now) {
        long long us = (long long)pageWallUs();
        now->tv_sec = us / US_PER_S;
        now->tv_usec = us % US_PER_S;
    }
    if (zone) *(struct timezone *)zone = (struct timezone){0, 0};
    return 0;
}

int clock_gettime(clockid_t which, struct timespec *now) {
    long long us = (long long)(which == CLOCK_REALTIME ? pageWallUs() : pageSteadyUs());
    now->tv_sec = us / US_PER_S;
    now->tv_nsec = us % US_PER_S * 1000;
    return 0;
}

time_t time(time_t *now) {
    time_t seconds = (time_t)((long long)pageWallUs() / US_PER_S);
    if (now) *now = seconds;
    return seconds;
}
