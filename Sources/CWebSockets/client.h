// A context of libwebsockets with one connection of a client, of which one thread at a time has the use.
#pragma once

#include <libwebsockets.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct cws_client {
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct lws_protocols protocols[2];
    /// Ends a wait.
    lws_sorted_usec_list_t timer;
};

static inline void cws_client_free(struct cws_client *client) {
    if (!client) return;
    if (client->context) {
        lws_sul_cancel(&client->timer);
        lws_context_destroy(client->context);
    }
    free(client);
}

/// - user: what lws_context_user gives in the callback.
/// - trust: NULL where nothing is encrypted. It must outlive the client.
/// Returns NULL without memory.
static inline struct cws_client *cws_client_make(void *user, lws_callback_function *callback, SSL_CTX *trust) {
    struct cws_client *client = (struct cws_client *)calloc(1, sizeof(*client));
    if (!client) return NULL;
    client->protocols[0].name = "iounit";
    client->protocols[0].callback = callback;
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof(info));
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.protocols = client->protocols;
    info.user = user;
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    // One connection and what the library has itself; else its tables are as long as this process may have files.
    info.fd_limit_per_thread = 8;
    info.pt_serv_buf_size = 16384;
    // What is asked for and all headers of the answer share it; some servers send more than the 4096 bytes that are usual.
    info.max_http_header_data = 16384;
    info.timeout_secs = 10;
    info.connect_timeout_secs = 5;
    // Not the one of the variable http_proxy: a stream is sent where it was told to go.
    info.http_proxy_address = "";
    client->context = lws_create_context(&info);
    if (client->context) {
        if (trust) info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.provided_client_ssl_ctx = trust;
        client->vhost = lws_create_vhost(client->context, &info);
    }
    if (client->vhost) return client;
    cws_client_free(client);
    return NULL;
}

/// Begins to connect; whether it could be.
/// - protocol: the WebSocket's; method: of a request that is none. One of them is NULL.
static inline bool cws_client_connect(
    struct cws_client *client, const char *address, int port, const char *host, const char *path,
    const char *protocol, const char *method, bool is_encrypted
) {
    struct lws_client_connect_info info;
    memset(&info, 0, sizeof(info));
    info.context = client->context;
    info.vhost = client->vhost;
    info.address = address;
    info.port = port;
    info.host = host;
    info.path = path;
    info.protocol = protocol;
    info.method = method;
    info.local_protocol_name = "iounit";
    info.ietf_version_or_minus_one = -1;
    // What is sent along, as a token, is for this server alone.
    info.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT | (is_encrypted ? LCCSCF_USE_SSL : 0);
    info.alpn = "http/1.1";
    return lws_client_connect_via_info(&info) != NULL;
}

/// Ends the present wait, or the next one: the library looks at its timers before it waits, and forgets one that was due by then.
static inline void cws_time_is_over(lws_sorted_usec_list_t *timer) {
    lws_cancel_service(lws_container_of(timer, struct cws_client, timer)->context);
}

/// Does what is to be done, or waits for it; not much longer than so many microseconds.
static inline void cws_client_serve(struct cws_client *client, int64_t microseconds) {
    if (microseconds <= 0) {
        // Does not wait.
        lws_service(client->context, -1);
        return;
    }
    lws_sul_schedule(client->context, 0, &client->timer, cws_time_is_over, microseconds);
    lws_service(client->context, 0);
    lws_sul_cancel(&client->timer);
}

/// Whether anything came by a socket since it was connected.
static inline bool cws_has_received(int descriptor) {
    // tcpi_bytes_received of the kernel's struct tcp_info, whose header and glibc's exclude each other.
    uint64_t facts[32] = {0};
    socklen_t size = sizeof(facts);
    const unsigned place = 128 / sizeof(uint64_t);
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, facts, &size) == 0 && facts[place] > 0;
}
