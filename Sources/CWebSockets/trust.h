// Which servers are believed to be who they say: OpenSSL.
#pragma once

#include <libwebsockets.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string.h>

/// Certificates to check servers with: those of a file, or of the system where it is NULL. NULL where they cannot be read.
static inline SSL_CTX *cws_make_trust(const char *file) {
    SSL_CTX *trust = SSL_CTX_new(TLS_client_method());
    if (!trust) return NULL;
    SSL_CTX_set_min_proto_version(trust, TLS1_2_VERSION);
    SSL_CTX_set_mode(trust, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    int is_read = file ? SSL_CTX_load_verify_locations(trust, file, NULL) : SSL_CTX_set_default_verify_paths(trust);
    if (is_read == 1) return trust;
    SSL_CTX_free(trust);
    return NULL;
}

/// What is wrong with a certificate, in OpenSSL's words, for what LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION
/// hands over as its user. The words are constants.
static inline const char *cws_certificate_error(void *store) {
    return X509_verify_cert_error_string(X509_STORE_CTX_get_error((X509_STORE_CTX *)store));
}

/// What the library does once for the whole process, and what it says about itself goes nowhere.
///
/// With each context that is made with LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT it takes a new number for its own data in
/// OpenSSL's objects, and loses those of the connections before. Contexts of clients are therefore made without it, and have
/// certificates of their own.
static inline void cws_prepare(void) {
    lws_set_log_level(0, NULL);
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof(info));
    info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.fd_limit_per_thread = 8;
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    struct lws_context *context = lws_create_context(&info);
    if (context) lws_context_destroy(context);
}
