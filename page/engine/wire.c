/* Redis without sockets: bytes of the protocol in, bytes of the protocol out, by function call.
 * A wire is a real Redis client whose ConnectionType reads and writes memory; nothing else of
 * Redis knows the difference. All wire_* functions are called from engine.mjs. */
#include "server.h"
#include "script.h"
#include <emscripten.h>

#define MAX_WIRES 512

extern int ProcessingEventsWhileBlocked; /* networking.c: a script overruns, others may speak */

typedef struct wire {
    connection conn; /* first, so that a connection * is a wire * */
    int id;
} wire;

/* What outlives the client: replies may be taken after Redis has hung up. */
static struct slot {
    int taken;  /* the page holds this id */
    wire *live; /* NULL once Redis has closed the connection */
    sds in;     /* sent by the page, not yet read by Redis */
    sds out;    /* written by Redis, not yet taken by the page */
} slots[MAX_WIRES];
static int slots_seen; /* no id at or above this was ever taken */

static struct slot *slotOf(connection *conn) { return &slots[((wire *)conn)->id]; }

static struct slot *takenSlot(int id) {
    return id >= 0 && id < slots_seen && slots[id].taken ? &slots[id] : NULL;
}

/* ── The connection type ── */

static int wireWrite(connection *conn, const void *data, size_t length) {
    struct slot *slot = slotOf(conn);
    slot->out = sdscatlen(slot->out, data, length);
    return (int)length;
}

static int wireWritev(connection *conn, const struct iovec *parts, int count) {
    int total = 0;
    for (int i = 0; i < count; i++) total += wireWrite(conn, parts[i].iov_base, parts[i].iov_len);
    return total;
}

static int wireRead(connection *conn, void *buffer, size_t room) {
    struct slot *slot = slotOf(conn);
    size_t length = sdslen(slot->in);
    if (length == 0) {
        errno = EAGAIN;
        return -1;
    }
    if (length > room) length = room;
    memcpy(buffer, slot->in, length);
    sdsrange(slot->in, (ssize_t)length, -1);
    return (int)length;
}

static void wireHangUp(connection *conn) {
    slotOf(conn)->live = NULL;
    zfree(conn);
}

static int wireAccept(connection *conn, ConnectionCallbackFunc handler) {
    conn->state = CONN_STATE_CONNECTED;
    handler(conn);
    return C_OK;
}

static int wireSetWriteHandler(connection *conn, ConnectionCallbackFunc handler, int barrier) {
    UNUSED(barrier);
    conn->write_handler = handler;
    return C_OK;
}

static int wireSetReadHandler(connection *conn, ConnectionCallbackFunc handler) {
    conn->read_handler = handler;
    return C_OK;
}

static const char *wireLastError(connection *conn) {
    UNUSED(conn);
    return "no such thing on a wire in memory";
}

static int wireType(connection *conn) {
    UNUSED(conn);
    return CONN_TYPE_SOCKET;
}

/* Redis never dials out here (no replicas, no cluster), so the rest of the type stays empty. */
static ConnectionType wireConnection = {
    .write = wireWrite,
    .writev = wireWritev,
    .read = wireRead,
    .close = wireHangUp,
    .accept = wireAccept,
    .set_write_handler = wireSetWriteHandler,
    .set_read_handler = wireSetReadHandler,
    .get_last_error = wireLastError,
    .get_type = wireType,
};

/* ── What the page calls ── */

void wireAcceptClient(connection *conn); /* added to networking.c by build.sh */

/* A new client; its id, or -1 when all MAX_WIRES are in use. */
EMSCRIPTEN_KEEPALIVE int wire_connect(void) {
    int id = 0;
    while (id < MAX_WIRES && slots[id].taken) id++;
    if (id == MAX_WIRES) return -1;
    if (id >= slots_seen) slots_seen = id + 1;
    wire *fresh = zcalloc(sizeof(*fresh));
    fresh->conn.type = &wireConnection;
    fresh->conn.fd = -1;
    fresh->conn.state = CONN_STATE_ACCEPTING;
    fresh->id = id;
    slots[id] = (struct slot){.taken = 1, .live = fresh, .in = sdsempty(), .out = sdsempty()};
    wireAcceptClient(&fresh->conn);
    return id;
}

/* One turn of Redis's event loop: timers (serverCron, expiry, blocked clients that ran out of
 * time), then the flush of replies, then replies too large for one write. */
EMSCRIPTEN_KEEPALIVE void wire_tick(void) {
    aeProcessEvents(server.el, AE_TIME_EVENTS | AE_DONT_WAIT);
    server.el->beforesleep(server.el);
    server.el->aftersleep(server.el);
    for (int id = 0; id < slots_seen; id++) {
        while (slots[id].live && slots[id].live->conn.write_handler)
            slots[id].live->conn.write_handler(&slots[id].live->conn);
    }
}

/* Sends bytes to Redis and lets it work them off; -1 when the connection is closed. */
EMSCRIPTEN_KEEPALIVE int wire_feed(int id, const char *bytes, int length) {
    struct slot *slot = takenSlot(id);
    if (!slot || !slot->live) return -1;
    wire *served = slot->live;
    slot->in = sdscatlen(slot->in, bytes, length);
    size_t before = sdslen(slot->in) + 1;
    while (slot->live == served && served->conn.read_handler && sdslen(slot->in) > 0 &&
           sdslen(slot->in) < before) {
        before = sdslen(slot->in);
        served->conn.read_handler(&served->conn);
    }
    if (!ProcessingEventsWhileBlocked) wire_tick();
    return 0;
}

/* How many bytes can be taken; -1 when there are none and none will come. */
EMSCRIPTEN_KEEPALIVE int wire_ready(int id) {
    struct slot *slot = takenSlot(id);
    if (!slot) return -1;
    int length = (int)sdslen(slot->out);
    return length == 0 && !slot->live ? -1 : length;
}

/* Where they stand; valid until the next call of any wire_* function. */
EMSCRIPTEN_KEEPALIVE const char *wire_bytes(int id) {
    struct slot *slot = takenSlot(id);
    return slot ? slot->out : NULL;
}

EMSCRIPTEN_KEEPALIVE void wire_consume(int id, int length) {
    struct slot *slot = takenSlot(id);
    if (slot) sdsrange(slot->out, length, -1);
}

/* Hangs up, as a client does that closes its socket; the id is free again. */
EMSCRIPTEN_KEEPALIVE void wire_close(int id) {
    struct slot *slot = takenSlot(id);
    if (!slot) return;
    if (slot->live) freeClient(connGetPrivateData(&slot->live->conn));
    sdsfree(slot->in);
    sdsfree(slot->out);
    *slot = (struct slot){0};
}

/* ── While a script overruns ── */

EM_JS(void, pageWhileBusy, (void), { Module.whileBusy(); });

/* Called from within a script that has run longer than busy-reply-threshold: other clients may
 * speak now, which is how SCRIPT KILL gets through. */
void wireWhileBusy(void) {
    if (ProcessingEventsWhileBlocked && scriptIsTimedout()) pageWhileBusy();
}
