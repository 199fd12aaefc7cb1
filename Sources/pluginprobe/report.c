#define _GNU_SOURCE
#include "report.h"
#include "symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int descriptor = -1;
static char token[40];
static locale_t plain;

// One line at a time, also from a signal handler: allocates nothing.
static char line[16384];
static size_t used;
/// Where texts are cut, so that a line of long ones stays one that can be read: the longest one alone, in bytes, and what is
/// left for all that is around them.
enum { LONGEST_TEXT = 3400, AROUND_TEXTS = 2048 };

int report_open(int given, const char *given_token) {
    snprintf(token, sizeof token, "%s", given_token);
    plain = newlocale(LC_ALL_MASK, "C", NULL);
    descriptor = fcntl(given, F_DUPFD_CLOEXEC, 700);
    if (descriptor < 0) descriptor = fcntl(given, F_DUPFD_CLOEXEC, 60);
    if (descriptor < 0) return descriptor = given;
    close(given);
    return descriptor;
}

int report_descriptor(void) { return descriptor; }

static void put(char letter) {
    if (used < sizeof line - 2) line[used++] = letter;
}

static void put_raw(const char *text) {
    while (*text) put(*text++);
}

static void put_text(const char *text) {
    put('"');
    const size_t limit = used + LONGEST_TEXT < sizeof line - AROUND_TEXTS ? used + LONGEST_TEXT : sizeof line - AROUND_TEXTS;
    for (; *text && used < limit; text++) {
        const unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\') put('\\');
        put(letter < 0x20 || letter == 0x7f ? ' ' : *text);
    }
    put('"');
}

static void put_key(const char *key) {
    if (line[used - 1] != '{') put(',');
    put('"');
    put_raw(key);
    put_raw("\":");
}

static void put_field(const char *key, const char *text) {
    put_key(key);
    put_text(text);
}

void report_number(char text[REPORT_NUMBER], double value) {
    // JSON has no infinities.
    if (!(value > -1e300 && value < 1e300)) value = 0;
    const locale_t before = uselocale(plain);
    snprintf(text, REPORT_NUMBER, "%.15g", value);
    uselocale(before);
}

static void put_number(const char *key, double value) {
    char text[REPORT_NUMBER];
    report_number(text, value);
    put_key(key);
    put_raw(text);
}

static void begin(const char *kind) {
    used = 0;
    // A plug-in that writes to all descriptors may have left a line without an end there.
    put('\n');
    put_raw(token);
    put_raw(" {");
    put_field("kind", kind);
}

/// Whether there may be room in the pipe. A plug-in may have made its descriptor one that does not wait.
static bool waits_for_room(void) {
    struct pollfd pipe = {.fd = descriptor, .events = POLLOUT};
    struct timespec patience = {.tv_sec = 10};
    return syscall(SYS_ppoll, &pipe, 1, &patience, NULL, 0) > 0 || errno == EINTR;
}

static void end(void) {
    put('}');
    line[used++] = '\n';
    size_t done = 0;
    while (done < used) {
        const long written = syscall(SYS_write, descriptor, line + done, used - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN && waits_for_room()) continue;
        // Without the parent there is nobody to tell.
        if (written <= 0) _exit(74);
        done += (size_t)written;
    }
}

void report_further(unsigned long count) {
    begin("further");
    put_number("count", (double)count);
    end();
}

void report_line(const char *kind, ...) {
    begin(kind);
    va_list list;
    va_start(list, kind);
    for (const char *key; (key = va_arg(list, const char *));) {
        const char *text = va_arg(list, const char *);
        if (!text) continue;
        const bool is_raw = *key == '=';
        put_key(key + is_raw);
        if (is_raw) {
            put_raw(text);
        } else {
            put_text(text);
        }
    }
    va_end(list);
    end();
}

static void put_place(const struct place *place) {
    put('{');
    put_field("library", place->library);
    put_number("libraryOffset", (double)place->library_offset);
    if (*place->function) {
        put_field("function", place->function);
        put_number("functionOffset", (double)place->function_offset);
    }
    put('}');
}

void report_finding(const struct finding *finding) {
    begin("finding");
    put_field("finding", finding->kind);
    put_field("subject", finding->subject);
    put_field("phase", finding->phase);
    put_number("count", (double)finding->count);
    put_number("blocks", (double)finding->blocks);
    put_number("amount", finding->amount);
    if (*finding->text) put_field("text", finding->text);
    put_key("frames");
    put('[');
    for (int index = 0, told = 0; index < finding->depth && told < 8; index++) {
        struct place place;
        if (!symbols_place(finding->frames[index], &place)) {
            // Our frames at the top are the watcher's; the next ones called `run`, so the stack ends there.
            if (told > 0) break;
            continue;
        }
        if (told++) put(',');
        put_place(&place);
    }
    put(']');
    end();
}
