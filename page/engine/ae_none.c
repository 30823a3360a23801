/* The event loop's view of the outside when there are no sockets: nothing to register, nothing to
 * wait for. The timers still fire. Takes the place of Redis's src/ae_select.c. */

void wireWhileBusy(void); /* wire.c */

static int aeApiCreate(aeEventLoop *loop) {
    loop->apidata = NULL;
    return 0;
}

static int aeApiResize(aeEventLoop *loop, int size) {
    AE_NOTUSED(loop);
    AE_NOTUSED(size);
    return 0;
}

static void aeApiFree(aeEventLoop *loop) { AE_NOTUSED(loop); }

static int aeApiAddEvent(aeEventLoop *loop, int fd, int mask) {
    AE_NOTUSED(loop);
    AE_NOTUSED(fd);
    AE_NOTUSED(mask);
    return 0;
}

static void aeApiDelEvent(aeEventLoop *loop, int fd, int mask) {
    AE_NOTUSED(loop);
    AE_NOTUSED(fd);
    AE_NOTUSED(mask);
}

/* Redis looks here while a script overruns its time: the one moment in which the page can act. */
static int aeApiPoll(aeEventLoop *loop, struct timeval *wait) {
    AE_NOTUSED(loop);
    AE_NOTUSED(wait);
    wireWhileBusy();
    return 0;
}

static char *aeApiName(void) { return "none"; }
