/* Redis without threads: what a background job would do later is done at once. Takes the place of
 * Redis's src/bio.c. */
#include "server.h"
#include "bio.h"
#include <stdarg.h>

#define MAX_JOB_ARGUMENTS 8

void bioInit(void) {}

void bioCreateLazyFreeJob(lazy_free_fn free_fn, int count, ...) {
    void *arguments[MAX_JOB_ARGUMENTS];
    va_list rest;
    serverAssert(count <= MAX_JOB_ARGUMENTS);
    va_start(rest, count);
    for (int i = 0; i < count; i++) arguments[i] = va_arg(rest, void *);
    va_end(rest);
    free_fn(arguments);
}

void bioCreateCloseJob(int fd, int need_fsync) {
    if (need_fsync) redis_fsync(fd);
    close(fd);
}

void bioCreateFsyncJob(int fd) { redis_fsync(fd); }

unsigned long long bioPendingJobsOfType(int type) {
    UNUSED(type);
    return 0;
}

unsigned long long bioWaitStepOfType(int type) {
    UNUSED(type);
    return 0;
}

void bioKillThreads(void) {}
